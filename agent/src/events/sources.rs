//! Event sources: what the JVM or the hooks report by themselves, each event with its exact
//! context.
//!
//! Invariant: every source is off unless an option asks for it, and goes one way: find the place
//! ([`place`]), then log ([`crate::events::recording::log`]). What an event could not tell is
//! counted with its source, never guessed.
//! Source: JVMTI events as named in each file; docs/design/event-sources.md.

pub mod alloc;
pub mod cpu;
pub mod exceptions;
mod figures;
pub mod locks;
mod place;
pub mod registered;
mod seen_places;

use std::sync::atomic::{AtomicU64, Ordering};

use crate::jvm::part::Jvm;
use crate::jvm::thread::JavaThread;
use crate::state::agent::Agent;
pub use figures::{SourceFigures, Sources};
use registered::Registered;
pub use seen_places::SeenPlaces;

impl Sources {
    /// The JVM need not tell any of them anything more.
    pub fn end(&self, jvm: &Jvm) {
        // A JVM that refuses sends events that are not taken.
        for event in registered::ALL.iter().flat_map(|registered| registered.body.events()) {
            let _ = jvm.jvmti.enable(*event, false);
        }
    }
}

/// An event's thread, and the source that reports it.
#[derive(Clone, Copy)]
pub struct Scene<'s> {
    /// The agent.
    pub agent: &'s Agent,
    /// The running thread.
    pub thread: JavaThread,
    /// The source.
    pub figures: &'s SourceFigures,
}

/// Counters by name for the sources that are on, always in the same order.
pub fn figures(agent: &Agent) -> Vec<(&'static str, u64)> {
    let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    let mut all = Vec::new();
    for Registered { source, names, body } in registered::on(&agent.options) {
        let figures = agent.events.sources.of(*source);
        // Queued, and then refused by the disk.
        let discarded = agent.run.writer.discarded(*source);
        all.extend([
            (names.events, load(&figures.events).saturating_sub(discarded)),
            (names.dropped, load(&figures.dropped) + discarded),
            (names.outside, load(&figures.outside)),
            (names.lost, load(&figures.lost)),
            (names.walks, load(&figures.walks)),
            (names.seen, load(&figures.seen)),
            (names.looks, load(&figures.looks)),
            (names.frames, load(&figures.frames)),
        ]);
        body.figures(agent, &mut |name, value| all.push((name, value)));
    }
    all
}
