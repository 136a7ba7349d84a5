//! The registry: each encoder and each event source of the agent is one line here, and is named
//! nowhere else.
//!
//! Invariant: a line holds what all rooms know of its subject. The room `options` makes names and
//! rules of it, the rooms `encode` and `events` the thing itself; a room that may not use another
//! one does not look at that column.
//! Source: CONTRIBUTING ("Add an encoder", "Add an event source"); docs/guide/encoders.md,
//! docs/guide/event-sources.md.

/// Encoders: a variant, the name in options and in the log's header, the hooks that run, what the
/// encoder is capable of, and its type.
macro_rules! encoders {
    ($use:ident) => {
        $use! {
            Lucce "lucce" Linked [contexts, public_words, all_sources, counts, profiles] crate::encode::lucce::Lucce;
            Pcc "pcc" Hashed [contexts, all_sources, counts, profiles] crate::encode::pcc::Pcc;
            Icpp "icpp" Hashed [contexts, all_sources] crate::encode::pcc::Pcc;
            Algorithm1 "algorithm1" Asking [contexts, versions] crate::encode::algorithm1::Paper;
            Cct "cct" Trees [contexts, profiles, thread_ends] crate::encode::cct::Cct;
            None "none" Idle [] crate::encode::lucce::Lucce;
            Count "count" Counting [] crate::encode::lucce::Lucce;
        }
    };
}

/// Sources: a variant, the name in commands and counters, the kinds of their events (one that ends
/// in a dot: all that begin so), when the run has them (left out: with the option of that name),
/// and the type of those that the JVM reports to.
macro_rules! sources {
    ($use:ident) => {
        $use! {
            Alloc "alloc" ["alloc"] when (|options| options.alloc.is_some() || options.alloc_all)
                by crate::events::sources::alloc::Alloc;
            Exceptions "exceptions" ["exception"] when (|options| options.exceptions.is_some())
                by crate::events::sources::exceptions::Exceptions;
            Locks "locks" ["monitor", "park", "holder"] when (|options| options.locks)
                by crate::events::sources::locks::Locks;
            Cpu "cpu" ["cpu"] when (|options| options.cpu.is_some()) by crate::events::sources::cpu::Cpu;
            Entries "entries" ["entry"] when (|options| !options.entries.is_empty());
            Profile "profile" ["profile"] when (|options| options.profile.is_some());
            Events "events" [] when (|_| true);
            Leaks "leaks" ["leak", "leak."] when (|options| options.leaks);
        }
    };
}
