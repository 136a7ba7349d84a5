//! Event sources: what the JVM or the hooks report by themselves, each event with its exact context.
//!
//! Invariant: every source is off unless an option asks for it, and goes one way: find the place ([`place`]), then log
//! ([`crate::events::recording::log`]). What an event could not tell is counted with its source, never guessed.
//! Source: JVMTI events as named in each file; docs/design/event-sources.md.

pub mod alloc;
pub mod cpu;
pub mod exceptions;
pub mod locks;
mod place;

use std::sync::atomic::{AtomicU64, Ordering};

use jvmti_bindings::sys::jni::jobject;

use crate::jvm::jni::Jni;
use crate::options::Source;
use crate::state::agent::Agent;

/// The sources' counters, and what they remember between two reports.
#[derive(Default)]
pub struct Sources {
    /// Sampled allocations.
    pub alloc: Figures,
    /// Thrown exceptions.
    pub exceptions: Figures,
    /// Contended monitors, and parks.
    pub locks: Figures,
    /// CPU time by ticks.
    pub cpu: Figures,
    /// Threads that wait.
    pub waiting: locks::Waiting,
    /// Looks at holders of locks.
    pub looks: locks::looks::Looks,
}

/// What became of a source's events.
#[derive(Default)]
pub struct Figures {
    /// Logged.
    pub events: AtomicU64,
    /// Not logged, for the writer could not keep up.
    pub dropped: AtomicU64,
    /// Not logged, for no frame with hooks was on the stack.
    pub outside: AtomicU64,
    /// Their context could not be kept.
    pub lost: AtomicU64,
    /// Those for which the whole stack was walked.
    pub walks: AtomicU64,
    /// Looks at topmost frames.
    pub looks: AtomicU64,
    /// Frames that those looks have shown.
    pub frames: AtomicU64,
}

/// An event's thread, and the source that reports it.
#[derive(Clone, Copy)]
pub struct Scene<'s> {
    /// The agent.
    pub agent: &'s Agent,
    /// The running thread's environment.
    pub jni: Jni,
    /// The running thread.
    pub thread: jobject,
    /// The source.
    pub figures: &'s Figures,
}

/// Counters by name for the sources that are on, always in the same order.
pub fn figures(agent: &Agent) -> Vec<(&'static str, u64)> {
    macro_rules! named {
        ($source:ident, $which:ident) => {
            Source::$which.is_on(&agent.options).then(|| {
                let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
                let figures = &agent.sources.$source;
                // Queued, and then refused by the disk.
                let discarded = agent.writer.discarded(Source::$which);
                [
                    (concat!(stringify!($source), ".events"), load(&figures.events).saturating_sub(discarded)),
                    (concat!(stringify!($source), ".dropped"), load(&figures.dropped) + discarded),
                    (concat!(stringify!($source), ".outside"), load(&figures.outside)),
                    (concat!(stringify!($source), ".lost"), load(&figures.lost)),
                    (concat!(stringify!($source), ".walks"), load(&figures.walks)),
                    (concat!(stringify!($source), ".looks"), load(&figures.looks)),
                    (concat!(stringify!($source), ".frames"), load(&figures.frames)),
                ]
            })
        };
    }
    let all = [named!(alloc, Alloc), named!(exceptions, Exceptions), named!(locks, Locks), named!(cpu, Cpu)];
    let mut all: Vec<_> = all.into_iter().flatten().flatten().collect();
    if Source::Locks.is_on(&agent.options) {
        agent.sources.looks.figures(|name, value| all.push((name, value)));
    }
    cpu::figures(|name, value| all.push((name, value)));
    all
}
