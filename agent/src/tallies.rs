//! Tallies: exact counts of allocations (`alloc=all`) and invocations (`entries`) by context, written to the log as sums.
//!
//! Invariant: every use of a hook is in exactly one record, and every record in exactly one sum; a sum that was written is not written
//! again. What finds no memory is counted as lost. Nothing of this is there unless an option asks for it.
//! Source: ARCHITECTURE, "Tallies".

mod arrays;
mod check;
mod classes;
mod natives;
mod sizes;
mod table;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Thread;
use std::time::{Duration, Instant};

use jvmti_bindings::sys::jni::{jclass, jobject};
use lucce_log::Record as LogRecord;
use lucce_words::{NodeId, SiteId, Word};
use rustc_hash::FxHashMap;

use crate::agent::Agent;
use crate::capture::{self, Captured, Context};
use crate::catalog::Name;
use crate::jvm::jni::Jni;
use crate::lock::Lock;
use crate::sources::Source;
use classes::Classes;
use sizes::{Size, Sizes};
use table::{Key, NewRecord, Record, Table};

pub use natives::register;

/// The longest that a sum waits while the program counts on.
const INTERVAL: Duration = Duration::from_secs(5);
/// Writing takes at most one part in so many of the time.
const SHARE: u32 = 50;
/// Records that are queued at once.
const BATCH: usize = 4096;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Objects and arrays; their sum is bytes.
    Alloc,
    /// Invocations; their sum is their number.
    Entry,
}

impl Kind {
    const ALL: [Self; 2] = [Self::Alloc, Self::Entry];

    /// What the log calls it.
    const fn name(self) -> &'static str {
        match self {
            Self::Alloc => "alloc",
            Self::Entry => "entry",
        }
    }
}

/// All records, and what the log knows of them.
pub struct Tallies {
    table: Table,
    classes: Classes,
    sizes: Sizes,
    kept: Lock<Vec<Kept>>,
    /// Held while sums are queued, so that the last ones are last: `kept` is not, for threads of the program wait for that.
    queueing: Lock<Queueing>,
    /// Set under the lock of `kept` when the last sums are written.
    ended: AtomicBool,
    writer: OnceLock<Thread>,
}

/// The right to queue sums.
#[derive(Default)]
struct Queueing;

/// A record, and how much of it is in the log.
struct Kept {
    record: &'static Record,
    what: What,
    /// What was looked at.
    seen: Sum,
    /// How much of that is not in the log, for its source was stopped.
    left_out: Sum,
}

/// Counts with one of these are one sum.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct What {
    kind: Kind,
    /// 0 for a context that was lost: then the word says why.
    node: NodeId,
    site: SiteId,
    word: Word,
    /// Number of the class; 0 for that of the site.
    class: u32,
}

/// A number and its bytes.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Sum {
    count: u64,
    value: u64,
}

/// What a run has counted, as far as it was written.
#[derive(Clone, Copy, Default)]
pub struct Figures {
    /// Objects and arrays.
    pub allocations: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Objects and arrays in no record.
    pub lost_allocations: u64,
    /// Invocations.
    pub entries: u64,
    /// Invocations in no record.
    pub lost_entries: u64,
    /// Records.
    pub records: u64,
}

impl Tallies {
    /// None yet. `None` if the address space does not allow the table.
    pub fn reserve() -> Option<Self> {
        Some(Self {
            table: Table::reserve()?,
            classes: Classes::default(),
            sizes: Sizes::default(),
            kept: Lock::default(),
            queueing: Lock::default(),
            ended: AtomicBool::new(false),
            writer: OnceLock::new(),
        })
    }

    /// Starts the thread that writes the sums. It reads native memory only, so the JVM need not know it.
    pub fn start(&'static self, agent: &'static Agent) {
        let run = move || {
            let mut wait = INTERVAL;
            while !self.ended.load(Ordering::Acquire) {
                std::thread::park_timeout(wait);
                let began = Instant::now();
                self.write(agent);
                wait = INTERVAL.max(began.elapsed() * SHARE);
            }
        };
        // Without it the sums are written at the end.
        if let Ok(thread) = std::thread::Builder::new().name("lucce-tallies".into()).spawn(run) {
            let _ = self.writer.set(thread.thread().clone());
        }
    }

    /// Writes what has been counted since the last time; passes over it where its source is stopped.
    pub fn write(&self, agent: &Agent) {
        self.write_sums(agent, false);
    }

    /// Writes the last sums: later counts have no reader.
    pub fn finish(&self, agent: &Agent) {
        self.write_sums(agent, true);
        if let Some(writer) = self.writer.get() {
            writer.unpark();
        }
    }

    fn write_sums(&self, agent: &Agent, last: bool) {
        let kinds =
            Kind::ALL.map(|kind| agent.core.with(&agent.catalog, &agent.writer, |core, _| core.kind(kind.name())));
        let _queueing = self.queueing.lock();
        let stopped = [Source::Alloc, Source::Entries].map(|source| agent.switch.is_stopped(source));
        let sums = self.sums(last, stopped);
        let mut records: Vec<LogRecord> =
            sums.into_iter().map(|(what, sum)| self.tally(agent, kinds[what.kind as usize], what, sum)).collect();
        while !records.is_empty() {
            let rest = records.split_off(BATCH.min(records.len()));
            agent.writer.queue(std::mem::replace(&mut records, rest));
            agent.writer.pace();
        }
    }

    /// What has been counted since the last time; nothing after the `last` time.
    fn sums(&self, last: bool, stopped: [bool; 2]) -> FxHashMap<What, Sum> {
        let mut kept = self.kept.lock();
        let mut sums: FxHashMap<What, Sum> = FxHashMap::default();
        if self.ended.swap(last || self.ended.load(Ordering::Relaxed), Ordering::AcqRel) {
            return sums;
        }
        for kept in kept.iter_mut() {
            let now = kept.now();
            if now != kept.seen {
                let is_stopped = stopped[kept.what.kind as usize];
                let sum = if is_stopped { &mut kept.left_out } else { sums.entry(kept.what).or_default() };
                sum.count += now.count - kept.seen.count;
                sum.value += now.value - kept.seen.value;
                kept.seen = now;
            }
        }
        sums
    }

    fn tally(&self, agent: &Agent, kind: u32, what: What, sum: Sum) -> LogRecord {
        let class = match what {
            What { kind: Kind::Entry, .. } => None,
            What { class: 0, site, .. } => agent.catalog.site(site).map(|site| site.owner),
            What { class, .. } => self.classes.name(class),
        };
        let What { node, site, word, .. } = what;
        LogRecord::Tally { kind, node, site, word, class, count: sum.count, value: sum.value }
    }

    /// What the log has been told.
    pub fn figures(&self) -> Figures {
        let mut figures = Figures::default();
        for kept in self.kept.lock().iter() {
            let count = kept.seen.count - kept.left_out.count;
            let value = kept.seen.value - kept.left_out.value;
            figures.records += 1;
            match kept.what.kind {
                Kind::Alloc => {
                    figures.allocations += count;
                    figures.bytes += value;
                }
                Kind::Entry => figures.entries += count,
            }
        }
        figures.lost_allocations = Table::lost(Kind::Alloc).count();
        figures.lost_entries = Table::lost(Kind::Entry).count();
        figures
    }

    /// The record of what the thread has published, found or made: its address.
    fn record(&self, agent: &Agent, jni: Jni, thread: jobject, use_of: &Use) -> u64 {
        self.made(agent, jni, thread, use_of).unwrap_or_else(|| Table::lost(use_of.kind).address())
    }

    fn made(&self, agent: &Agent, jni: Jni, thread: jobject, use_of: &Use) -> Option<u64> {
        let Use { kind, class, number } = *use_of;
        let context = published(agent, jni, thread)?;
        let (word, site) = (context.word, context.site);
        let size = match kind {
            Kind::Entry => Some(Size::NONE),
            Kind::Alloc => self.sizes.of(agent, jni, site, class, number)?,
        };
        let mut all = if word.version().0 == 0 { Vec::new() } else { capture::captured(agent, jni, thread, &context)? };
        let last = all.pop();
        // The hooks look for the nodes of cut entries where they look for captured contexts.
        agent.core.with(&agent.catalog, &agent.writer, |core, catalog| {
            for &Captured { word, site, chain, node } in &all {
                agent.contexts.publish(word, site, chain, node);
            }
            core.describe(catalog, site);
        });
        let (node, chain) = last.map_or((NodeId(0), NodeId(0)), |captured| (captured.node, captured.chain));
        let key = Key { word, site, kind, chain, class: number };
        let new = NewRecord { key, node, size: size.unwrap_or(Size::NONE) };
        let mut kept = self.kept.lock();
        let (record, fresh) = self.table.publish(&new)?;
        if fresh && size.is_some() {
            let word = if node == NodeId(0) { word } else { Word::NONE };
            let what = What { kind, node, site, word, class: number };
            kept.push(Kept { record, what, seen: Sum::default(), left_out: Sum::default() });
        }
        Some(record.address())
    }
}

/// A use of a hook that found no record.
struct Use {
    kind: Kind,
    /// What was made; null for entries, and in classes without class constants.
    class: jclass,
    /// Number of the class where the site does not say it, else 0.
    number: u32,
}

impl Kept {
    fn now(&self) -> Sum {
        let count = self.record.count();
        let value = match self.what.kind {
            Kind::Alloc => self.record.bytes(count),
            Kind::Entry => count,
        };
        Sum { count, value }
    }
}

/// What the thread has published, its chain with it; a lost word too.
fn published(agent: &Agent, jni: Jni, thread: jobject) -> Option<Context> {
    let fields = agent.fields.get()?;
    let state = fields.state(jni, thread);
    let chain = if state.ctx.version().0 != 0 && state.ctx.chained() { fields.chain(jni, thread) } else { Vec::new() };
    Some(Context { word: state.ctx, site: state.site, version: state.version, chain, published: true })
}

/// What a log calls a class: an internal name, arrays in descriptor form.
fn readable(signature: &str) -> Name {
    signature.strip_prefix('L').and_then(|name| name.strip_suffix(';')).unwrap_or(signature).into()
}
