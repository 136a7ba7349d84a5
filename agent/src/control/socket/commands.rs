//! The commands of the control socket.
//!
//! Invariant: a command has done what it says when it is answered with `ok`; one that is not known,
//! or not possible now, changes nothing.
//! Source: docs/guide/production.md.

use std::fmt::Write;

use crate::events::sources::cpu;
use crate::jvm::attached::Invocation;
use crate::jvm::jni::Jni;
use crate::options::{Options, Source, closest};
use crate::state::agent::Agent;
use crate::state::switch::Mode;
use crate::{control::ending, control::hot, control::report, rewrite::restore};

/// What there is.
pub const NAMES: &str = "status, stats, flush, hot [share], rotate, start [source], stop [source], kill";

/// Runs a command. The lines of its answer.
pub fn run(agent: &Agent, vm: Invocation, command: &str) -> Result<String, String> {
    if agent.run.is_dead() {
        return Err("the JVM is ending".into());
    }
    let mut words = command.split_ascii_whitespace();
    let (name, argument, more) = (words.next().unwrap_or(""), words.next(), words.next());
    match (name, argument, more) {
        ("status", None, None) => Ok(status(agent)),
        ("stats", None, None) => Ok(stats(agent)),
        ("flush", None, None) => {
            if let Some(tallies) = &agent.events.tallies {
                tallies.write(agent);
            }
            agent.run.writer.flush().map(|()| String::new())
        }
        ("hot", share, None) => hot::answer(agent, share),
        ("rotate", None, None) => {
            agent.run.writer.rotate()?;
            Ok(format!("log {}\n", agent.run.writer.path().display()))
        }
        ("start", source, None) => start(agent, vm, source),
        ("stop", source, None) => gate(agent, vm, source, false),
        ("kill", None, None) => kill(agent, vm),
        _ => Err(no_such(name)),
    }
}

/// Why a command is refused that there is not, or not with so many words behind it.
fn no_such(name: &str) -> String {
    let names = NAMES.split(", ").map(|form| form.split(' ').next().unwrap_or(form));
    match closest(name, names.clone()) {
        Some(meant) if meant != name => format!("no such command '{name}': did you mean {meant}?"),
        Some(meant) => {
            let form = NAMES.split(", ").find(|form| form.starts_with(meant)).unwrap_or(meant);
            format!("'{name}' takes no more words: {form}")
        }
        None => format!("no such command; there is {NAMES}"),
    }
}

fn start(agent: &Agent, vm: Invocation, source: Option<&str>) -> Result<String, String> {
    if agent.run.switch.mode() != Mode::Waiting {
        return gate(agent, vm, source, true);
    }
    if source.is_some() {
        return Err("nothing is started yet: start it without a source first".into());
    }
    let count = attached(vm, |jni| restore::start(agent, jni))??;
    cpu::resume(&agent.run);
    Ok(format!("classes {count}\n"))
}

fn gate(agent: &Agent, vm: Invocation, source: Option<&str>, on: bool) -> Result<String, String> {
    match agent.run.switch.mode() {
        Mode::Ended => Err("it was killed; start the JVM again".into()),
        Mode::Waiting | Mode::Starting => Err("nothing is started yet".into()),
        Mode::On => {
            let source = source.map(|name| source_of(&agent.options, name)).transpose()?;
            // What was counted until now belongs to the time before.
            if let Some(tallies) = &agent.events.tallies {
                tallies.write(agent);
            }
            if !on && source.is_none_or(|source| source == Source::Cpu) {
                attached(vm, |jni| cpu::pause(agent, jni))?;
            }
            agent.run.switch.set(source, on);
            cpu::resume(&agent.run);
            Ok(String::new())
        }
    }
}

/// The sources that the run has.
fn sources(options: &Options) -> impl Iterator<Item = Source> {
    Source::ALL.into_iter().filter(|source| source.is_on(options))
}

/// The one of them that is named.
fn source_of(options: &Options, name: &str) -> Result<Source, String> {
    sources(options).find(|source| source.name() == name).ok_or_else(|| {
        let known = Source::named(name).is_some();
        let why = if known { "was not asked for when the JVM was started" } else { "is no source" };
        let on: Vec<&str> = sources(options).map(Source::name).collect();
        match closest(name, Source::ALL.map(Source::name)) {
            Some(meant) if !known => format!("{name} {why}: did you mean {meant}?"),
            _ => format!("{name} {why}; there is {}", on.join(", ")),
        }
    })
}

fn kill(agent: &Agent, vm: Invocation) -> Result<String, String> {
    if !agent.options.has_hooks() {
        let log = agent.run.writer.path();
        attached(vm, |jni| ending::leave(agent, jni))??;
        return Ok(format!("log {}\n", log.display()));
    }
    let (count, refused) = attached(vm, |jni| {
        cpu::pause(agent, jni);
        restore::kill(agent, jni)
    })??;
    agent.run.writer.flush()?;
    if refused.is_empty() {
        return Ok(format!("classes {count}\n"));
    }
    Err(format!("{count} classes are as they were; the JVM refuses {}", refused.join(", ")))
}

fn attached<T>(vm: Invocation, body: impl FnOnce(Jni) -> T) -> Result<T, String> {
    vm.attached(body).ok_or_else(|| "the JVM takes no thread now".into())
}

fn status(agent: &Agent) -> String {
    let state = match agent.run.switch.mode() {
        Mode::Waiting => "waiting",
        Mode::Starting => "starting",
        Mode::On => "on",
        Mode::Ended => "killed",
    };
    let mut lines = String::new();
    let stopped = sources(&agent.options).filter(|&source| agent.run.switch.is_stopped(source));
    let stopped: Vec<&str> = stopped.map(Source::name).collect();
    // Writing to a string cannot fail.
    let _ = write!(
        lines,
        "agent lucce {}\npid {}\nrun {:016x}\nstate {state}\nlog {}\nevents {}\nstopped {}\noptions {}\n",
        env!("CARGO_PKG_VERSION"),
        std::process::id(),
        agent.run.id,
        agent.run.writer.path().display(),
        agent.run.writer.events(),
        if stopped.is_empty() { "nothing".into() } else { stopped.join(" ") },
        agent.options.text,
    );
    lines
}

fn stats(agent: &Agent) -> String {
    let mut lines = String::new();
    for (name, value) in report::counters(agent) {
        let _ = writeln!(lines, "{name} {value}");
    }
    lines
}
