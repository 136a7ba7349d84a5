//! `profile`: a part of all entries, each with its exact context, counted in bounded memory.
//!
//! The gate in `LucceHooks.enter` calls the native for one entry in so many, and the thread itself counts its context.
//! Invariant: the number of a sampled entry is counted once, or as lost. Counters are a fixed number (Space Saving): the context with the least
//! gives its own to a new one and is forgotten, and while all have one, counts are exact. A context gets a number in the log when its samples are
//! written, so what is in memory, and what is in the log, is of contexts with a counter.
//! Source: Metwally, Agrawal, El Abbadi 2005; HCCT, sections 3 and 4; docs/design/profiles.md.

mod hottest;
mod ticks;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use jvmti_bindings::sys::jni::jobject;
use lucce_log::Record;
use lucce_profiles::sampled::SampledTree;
use lucce_profiles::summary::{Bounds, Summary};
use lucce_words::random::Random;
use lucce_words::{MethodId, NodeId};
use rustc_hash::FxHashMap;

use crate::encode::entered::Begun;
use crate::jvm::jni::Jni;
use crate::options::{self, Options, Source};
use crate::state::agent::{Agent, count};
use crate::support::lock::Lock;
use ticks::Ticks;

pub use hottest::Hot;

/// Contexts that are written while threads wait with their samples.
const PART: usize = 1 << 12;
/// The share of samples that makes a context hot where `hot` does not say.
const SHARE: f64 = 0.01;
/// What `LucceHooks` gives as the place of the countdown at a thread's first entry.
const FIRST: i32 = 1;

/// The samples of a run.
pub struct Profile {
    which: options::Profile,
    counters: usize,
    /// The contexts that have a counter.
    tree: Lock<SampledTree>,
    /// Entries that were counted down for samples, and samples without a context.
    entries: AtomicU64,
    lost: AtomicU64,
    /// Numbers for seeds.
    seed: AtomicU64,
    /// With `profile=<time>` and bursts.
    ticks: Ticks,
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
            ticks: Ticks::of(which),
            share: options.hot.unwrap_or(SHARE),
            ended: AtomicBool::new(false),
        })
    }

    /// Starts the thread that moves the ticks, where time says when.
    pub fn start(&'static self) {
        if !self.ticks.start(self.which, &self.ended) {
            say!("profile: no thread to tell the time; nothing is sampled");
        }
    }

    /// The address of what the hooks compare where time says when, else 0. The agent is never freed.
    pub fn ticks(&self) -> i64 {
        if self.period() > 0 { 0 } else { self.ticks.address() }
    }

    /// Are all entries between an odd tick and the next sampled, and no others?
    pub fn in_bursts(&self) -> bool {
        matches!(self.which, options::Profile::Bursts { .. })
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

    /// A method was entered, for which the hooks gave that, and it is the entry's turn: in how many the next one is.
    pub fn sample(&self, agent: &Agent, jni: Jni, thread: jobject, (method, given): (MethodId, u64), at: i32) -> i32 {
        let period = u64::from(self.period());
        // From the kill switch on, entries have no context.
        if self.ended.load(Ordering::Acquire) || agent.switch.is_ended() {
            return i32::MAX;
        }
        if agent.switch.is_stopped(Source::Profile) {
            return period as i32;
        }
        let mut random = Random::new(self.seed.fetch_add(1, Ordering::Relaxed));
        if period != 1 && at == FIRST {
            // Else the first entry of each thread would be sampled, or none.
            return 1 + random.below(period) as i32;
        }
        self.entries.fetch_add(period, Ordering::Relaxed);
        if !Begun::of(agent, thread, method, given).is_some_and(|begun| self.count(agent, jni, &begun)) {
            count(&self.lost);
        }
        let eighth = period / 8;
        (period - eighth + random.below(2 * eighth + 1)) as i32
    }

    /// Counts an entry in its context. False if that is lost.
    fn count(&self, agent: &Agent, jni: Jni, begun: &Begun) -> bool {
        let word = agent.encoder.entry_word(agent, jni, begun);
        if word.is_some_and(|word| self.tree.lock().count_known(word, begun.site)) {
            return true;
        }
        let find = |word, site| self.tree.lock().find(word, site);
        let Some(sample) = agent.encoder.entry_path(agent, jni, begun, &find) else { return false };
        if self.tree.lock().count(&sample) {
            return true;
        }
        // The part of it that was known has lost its counter meanwhile.
        let whole = agent.encoder.entry_path(agent, jni, begun, &|_, _| None);
        whole.is_some_and(|sample| self.tree.lock().count(&sample))
    }

    /// The samples of each context since the last time. The log knows their numbers; one thread at a time asks.
    pub fn sums(&self, agent: &Agent) -> FxHashMap<NodeId, u64> {
        let mut sums = FxHashMap::default();
        let unwritten = self.tree.lock().unwritten();
        for part in unwritten.parts(PART) {
            agent.core.with(&agent.catalog, &agent.writer, |core, catalog| {
                self.tree.lock().write(part, &mut sums, |parent, site| core.name(catalog, parent, site));
            });
        }
        sums
    }

    /// How the sums came about; and where contexts have lost their counters, with `each` the bounds of those that took them over.
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

    /// What has become of samples, by the names of the log's counters. `tally.profile` are those that tallies have said. The nodes are those of
    /// the contexts with a counter, with what leads to them.
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
