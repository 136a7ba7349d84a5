//! The graph behind its one lock: the encoder, the tree of captured contexts, and the journal that
//! writes what they change ahead of its use.
//!
//! Invariants: records are queued under this lock before the link, word or node they explain
//! becomes visible (write-ahead rule); no JNI or JVMTI call is made under it; readers get the
//! newest graph, and need the lock only if they are the first since it has changed.
//! Source: docs/design/words-and-numbering.md ("Numbering"), docs/design/log-files.md
//! ("Write-ahead"), docs/design/thread-state.md ("Captures").

mod contexts;
mod journal;
mod known;
mod skipped;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use lucce_encoding::{EncodedStep, Encoder, Link, LinkKind, NumberingSize, Passage, Snapshot};
use lucce_log::{Cause, Record};
use lucce_words::{EdgeId, Lost, MethodId, SiteId, Word};
use rustc_hash::{FxHashMap, FxHashSet};

use contexts::Contexts;
use journal::Journal;

use crate::hook_tables::links::{Links, NewLink, RecordKind};
use crate::state::catalog::Catalog;
use crate::support::dead::Dead;
use crate::support::kinds::KindNames;
use crate::support::lock::{Lock, Locked};
use crate::writer::Writer;
pub use skipped::SkippedFrames;

/// The graph of calls: what changes it holds the lock, and what reads it has a snapshot.
pub struct Graph {
    state: Lock<LockedGraph>,
    snapshot: ArcSwap<Snapshot>,
    /// Where the journal's records are queued.
    writer: Arc<Writer>,
    /// Has the graph changed since the snapshot was made? Set and cleared under the lock. Where
    /// many links are made and nobody reads, no snapshot makes the encoder copy what it shares.
    stale: AtomicBool,
    /// How often captured contexts that nobody met were forgotten.
    turn: AtomicU32,
}

/// What the lock protects.
pub struct LockedGraph {
    encoder: Encoder,
    /// What the log is told about methods and sites that it does not know yet.
    catalog: Arc<Catalog>,
    /// Whether a (site, callee) may be a plain link; decided at first sight.
    passages: FxHashMap<(SiteId, MethodId), Passage>,
    /// Sites with a plain virtual link to a method whose normal exit does not store UNKNOWN.
    exposed: FxHashMap<MethodId, Vec<SiteId>>,
    contexts: Contexts,
    kinds: KindNames,
    journal: Journal,
    /// Edges that the oracle has seen at least once.
    checked: FxHashSet<EdgeId>,
    /// How many of those it has seen were unloaded.
    checked_and_gone: usize,
    stalls: Stalls,
    /// The run's own, from which the log counts.
    start: Instant,
}

/// The time that making new versions took, under the lock.
#[derive(Clone, Copy, Default)]
pub struct Stalls {
    /// All of them together.
    pub total: Duration,
    /// The longest.
    pub longest: Duration,
}

impl Graph {
    /// An empty graph of a run that began at `start`.
    pub fn new(start: Instant, catalog: Arc<Catalog>, writer: Arc<Writer>) -> Self {
        let state = LockedGraph::new(start, catalog);
        let snapshot = ArcSwap::from_pointee(state.encoder.snapshot());
        Self { state: Lock::new(state), snapshot, writer, stale: AtomicBool::new(false), turn: AtomicU32::new(0) }
    }

    /// The run is over, and nothing is asked for any more.
    pub fn clear(&self) {
        let mut state = self.lock();
        *state = LockedGraph::new(state.start, Arc::clone(&state.catalog));
        self.turn.store(0, Ordering::Release);
        self.snapshot.store(Arc::new(state.encoder.snapshot()));
    }

    /// The newest graph: without the lock, but for the first reader since it has changed. Not to be
    /// called under the lock.
    pub fn snapshot(&self) -> arc_swap::Guard<Arc<Snapshot>> {
        if self.stale.load(Ordering::Acquire) {
            let state = self.lock();
            if self.stale.load(Ordering::Relaxed) {
                self.snapshot.store(Arc::new(state.encoder.snapshot()));
                self.stale.store(false, Ordering::Release);
            }
        }
        self.snapshot.load()
    }

    /// Runs `body` under the lock; afterwards what it changed is queued, and the snapshot is out of
    /// date. Then waits for the queue, if something was queued.
    pub fn locked<T>(&self, body: impl FnOnce(&mut LockedGraph) -> T) -> T {
        self.link(body, |_, result| result)
    }

    /// Like [`Self::locked`], for changes of the graph whose links become visible inside: `publish`
    /// runs after the records are queued.
    pub fn link<T, U>(
        &self,
        encode: impl FnOnce(&mut LockedGraph) -> T,
        publish: impl FnOnce(&mut LockedGraph, T) -> U,
    ) -> U {
        let (result, queued) = {
            let mut state = self.lock();
            let encoded = encode(&mut state);
            let LockedGraph { encoder, journal, catalog, .. } = &mut *state;
            let changed = journal.take_changes(encoder, catalog);
            let records = std::mem::take(&mut journal.records);
            let queued = !records.is_empty();
            self.writer.queue(records);
            if changed {
                self.stale.store(true, Ordering::Release);
            }
            (publish(&mut state, encoded), queued)
        };
        if queued {
            self.writer.pace();
        }
        result
    }

    /// In which turn walks meet captured contexts. What was met in this one or in the one before is
    /// not forgotten.
    pub fn turn(&self) -> u32 {
        self.turn.load(Ordering::Acquire)
    }

    /// Forgets captured contexts that were not met while so many new ones were, unless the program
    /// was given them.
    pub fn forget_unmet(&self, new: u32) {
        let mut state = self.lock();
        // Under the lock, so that the turns are published in their order.
        self.turn.store(state.contexts.turn(new), Ordering::Release);
    }

    fn lock(&self) -> Locked<'_, LockedGraph> {
        self.state.lock()
    }
}

impl LockedGraph {
    fn new(start: Instant, catalog: Arc<Catalog>) -> Self {
        Self {
            encoder: Encoder::new(),
            catalog,
            passages: FxHashMap::default(),
            exposed: FxHashMap::default(),
            contexts: Contexts::default(),
            kinds: KindNames::default(),
            journal: Journal::default(),
            checked: FxHashSet::default(),
            checked_and_gone: 0,
            stalls: Stalls::default(),
            start,
        }
    }

    /// Encodes the entry of `callee` from `ctx` at `site`.
    ///
    /// # Errors
    /// The reason why the context is lost.
    pub fn enter(&mut self, ctx: Word, site: SiteId, callee: MethodId, passage: Passage) -> Result<Link, Lost> {
        self.describe_call(site, callee)?;
        self.encoder.enter(ctx, site, callee, passage)
    }

    /// Encodes a walked path of plain steps; `whole`: without cut steps.
    ///
    /// # Errors
    /// The reason why the context is lost.
    pub fn path(&mut self, start: Word, steps: &[(SiteId, MethodId)], whole: bool) -> Result<Vec<EncodedStep>, Lost> {
        for &(site, callee) in steps {
            self.describe_call(site, callee)?;
        }
        if whole { self.encoder.encode_whole_path(start, steps) } else { self.encoder.encode_path(start, steps) }
    }

    /// The word of a thread's base in the current version.
    pub fn root(&self) -> Word {
        self.encoder.root_word()
    }

    /// Publishes a link to the hooks, where there is room for it: with the lock, so that no new
    /// version begins meanwhile.
    pub fn publish(&self, links: &Links, link: &Link, site: SiteId, callee: MethodId, kind: RecordKind) {
        let av = if link.kind == LinkKind::Cut { link.word.0 } else { link.av };
        let Link { lo, len, .. } = *link;
        let value = link.value.filter(|_| kind == RecordKind::Plain);
        links.publish(&NewLink { site, callee, lo, len, av, kind, value });
    }

    /// Starts a new version when the encoder asks for it; the hooks then start with empty tables.
    pub fn renumber_if_due(&mut self, links: &Links) {
        if self.encoder.wants_renumbering() {
            self.renumber(links, Cause::Links);
        }
    }

    /// So many entries found their links late. Starts a new version when that has cost more than a
    /// version does.
    pub fn strained(&mut self, links: &Links, entries: u64) {
        if self.encoder.strained(entries) {
            self.renumber(links, Cause::LateFinds);
        }
    }

    fn renumber(&mut self, links: &Links, cause: Cause) {
        let began = Instant::now();
        let size = self.encoder.renumber();
        links.clear();
        let stall = began.elapsed();
        let time_ns = began.duration_since(self.start).as_nanos() as u64;
        self.journal.numberings.extend(size.map(|NumberingSize { version, methods, edges, largest, cut }| {
            Record::Numbering { version, time_ns, cause, nanos: stall.as_nanos() as u64, methods, edges, largest, cut }
        }));
        self.stalls = Stalls { total: self.stalls.total + stall, longest: self.stalls.longest.max(stall) };
    }

    /// How long new versions have held the lock.
    pub fn stalls(&self) -> Stalls {
        self.stalls
    }

    /// How (site, callee) may be entered, if that was decided ([`Self::decide`]).
    pub fn passage(&self, site: SiteId, callee: MethodId) -> Option<Passage> {
        self.passages.get(&(site, callee)).copied()
    }

    /// Remembers a decision. `exposed`: it is plain only as long as the callee's signature does not
    /// become interposable.
    pub fn decide(&mut self, site: SiteId, callee: MethodId, passage: Passage, exposed: bool) {
        self.passages.insert((site, callee), passage);
        if exposed {
            self.exposed.entry(callee).or_default().push(site);
        }
    }

    /// The signature of `callee` has become interposable: its plain virtual links become restoring
    /// ones. Their sites.
    pub fn demote(&mut self, links: &Links, callee: MethodId) -> Vec<SiteId> {
        let sites = self.exposed.remove(&callee).unwrap_or_default();
        for &site in &sites {
            self.passages.insert((site, callee), Passage::Restoring);
            links.kill(site, callee);
        }
        sites
    }

    /// Has the call been seen?
    pub fn has_edge(&self, call: (SiteId, MethodId)) -> bool {
        self.encoder.has_edge(call.0, call.1)
    }

    /// What was seen between the ends of calls, for those whose edges are made in this step.
    pub fn note(&mut self, skipped: Vec<SkippedFrames>) {
        self.journal.skipped.extend(skipped.into_iter().filter(|one| !one.frames.is_empty()));
    }

    /// Queues a record as it is.
    pub fn record(&mut self, record: Record) {
        self.journal.records.push(record);
    }

    /// The oracle has seen `edge` right.
    pub fn checked(&mut self, edge: EdgeId) {
        self.checked.insert(edge);
    }

    /// Edges the oracle has seen, and the encoder's own figures.
    pub fn figures(&self) -> (usize, lucce_encoding::EncoderStats) {
        (self.checked.len() + self.checked_and_gone, self.encoder.stats())
    }

    /// Forgets unloaded classes in the graph, in what the log knows and in what the hooks read.
    /// Which of the sites captured contexts name that the program was given.
    pub fn unload(&mut self, links: &Links, dead: &Dead) -> FxHashSet<SiteId> {
        for class in &dead.classes {
            self.journal.classes.remove(class);
        }
        let known: Vec<_> = dead.methods.iter().copied().filter(|method| self.journal.methods.remove(method)).collect();
        let sites: Vec<_> = dead.sites.iter().copied().filter(|site| self.journal.sites.remove(site)).collect();
        for edge in self.encoder.unload(&known, &sites) {
            self.checked_and_gone += usize::from(self.checked.remove(&edge));
        }
        self.passages.retain(|(site, callee), _| !dead.has(*site, *callee));
        self.exposed.retain(|callee, sites| {
            sites.retain(|site| !dead.has(*site, *callee));
            !sites.is_empty()
        });
        links.forget(|site, callee, lo, len| dead.has(site, callee) || self.encoder.is_retired(site, lo, len));
        self.contexts.forget(&dead.sites)
    }
}
