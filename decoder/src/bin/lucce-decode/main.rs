//! `lucce-decode`: turns a change log back into stack traces.
//!
//! Invariant: a thin shell over the library, one file a view. Exit status 0 for a complete log, 1
//! for a question without an answer or an output that fails, 2 for what is no Lucce log (or a wrong
//! command line), 3 for a damaged or cut log, whatever was asked; a closed pipe is no error, nor is
//! a log that is still being written.
//! Source: docs/FORMAT.md; docs/guide/decoder.md.

#![forbid(unsafe_code)]

mod agent;
mod args;
mod attach;
mod commands;
mod compare;
mod context;
mod ctl;
mod damage;
mod dictionary;
mod diff;
mod doctor;
mod events;
#[cfg(feature = "export")]
mod export;
mod failure;
mod figures;
mod fold;
mod follow;
mod graph;
mod hot;
mod icpp;
mod json;
mod leaks;
mod logs;
mod progress;
mod replayed;
#[cfg(feature = "export")]
mod report;
mod screen;
mod source;
mod state;
mod suggest;
mod text;
mod top;
mod tree;
mod versions;
mod writer;

use std::io::{self, BufWriter, StdoutLock};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use lucce_decoder::{Log, plain};

use crate::args::{By, Choice, Format, Look, ReportFormat, Stacks};
use crate::commands::{Cli, Command, Show};
use crate::dictionary::Dictionary;
use crate::events::Printing;
use crate::failure::{Failure, fail};
use crate::logs::Threads;
use crate::replayed::Replayed;

fn main() -> ExitCode {
    let first = std::env::args_os().nth(1);
    if let Some(line) = suggest::line(first.as_deref(), &commands::names()) {
        return fail(2, &line);
    }
    // `--version V` belongs to `--graph`.
    let own = first.is_some_and(|first| first == "--version") && std::env::args_os().len() == 2;
    let Cli { command, show, .. } = if own { Cli::parse_from(["lucce-decode", "-V"]) } else { Cli::parse() };
    run(command.unwrap_or(Command::Show(show)))
}

fn run(command: Command) -> ExitCode {
    match command {
        Command::Show(args) => show(&args),
        Command::Events(args) if args.stacks == Stacks::Dictionary && args.format == ReportFormat::Text => {
            fail(2, "--stacks dictionary is for --format json")
        }
        Command::Events(args) => events(&args.logs.logs, &args.choice, args.format.into(), args.stacks),
        Command::Top(args) => {
            let methods = args.format == Format::Collapsed;
            let threads = if args.group == Some(By::Thread) { Threads::Apart } else { Threads::Together };
            logs::view(&args.logs.logs, &args.choice, args.look, methods, threads, |all, out| {
                top::show(all, &top::Asked::of(&args), out)
            })
        }
        Command::Tree(args) => {
            logs::view(&args.logs.logs, &args.choice, args.look, true, Threads::Together, |all, out| {
                tree::show(all, &args, out)
            })
        }
        #[cfg(feature = "export")]
        Command::Export(args) => export::run(&args),
        #[cfg(feature = "export")]
        Command::Report(args) => report::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Hot(args) => whole(&args.log, |replayed, out| hot::show(replayed, &args, out)),
        Command::Compare(args) => match Replayed::read(&args.exact) {
            Ok(exact) => whole(&args.profile, |profile, out| compare::show(profile, &exact, &args, out)),
            Err(line) => fail(2, &line),
        },
        Command::Leaks(args) => whole(&args.log, |replayed, out| leaks::show(replayed, &args, out)),
        Command::Stats(args) => stats(&args.logs.logs, args.format.into()),
        Command::Graph(args) => whole(&args.log, |replayed, out| graph::show(replayed.log(), args.version, out)),
        Command::Icpp(icpp::IcppArgs { command: icpp::Command::Train(args) }) => {
            whole(&args.log, |replayed, out| icpp::train(replayed.log(), &args, out))
        }
        Command::Versions(args) => {
            whole(&args.log, |replayed, out| versions::show(replayed.log(), args.format.into(), out))
        }
        Command::Attach(args) => attach::run(&args),
        Command::Ctl(args) => ctl::run(&args),
        Command::Doctor(args) => doctor(&args),
        Command::Follow(args) => follow(&args.log, &args.choice, args.format.into()),
        Command::Completions(args) => args.print(),
        Command::Man(args) => args.print(),
    }
}

/// The first screen, or what an option chooses in its place.
fn show(args: &Show) -> ExitCode {
    if let Some(line) = args.conflict() {
        return fail(2, &line);
    }
    let (paths, format) = (&args.logs.logs, args.format());
    let log = paths.first().map(PathBuf::as_path).unwrap_or(Path::new(""));
    if args.follow {
        return follow(log, &args.choice, format);
    }
    if let Some(id) = &args.context {
        return whole(log, |replayed, out| context::show(replayed, id, format, out));
    }
    if let Some(map) = &args.map {
        return whole(log, |replayed, out| icpp::decode(replayed, map, format, out));
    }
    if args.graph {
        return whole(log, |replayed, out| graph::show(replayed.log(), args.version, out));
    }
    if args.versions {
        return whole(log, |replayed, out| versions::show(replayed.log(), format, out));
    }
    if args.stats {
        return stats(paths, format);
    }
    match (format, args.top, args.events) {
        (Format::Collapsed, top, _) | (_, top @ Some(_), _) => {
            let asked = top::Asked {
                top,
                format,
                group: None,
                depth: None,
                lines: args.look.lines,
                named: !args.choice.kind.is_empty(),
            };
            logs::view(paths, &args.choice, args.look, format == Format::Collapsed, Threads::Together, |all, out| {
                top::show(all, &asked, out)
            })
        }
        (format, None, events) if events || format == Format::Json => {
            self::events(paths, &args.choice, format, Stacks::Full)
        }
        _ => logs::view(paths, &args.choice, args.look, false, Threads::Together, |all, out| {
            Ok(screen::show(all, args, out)?)
        }),
    }
}

/// Each event of each log.
fn events(paths: &[PathBuf], choice: &Choice, format: Format, stacks: Stacks) -> ExitCode {
    let paths: Vec<PathBuf> = paths.iter().flat_map(|path| logs::expanded(path)).collect();
    let mut all = ExitCode::SUCCESS;
    for path in &paths {
        let status = whole(path, |replayed, out| {
            let (log, filter) = (replayed.log(), choice.filter());
            // One log of several may lack a kind.
            match kinds(log, &filter.kinds) {
                Err(Failure::Question(_)) if paths.len() > 1 => return Ok(()),
                known => known?,
            }
            let (mut printing, mut dictionary) = (Printing::new(log, &filter), Dictionary::new(log, &filter));
            replayed.events(|event| {
                match stacks {
                    Stacks::Dictionary => dictionary.event(event, out)?,
                    Stacks::Full => printing.event(event, format, out)?,
                }
                Ok(ControlFlow::Continue(()))
            })
        });
        if status != ExitCode::SUCCESS {
            all = status;
        }
    }
    all
}

fn kinds(log: &Log, names: &[String]) -> Result<(), Failure> {
    let Some(name) = names.iter().find(|name| log.kind_id(name).is_none()) else { return Ok(()) };
    let kinds: Vec<&str> = log.kinds().collect();
    let known = if kinds.is_empty() { "there are no events".into() } else { format!("there is {}", kinds.join(", ")) };
    Err(Failure::Question(format!("no event kind {name}: {known}")))
}

/// The figures of each log.
fn stats(paths: &[PathBuf], format: Format) -> ExitCode {
    logs::view(paths, &Choice::default(), Look::default(), false, Threads::Together, |all, out| {
        Ok(figures::show(all, format, out)?)
    })
}

fn follow(log: &Path, choice: &Choice, format: Format) -> ExitCode {
    match follow::show(log, &choice.filter(), format, &mut BufWriter::new(io::stdout().lock())) {
        Ok(None) => ExitCode::SUCCESS,
        Ok(Some(line)) => fail(3, &line),
        Err(follow::FollowFailure::Log(line)) => fail(2, &line),
        Err(follow::FollowFailure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(follow::FollowFailure::Output(error)) => fail(1, &format!("cannot write: {error}")),
    }
}

/// Checks a log that is there, or one that a JVM is made to write.
fn doctor(args: &doctor::DoctorArgs) -> ExitCode {
    match (&args.java, &args.log) {
        (Some(java), _) => match doctor::attempt(java, args.agent.as_deref()) {
            Ok((trial, bytes)) => shown(Replayed::of(java, Some(bytes)), |replayed, out| {
                doctor::show(replayed.all(), args, Some(&trial), out)
            }),
            Err(doctor::Problem { status, line }) => fail(status, &line),
        },
        (None, Some(log)) => whole(log, |replayed, out| doctor::show(replayed.all(), args, None, out)),
        (None, None) => fail(2, "name a log, or a JVM with --java"),
    }
}

/// Reads a log and prints a view of it.
fn whole(path: &Path, view: impl FnOnce(&Replayed, &mut BufWriter<StdoutLock<'_>>) -> Result<(), Failure>) -> ExitCode {
    shown(Replayed::read(path), view)
}

fn shown(
    replayed: Result<Replayed, String>,
    view: impl FnOnce(&Replayed, &mut BufWriter<StdoutLock<'_>>) -> Result<(), Failure>,
) -> ExitCode {
    match replayed {
        Ok(replayed) => replayed.all().print(|out| view(&replayed, out)),
        Err(line) => fail(2, &line),
    }
}
