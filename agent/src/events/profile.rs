//! `profile`: a part of all entries, each with its exact context, counted in bounded memory.
//!
//! The gate in `LucceHooks.enter` calls the native for one entry in so many. It finds the context's node, and a thread of the agent's counts it.
//! Invariant: the number of a sampled entry is counted once, or as dropped, or as lost. Counters are a fixed number (Space Saving): the context
//! with the least gives its own to a new one, and while all have one, counts are exact. What is to be written is of contexts with a counter.
//! Source: Metwally, Agrawal, El Abbadi 2005; HCCT, section 4; ARCHITECTURE, "Profiles".

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crossbeam_channel::{Receiver, Select, Sender, TrySendError, bounded};
use jvmti_bindings::sys::jni::jobject;
use lucce_log::Record;
use lucce_profiles::summary::{Bounds, Lazy, SpaceSaving, Summary};
use lucce_words::random::Random;
use lucce_words::{Bci, MethodId, NodeId, Word};
use rustc_hash::FxHashMap;

use crate::encode::capture::{self, Context};
use crate::jvm::jni::Jni;
use crate::options::{self, Options, Source};
use crate::state::agent::{Agent, count};
use crate::support::boundary::guarded;
use crate::support::lock::{Lock, Locked};

/// Samples that wait to be counted, at most.
const QUEUE: usize = 1 << 16;
/// How long a thread waits at once for what it is there for, before it looks whether the run has ended.
const TURN: Duration = Duration::from_millis(100);
/// What `LucceHooks` gives as the place of the countdown at a thread's first entry.
const FIRST: i32 = 1;

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
        Some(Self {
            which: options.profile?,
            sampled,
            samples,
            counts: Lock::new(counts),
            entries: AtomicU64::new(0),
            lost: AtomicU64::new(0),
            dropped: AtomicU64::new(0),
            seed: AtomicU64::new(seed),
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
    }

    /// Entries of a thread from one sample to the next, on average.
    pub fn period(&self) -> u32 {
        self.which.period()
    }

    /// Nothing is sampled any more.
    pub fn end(&self) {
        self.ended.store(true, Ordering::Release);
    }

    /// A method was entered with that word, and it is the entry's turn: in how many the next one is.
    pub fn sample(&self, agent: &Agent, jni: Jni, thread: jobject, (method, word): (MethodId, Word), at: i32) -> i32 {
        let period = u64::from(self.period());
        if self.ended.load(Ordering::Acquire) {
            return i32::MAX;
        }
        if agent.switch.is_stopped(Source::Profile) {
            return period as i32;
        }
        let mut random = Random::new(self.seed.fetch_add(1, Ordering::Relaxed));
        if period > 1 && at == FIRST {
            // Else the first entry of each thread would be sampled, or none.
            return 1 + random.below(period) as i32;
        }
        self.entries.fetch_add(period, Ordering::Relaxed);
        match node(agent, jni, thread, method, word) {
            Some(node) => self.queue(node),
            None => count(&self.lost),
        }
        let eighth = period / 8;
        (period - eighth + random.below(2 * eighth + 1)) as i32
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
            period: self.period().into(),
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

/// The node of the context that the method was entered in; `None` if it is lost.
fn node(agent: &Agent, jni: Jni, thread: jobject, method: MethodId, word: Word) -> Option<NodeId> {
    if word.version().0 == 0 {
        return None;
    }
    let entry = agent.catalog.method(method)?;
    let site = agent.catalog.site_at(method, &entry, Bci(0))?;
    let chain = agent.fields.get()?.chain_of(jni, thread, word)?;
    let context = Context::chained(word, site, chain, true);
    capture::node(agent, jni, thread, &context).map(|(node, _)| node)
}
