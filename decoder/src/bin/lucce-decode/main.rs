//! `lucce-decode`: turns a change log back into stack traces.
//!
//! Invariant: a thin shell over the library, one file a view. Exit status 0 for a complete log, 1 for a question without an answer or an
//! output that fails, 2 for what is no Lucce log (or a wrong command line), 3 for a damaged or cut log, whatever was asked; a closed pipe is
//! no error, nor is a log that is still being written.
//! Source: docs/FORMAT.md; docs/guide/decoder.md.

#![forbid(unsafe_code)]

mod args;
mod collapsed;
mod context;
mod ctl;
mod damage;
mod diff;
mod doctor;
mod events;
#[cfg(feature = "export")]
mod export;
mod figures;
mod follow;
mod graph;
mod json;
mod leaks;
mod logs;
mod progress;
mod screen;
mod source;
mod state;
mod suggest;
mod text;
mod top;
mod writer;

use std::fs::File;
use std::io::{self, BufWriter, Read, StdoutLock, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use lucce_decoder::{Contexts, Event, Log, plain};

use crate::args::{Args, Format};
use crate::state::{Lock, State};

/// What a view ends with when it is not all well.
pub enum Failure {
    /// The question has no answer in this log.
    Question(String),
    /// Something is to be changed; it has been printed.
    Findings,
    /// The output failed.
    Output(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|first| first == "ctl") {
        return ctl::run();
    }
    let mut arguments = std::env::args_os();
    let program = arguments.next();
    // A log of that name is read as ./leaks.
    let first = arguments.next();
    let rest = program.into_iter().chain(arguments);
    if first.as_ref().is_some_and(|first| first == "leaks") {
        let args = leaks::Args::parse_from(rest);
        return run(&args.log, |log, _, out| leaks::show(log, &args, out));
    }
    #[cfg(feature = "export")]
    if first.as_ref().is_some_and(|first| first == "export") {
        return export::run(&export::Args::parse_from(rest));
    }
    if first.as_ref().is_some_and(|first| first == "diff") {
        return diff::run(&diff::Args::parse_from(rest));
    }
    if first.as_ref().is_some_and(|first| first == "doctor") {
        return doctor(&doctor::Args::parse_from(rest));
    }
    if let Some(line) = suggest::line(first.as_deref()) {
        return fail(2, &line);
    }
    // `--version V` belongs to `--graph`.
    let own = first.is_some_and(|first| first == "--version") && std::env::args_os().len() == 2;
    let args = if own { Args::parse_from(["lucce-decode", "-V"]) } else { Args::parse() };
    if let Some(line) = args.conflict() {
        return fail(2, &line);
    }
    if args.follow {
        return match follow::show(&args, &mut BufWriter::new(io::stdout().lock())) {
            Ok(None) => ExitCode::SUCCESS,
            Ok(Some(line)) => fail(3, &line),
            Err(follow::Failure::Log(line)) => fail(2, &line),
            Err(follow::Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
            Err(follow::Failure::Output(error)) => fail(1, &format!("cannot write: {error}")),
        };
    }
    run(&args.log, |log, state, out| view(log, state, &args, out))
}

/// Checks a log that is there, or one that a JVM is made to write.
fn doctor(args: &doctor::Args) -> ExitCode {
    match (&args.java, &args.log) {
        (Some(java), _) => match doctor::attempt(java, args.agent.as_deref()) {
            Ok((trial, bytes)) => {
                read(java, Lock::default(), bytes, |log, state, out| doctor::show(log, state, args, Some(&trial), out))
            }
            Err(doctor::Problem { status, line }) => fail(status, &line),
        },
        (None, Some(log)) => run(log, |log, state, out| doctor::show(log, state, args, None, out)),
        (None, None) => fail(2, "name a log, or a JVM with --java"),
    }
}

/// Reads the log and prints a view of it.
fn run(path: &Path, view: impl FnOnce(&Log, State, &mut BufWriter<StdoutLock<'_>>) -> Result<(), Failure>) -> ExitCode {
    match load(path) {
        Ok((lock, bytes)) => read(path, lock, bytes, view),
        Err(error) => fail(2, &format!("cannot read {}: {error}", path.display())),
    }
}

/// The bytes of a log, and what its lock said before.
fn load(path: &Path) -> io::Result<(Lock, Vec<u8>)> {
    let mut file = File::open(path)?;
    // Before it is read: who has let go of it by now has written all.
    let (lock, mut bytes) = (Lock::of(&file), Vec::new());
    file.read_to_end(&mut bytes)?;
    Ok((lock, bytes))
}

/// Prints a view of the log with these bytes.
fn read(
    path: &Path,
    lock: Lock,
    bytes: Vec<u8>,
    view: impl FnOnce(&Log, State, &mut BufWriter<StdoutLock<'_>>) -> Result<(), Failure>,
) -> ExitCode {
    let progress = progress::Progress::new(bytes.len() as u64);
    let log = match Log::read(&bytes, |done| progress.at(done)) {
        Ok(log) => log,
        Err(error) => return fail(2, &format!("{}: {error}", path.display())),
    };
    drop(bytes);
    progress.finish();
    let mut out = BufWriter::new(io::stdout().lock());
    let state = State::of(&log, lock);
    let (shown, changes) = match view(&log, state, &mut out) {
        Err(Failure::Findings) => (Ok(()), true),
        shown => (shown, false),
    };
    let mut status = ExitCode::from(u8::from(changes));
    match shown.and_then(|()| Ok(out.flush()?)) {
        // The damage below may have taken the answer.
        Err(Failure::Question(message)) => status = fail(1, &message),
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            // Whoever read the pipe has seen enough; a second flush at exit would fail again.
            let _ = out.into_parts();
        }
        Err(Failure::Output(error)) => return fail(1, &format!("cannot write: {error}")),
        Ok(()) | Err(Failure::Findings) => {}
    }
    match damage::line(&log, state) {
        Some(line) if state == State::Written => {
            say(&line);
            status
        }
        Some(line) => fail(3, &line),
        None => status,
    }
}

fn fail(status: u8, message: &str) -> ExitCode {
    say(message);
    ExitCode::from(status)
}

/// One line on the standard error.
fn say(message: &str) {
    // Nothing is left to be told when that is closed.
    let _ = writeln!(io::stderr(), "lucce-decode: {}", plain::plain(message));
}

fn view(log: &Log, state: State, args: &Args, out: &mut impl Write) -> Result<(), Failure> {
    let kind = args.kind.as_deref().map(|name| kind(log, name)).transpose()?;
    let chosen = |event: &Event| kind.is_none_or(|kind| event.kind == kind);
    if let Some(id) = &args.context {
        return context::show(log, id, args.format(), out);
    }
    if args.stats {
        return Ok(figures::show(log, state, args.format(), out)?);
    }
    if args.graph {
        return graph::show(log, args.version, out);
    }
    match (args.format(), args.top, args.events) {
        (Format::Collapsed, top, _) => {
            let events = log.events().iter().filter(|event| chosen(event));
            collapsed::show(log, &mut Contexts::new(log), events, kind.is_some(), top, out)?;
        }
        (format, Some(top), _) => top::show(log, chosen, format, top, out)?,
        (Format::Json, None, _) => events::json(log, chosen, out)?,
        (Format::Text, None, true) => events::text(log, chosen, out)?,
        (Format::Text, None, false) => screen::show(log, state, chosen, args, out)?,
    }
    Ok(())
}

fn kind(log: &Log, name: &str) -> Result<u32, Failure> {
    log.kind_id(name).ok_or_else(|| {
        let kinds: Vec<&str> = log.kinds().collect();
        let known =
            if kinds.is_empty() { "there are no events".into() } else { format!("there is {}", kinds.join(", ")) };
        Failure::Question(format!("no event kind {name}: {known}"))
    })
}
