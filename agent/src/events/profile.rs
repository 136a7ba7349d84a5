//! `profile`: a part of all entries, each with its exact context, counted in bounded memory.
//!
//! The gate in `LucceHooks.enter` calls the native for one entry in so many. It finds the context's node, and a thread of the agent's counts it.
//! Invariant: the number of a sampled entry is counted once, or as dropped, or as lost. Counters are a fixed number (Space Saving): the context
//! with the least gives its own to a new one, and while all have one, counts are exact. What is to be written is of contexts with a counter.
//! Source: Metwally, Agrawal, El Abbadi 2005; HCCT, section 4; docs/design/profiles.md.

mod hottest;
mod sampling;
mod ticks;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crossbeam_channel::{Receiver, Select, Sender, TrySendError, bounded};
use lucce_log::Record;
use lucce_profiles::summary::{Bounds, Lazy, SpaceSaving, Summary};
use lucce_words::NodeId;
use rustc_hash::FxHashMap;

use crate::options::{self, Options};
use crate::support::boundary::guarded;
use crate::support::counters::count;
use crate::support::lock::{Lock, Locked};
use ticks::Ticks;

pub use hottest::Hot;

/// Samples that wait to be counted, at most.
const QUEUE: usize = 1 << 16;
/// How long a thread waits at once for what it is there for, before it looks whether the run has ended.
const TURN: Duration = Duration::from_millis(100);
/// The share of samples that makes a context hot where `hot` does not say.
const SHARE: f64 = 0.01;

/// The samples of a run.
pub struct Profile {
    which: options::Profile,
    sampled: Sender<NodeId>,
    samples: Receiver<NodeId>,
    counts: Lock<Counts>,
    /// Entries that were counted down for samples, and what became of these.
    entries: AtomicU64,
    lost: AtomicU64,
    dropped: AtomicU64,
    /// Numbers for seeds.
    seed: AtomicU64,
    /// With `profile=<time>` and bursts.
    ticks: Ticks,
    /// What makes a context hot, unless who asks says otherwise.
    share: f64,
    /// Nothing is sampled any more.
    ended: AtomicBool,
}

/// What is known of the contexts of samples.
struct Counts {
    counters: usize,
    summary: SpaceSaving<NodeId, Lazy>,
    /// Samples of contexts with a counter that the log does not know yet.
    unwritten: FxHashMap<NodeId, u64>,
    /// Samples of contexts that lost their counter before these were written.
    replaced: u64,
    victims: Vec<NodeId>,
}

impl Counts {
    fn offer(&mut self, node: NodeId) {
        *self.unwritten.entry(node).or_default() += 1;
        self.summary.offer(node, 1, &mut self.victims);
        for victim in self.victims.drain(..) {
            self.replaced += self.unwritten.remove(&victim).unwrap_or_default();
        }
    }
}

impl Profile {
    /// That of the options, `None` without `profile`.
    pub fn of(options: &Options, seed: u64) -> Option<Self> {
        let (sampled, samples) = bounded(QUEUE);
        let counters = options.counters();
        let summary = SpaceSaving::new(counters);
        let counts = Counts { counters, summary, unwritten: FxHashMap::default(), replaced: 0, victims: Vec::new() };
        let which = options.profile?;
        Some(Self {
            which,
            sampled,
            samples,
            counts: Lock::new(counts),
            entries: AtomicU64::new(0),
            lost: AtomicU64::new(0),
            dropped: AtomicU64::new(0),
            seed: AtomicU64::new(seed),
            ticks: Ticks::of(which),
            share: options.hot.unwrap_or(SHARE),
            ended: AtomicBool::new(false),
        })
    }

    /// Starts the thread that counts. It reads native memory only, so the JVM need not know it.
    pub fn start(&'static self) {
        let run = move || {
            let mut select = Select::new();
            select.recv(&self.samples);
            while !self.ended.load(Ordering::Acquire) {
                // Not taken out here: who asks for the sums meanwhile must find each sample in the queue or among the counts.
                if select.ready_timeout(TURN).is_ok() {
                    guarded("profile", (), || drop(self.counted()));
                }
            }
        };
        if std::thread::Builder::new().name("lucce-profile".into()).spawn(run).is_err() {
            say!("profile: no thread to count samples; it is ignored");
            self.end();
        }
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
        self.counted().summary.total()
    }

    /// Nothing is sampled any more.
    pub fn end(&self) {
        self.ended.store(true, Ordering::Release);
    }

    /// Hands a sample over to be counted. Where all entries are counted, the thread waits for its place.
    fn queue(&self, node: NodeId) {
        let all = self.which == options::Profile::All;
        while let Err(TrySendError::Full(_)) = self.sampled.try_send(node) {
            if !all || self.ended.load(Ordering::Acquire) {
                return count(&self.dropped);
            }
            drop(self.counted());
        }
    }

    /// What is counted, all that was sampled before included.
    fn counted(&self) -> Locked<'_, Counts> {
        let mut counts = self.counts.lock();
        for node in self.samples.try_iter().take(QUEUE) {
            counts.offer(node);
        }
        counts
    }

    /// The samples of each context since the last time.
    pub fn sums(&self) -> Vec<(NodeId, u64)> {
        self.counted().unwritten.drain().collect()
    }

    /// How the sums came about; and where contexts have lost their counters, with `each` the bounds of those that took them over.
    pub fn records(&self, each: bool) -> Vec<Record> {
        let load = |figure: &AtomicU64| figure.load(Ordering::Relaxed);
        let (entries, dropped, lost) = (load(&self.entries), load(&self.dropped), load(&self.lost));
        let Counts { summary, replaced, counters, .. } = &*self.counted();
        let profile = Record::Profile {
            period: self.weight().into(),
            counters: *counters as u64,
            entries,
            samples: summary.total(),
            dropped,
            lost,
            replaced: *replaced,
            unseen: summary.unseen(),
        };
        let kept = if each && !summary.is_exact() { summary.kept() } else { Vec::new() };
        let taken_over = kept.into_iter().filter(|(_, bounds)| bounds.low < bounds.high);
        let contexts = taken_over.map(|(node, Bounds { low, high })| Record::ProfileContext {
            node,
            count: high,
            error: high - low,
        });
        std::iter::once(profile).chain(contexts).collect()
    }

    /// What has become of samples, by the names of the log's counters. `tally.profile` are those that tallies have said.
    pub fn figures(&self) -> [(&'static str, u64); 5] {
        let load = |figure: &AtomicU64| figure.load(Ordering::Relaxed);
        let counts = self.counts.lock();
        let waiting: u64 = counts.unwritten.values().sum();
        [
            ("tally.profile", counts.summary.total() - counts.replaced - waiting),
            ("tally.profile.lost", load(&self.lost)),
            ("profile.entries", load(&self.entries)),
            ("profile.dropped", load(&self.dropped)),
            ("profile.replaced", counts.replaced),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_sampled_there_are_so_many_contexts_and_each_sample_is_told_once() {
        let options = Options::parse("profile=all,hot=0.5").expect("options");
        let profile = Profile::of(&options, 1).expect("a profile");
        let mut told = 0;
        for sample in 0..100_000_u32 {
            // Half of the samples are of one context, the others of ever new ones.
            profile.queue(NodeId(if sample % 2 == 0 { 1 } else { sample + 1 }));
            if sample % 10_000 == 0 {
                told += profile.sums().iter().map(|(_, count)| count).sum::<u64>();
            }
            if sample % 1_000 == 0 {
                let counts = profile.counted();
                assert!(counts.unwritten.len() <= 10 && counts.summary.kept().len() <= 10);
            }
        }
        told += profile.sums().iter().map(|(_, count)| count).sum::<u64>();
        let counts = profile.counted();
        assert_eq!((told + counts.replaced, counts.summary.total()), (100_000, 100_000));
        let bounds = counts.summary.bounds(&NodeId(1)).expect("it is hot");
        assert!(bounds.low <= 50_000 && bounds.high >= 50_000, "{bounds:?}");
        drop(counts);
        let most = |record: &Record| matches!(record, Record::ProfileContext { .. });
        assert_eq!(profile.records(true).into_iter().filter(most).count(), 9);
        assert!(matches!(
            profile.records(false)[..],
            [Record::Profile { counters: 10, samples: 100_000, dropped: 0, .. }]
        ));
    }

    #[test]
    fn a_queue_that_is_full_drops_and_counts_unless_all_are_wanted() {
        let dropped = |options: &str| {
            let profile = Profile::of(&Options::parse(options).expect("options"), 1).expect("a profile");
            (0..QUEUE as u32 + 5).for_each(|node| profile.queue(NodeId(node)));
            profile.dropped.load(Ordering::Relaxed)
        };
        assert_eq!((dropped("profile=2"), dropped("profile=all")), (5, 0));
    }
}
