//! What the agent keeps for events: where they come from, what is summed by context, and who is
//! given them.
//!
//! Invariant: tables that the hooks read are reserved with it, before any hook can ask for them.
//! Source: docs/design/event-sources.md.

use crate::events::context_dump::ContextDump;
use crate::events::origins::Origins;
use crate::events::profile::Profile;
use crate::events::recording::Consumers;
use crate::events::sources::{SeenPlaces, Sources};
use crate::events::tallies::Tallies;
use crate::options::Options;
use crate::state::threads::Threads;
use crate::support::kinds::Kinds;

/// All about events.
pub struct Events {
    /// Event sources.
    pub sources: Sources,
    /// Places of stacks, where no class is rewritten.
    pub seen_places: SeenPlaces,
    /// Kinds of events that the program names by number.
    pub kinds: Kinds,
    /// Threads that had events.
    pub threads: Threads,
    /// Where threads and tasks came from.
    pub origins: Origins,
    /// Other agents that want events.
    pub consumers: Consumers,
    /// Contexts as events, with `contexts`.
    pub context_dump: ContextDump,
    /// Counts by context, with `alloc=all` or `entries`.
    pub tallies: Option<Tallies>,
    /// Sampled entries, with `profile`.
    pub profile: Option<Profile>,
}

impl Events {
    /// What a run with these options needs; `None` if there is no address space for it. `seed` is
    /// that of what the profile leaves to chance.
    pub fn reserve(options: &Options, seed: u64) -> Option<Self> {
        Some(Self {
            sources: Sources::default(),
            seen_places: SeenPlaces::default(),
            kinds: Kinds::default(),
            threads: Threads::default(),
            origins: Origins::reserve(options.follows_tasks && options.has_tallies())?,
            consumers: Consumers::default(),
            context_dump: ContextDump::default(),
            tallies: if options.has_tallies() { Some(Tallies::reserve()?) } else { None },
            profile: Profile::of(options, seed),
        })
    }
}
