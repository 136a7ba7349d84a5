//! The parts of a run, each of which can be asked for alone and is replaced alone in the results.

use serde::{Deserialize, Serialize};

/// A part of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Section {
    /// The twelve programs under every configuration.
    Programs,
    /// The same under every encoder that is fast enough to be used, and under what has each
    /// activation keep its word.
    Encoders,
    /// The same under profiles and under sampled allocations.
    Sampled,
    /// The same once the JIT has little left to do.
    Settled,
    /// An application of 5 000 classes.
    Startup,
    /// Threads, virtual threads, deep stacks.
    Threads,
    /// Recursion and little else.
    Recursion,
    /// Event sources, each alone, and what else gives allocations with their contexts.
    Sources,
    /// Classes rewritten, beside ASM.
    Rewriting,
    /// The cost of one event.
    Events,
}

impl Section {
    /// All, in the order of a run.
    pub const ALL: [Self; 10] = [
        Self::Programs,
        Self::Encoders,
        Self::Sampled,
        Self::Settled,
        Self::Startup,
        Self::Threads,
        Self::Recursion,
        Self::Sources,
        Self::Rewriting,
        Self::Events,
    ];

    /// What arguments call it, behind `--` or `--no-`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Programs => "programs",
            Self::Encoders => "encoders",
            Self::Sampled => "sampled",
            Self::Settled => "settled",
            Self::Startup => "startup",
            Self::Threads => "threads",
            Self::Recursion => "recursion",
            Self::Sources => "sources",
            Self::Rewriting => "rewriting",
            Self::Events => "events",
        }
    }

    /// Does it run the twelve programs, or those of them that are named?
    pub const fn is_of_programs(self) -> bool {
        matches!(self, Self::Programs | Self::Encoders | Self::Sampled | Self::Settled)
    }

    /// The section of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|section| section.name() == name)
    }
}
