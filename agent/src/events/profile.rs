//! `profile`: a part of all entries, each with its exact context, counted in bounded memory.
//!
//! The gate in `LucceHooks.enter` calls the native for one entry in so many, and the thread itself
//! counts its context.
//! Invariant: the number of a sampled entry is counted once, or as lost. Counters are a fixed
//! number (Space Saving): the context with the least gives its own to a new one and is forgotten,
//! and while all have one, counts are exact. A context gets a number in the log when its samples
//! are written, so what is in memory, and what is in the log, is of contexts with a counter.
//! Source: Metwally, Agrawal, El Abbadi 2005; HCCT, sections 3 and 4; docs/design/profiles.md.

mod hottest;
mod sampling;
mod ticking;
mod ticks;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use lucce_log::Record;
use lucce_profiles::sampled::SampledTree;
use lucce_profiles::summary::{Bounds, StreamSummary};

use crate::jvm::global::GlobalClass;
use crate::jvm::thread::JavaThread;
use crate::options::{self, Options};
use crate::support::lock::Lock;
use ticks::ProfileTicks;

pub use hottest::Hot;

/// The share of samples that makes a context hot where `hot` does not say.
const SHARE: f64 = 0.01;

/// The samples of a run.
pub struct Profile {
    which: options::ProfileOption,
    counters: usize,
    /// The contexts that have a counter.
    tree: Lock<SampledTree>,
    /// Entries that were counted down for samples, and samples without a context.
    entries: AtomicU64,
    lost: AtomicU64,
    /// Numbers for seeds.
    seed: AtomicU64,
    /// With `profile=<time>` and bursts: who waits for the next tick, and the class whose field it
    /// is.
    ticks: ProfileTicks,
    class: OnceLock<GlobalClass>,
    /// What makes a context hot, unless who asks says otherwise.
    share: f64,
    /// Nothing is sampled any more.
    ended: AtomicBool,
}

impl Profile {
    /// That of the options, `None` without `profile`.
    pub fn of(options: &Options, seed: u64) -> Option<Self> {
        let (which, counters) = (options.profile?, options.counters());
        Some(Self {
            which,
            counters,
            tree: Lock::new(SampledTree::new(counters)),
            entries: AtomicU64::new(0),
            lost: AtomicU64::new(0),
            seed: AtomicU64::new(seed),
            ticks: ProfileTicks::default(),
            class: OnceLock::new(),
            share: options.hot.unwrap_or(SHARE),
            ended: AtomicBool::new(false),
        })
    }

    /// Does time say when?
    pub fn has_ticks(&self) -> bool {
        self.period() == 0
    }

    /// Are all entries between an odd tick and the next sampled, and no others?
    pub fn in_bursts(&self) -> bool {
        matches!(self.which, options::ProfileOption::Bursts { .. })
    }

    /// For how many entries a sample stands, on average; 0 where that is unknown.
    pub fn weight(&self) -> u32 {
        self.which.weight()
    }

    /// Entries of a thread from one sample to the next, on average; 0 where time says when.
    pub fn period(&self) -> u32 {
        self.which.period()
    }

    /// How many samples were counted.
    pub fn samples(&self) -> u64 {
        self.tree.lock().summary().total()
    }

    /// Nothing is sampled any more.
    pub fn end(&self) {
        self.ended.store(true, Ordering::Release);
    }

    /// The running thread has had its sample, and looks again at the next tick. False without
    /// memory.
    pub fn until_tick(&self, thread: JavaThread) -> bool {
        self.has_ended() || self.ticks.wait(thread)
    }

    fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// How the sums came about; and where contexts have lost their counters, with `each` the bounds
    /// of those that took them over.
    pub fn records(&self, each: bool) -> Vec<Record> {
        let load = |figure: &AtomicU64| figure.load(Ordering::Relaxed);
        let (entries, lost) = (load(&self.entries), load(&self.lost));
        let tree = self.tree.lock();
        let profile = Record::Profile {
            period: self.weight().into(),
            counters: self.counters as u64,
            entries,
            samples: tree.summary().total(),
            // Each thread counts its own.
            dropped: 0,
            lost: lost + tree.nameless(),
            replaced: tree.replaced(),
            unseen: tree.summary().unseen(),
        };
        let taken_over = if each { tree.taken_over() } else { Vec::new() };
        let contexts = taken_over.into_iter().map(|(node, Bounds { low, high })| Record::ProfileContext {
            node,
            count: high,
            error: high - low,
        });
        std::iter::once(profile).chain(contexts).collect()
    }

    /// What has become of samples, by the names of the log's counters. `tally.profile` are those
    /// that tallies have said. The nodes are those of the contexts with a counter, with what leads
    /// to them.
    pub fn figures(&self) -> [(&'static str, u64); 6] {
        let load = |figure: &AtomicU64| figure.load(Ordering::Relaxed);
        let tree = self.tree.lock();
        [
            ("tally.profile", tree.written()),
            ("tally.profile.lost", load(&self.lost) + tree.nameless()),
            ("profile.entries", load(&self.entries)),
            ("profile.replaced", tree.replaced()),
            ("profile.nodes", tree.len() as u64),
            ("profile.nodes.most", tree.most() as u64),
        ]
    }
}
