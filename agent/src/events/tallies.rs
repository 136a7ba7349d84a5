//! Tallies: exact counts of allocations (`alloc=all`) and invocations (`entries`) by context,
//! written to the log as sums.
//!
//! Invariant: every use of a hook is in exactly one record, and every record in exactly one sum; a
//! sum that was written is not written again. What finds no memory is counted as lost. Nothing of
//! this is there unless an option asks for it.
//! Source: docs/design/tallies.md.

mod arrays;
mod below;
mod check;
mod classes;
mod kept;
mod layouts;
mod ledger;
mod natives;
mod sizes;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use jvmti_bindings::sys::jni::jclass;
use lucce_log::Record;
use lucce_words::{NodeId, SiteId, Word};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::encode::capture;
use crate::encode::context::Context;
use crate::encode::{current_context, walk};
use crate::hook_tables::tallies::{NewRecord, Size, Table, TallyKey};
use crate::jvm::thread::JavaThread;
use crate::options::Source;
use crate::stack::frames::StackView;
use crate::state::agent::Agent;
use crate::state::classes::Classes;
use crate::support::dead::Dead;
use crate::support::kinds::EventKind;
use ledger::{Sum, Sums, What};

pub use crate::hook_tables::tallies::TallyKind;
pub use kept::Tallies;
pub use ledger::TallyFigures;
pub use natives::register;

/// Writing takes at most one part in so many of the time.
const SHARE: u32 = 50;
/// Records that are queued at once.
const BATCH: usize = 4096;

/// A sum as the program gets it.
pub struct Counted {
    pub kind: TallyKind,
    /// The captured context; 0 for one that was lost.
    pub node: NodeId,
    /// What was made, as in a log.
    pub class: Option<Arc<str>>,
    pub count: u64,
    pub value: u64,
    /// Of a task of a measurement: where it was handed over, the nearest context first.
    pub handed_over: Vec<NodeId>,
}

/// Why sums are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    /// A stretch of time has passed.
    Window,
    /// Somebody wants to read them.
    Asked,
    /// The run ends.
    Last,
}

impl Tallies {
    /// Starts the thread that writes the sums. It reads native memory only, so the JVM need not
    /// know it.
    pub fn start(&'static self, agent: &'static Agent) {
        let run = move || {
            // The longest that a sum waits while the program counts on.
            let window = agent.options.window;
            let mut wait = window;
            while !self.ended.load(Ordering::Acquire) {
                std::thread::park_timeout(wait);
                let began = Instant::now();
                // What is not written is counted on, and in memory once.
                if agent.run.writer.takes_sums() {
                    self.write_sums(agent, When::Window);
                }
                wait = window.max(began.elapsed() * SHARE);
            }
        };
        // Without it the sums are written at the end.
        if let Ok(thread) = std::thread::Builder::new().name("lucce-tallies".into()).spawn(run) {
            let _ = self.writer.set(thread.thread().clone());
        }
    }

    /// Writes what has been counted since the last time; passes over it where its source is
    /// stopped.
    pub fn write(&self, agent: &Agent) {
        self.write_sums(agent, When::Asked);
    }

    /// Writes the last sums: later counts have no reader.
    pub fn finish(&self, agent: &Agent) {
        if let Some(profile) = &agent.events.profile {
            profile.end();
        }
        self.write_sums(agent, When::Last);
        if let Some(writer) = self.writer.get() {
            writer.unpark();
        }
    }

    fn write_sums(&self, agent: &Agent, when: When) {
        self.queue(agent, |stopped| {
            let mut ledger = self.ledger.lock();
            // Nothing after the last time.
            let last = when == When::Last || self.ended.load(Ordering::Relaxed);
            if self.ended.swap(last, Ordering::AcqRel) {
                return (Sums::default(), Vec::new());
            }
            let mut sums = ledger.sums(stopped);
            drop(ledger);
            sums.extend(sampled(agent));
            let whole = when != When::Window;
            let about = agent.events.profile.as_ref().map_or_else(Vec::new, |profile| profile.records(whole));
            (sums, about)
        });
    }

    /// Writes what was counted in contexts of unloaded classes, where nobody counts any more, and
    /// forgets it.
    pub fn forget(&self, agent: &Agent, dead: &Dead) {
        let nodes: Vec<_> = self.ledger.lock().all().map(|what| what.node).filter(|node| *node != NodeId(0)).collect();
        let gone: FxHashSet<_> =
            agent.graph.locked(|graph| nodes.into_iter().filter(|&node| graph.node_at(node).is_none()).collect());
        self.queue(agent, |stopped| {
            let mut ledger = self.ledger.lock();
            if self.ended.load(Ordering::Acquire) {
                return (Sums::default(), Vec::new());
            }
            let is_gone = |what: &What| gone.contains(&what.node) || dead.has_site(what.site);
            let (sums, records) = ledger.close(stopped, is_gone);
            for record in records {
                // SAFETY: one thread at a time, for the ledger is locked; every activation on the
                // path has ended, and no other will be there.
                unsafe { self.table.take_out(record) };
            }
            (sums, Vec::new())
        });
        self.sizes.forget(dead);
    }

    /// Writes what was sampled, so that the log knows all contexts with a counter: before classes
    /// are forgotten, whose names are needed for that.
    pub fn write_samples(&self, agent: &Agent) {
        self.queue(agent, |_| {
            let ended = self.ended.load(Ordering::Acquire);
            (if ended { Sums::default() } else { sampled(agent).collect() }, Vec::new())
        });
    }

    /// Queues these sums, and what there is to say about them, behind all that were queued before.
    fn queue(&self, agent: &Agent, sums: impl FnOnce([bool; 2]) -> (Sums, Vec<Record>)) {
        let kinds =
            TallyKind::ALL.into_iter().filter(|kind| *kind != TallyKind::Profile || agent.events.profile.is_some());
        let kinds: Vec<u32> =
            agent.graph.locked(|graph| kinds.map(|kind| graph.kind(EventKind::own(kind.name()))).collect());
        let _queueing = self.queueing.lock();
        let stopped = [Source::Alloc, Source::Entries].map(|source| agent.run.switch.is_stopped(source));
        let (sums, about) = sums(stopped);
        let tallies =
            sums.into_iter().map(|(what, sum)| self.tally(&agent.classes, kinds[what.kind as usize], what, sum));
        let mut records: Vec<Record> = about.into_iter().chain(tallies).collect();
        // Counted before they were read.
        let time_ns = agent.run.now();
        while !records.is_empty() {
            let rest = records.split_off(BATCH.min(records.len()));
            let batch = std::mem::replace(&mut records, rest);
            // Each batch says it, for a file may begin between two.
            let marked = std::iter::once(Record::SumsUntil { time_ns }).chain(batch).collect();
            agent.run.writer.queue_sums(marked);
            agent.run.writer.pace();
        }
    }

    fn tally(&self, classes: &Classes, kind: u32, what: What, sum: Sum) -> Record {
        let class = self.class(classes, what);
        let What { node, site, word, .. } = what;
        Record::Tally { kind, node, site, word, class, count: sum.count, value: sum.value }
    }

    /// The class of what was made, as a log has it.
    fn class(&self, classes: &Classes, what: What) -> Option<Arc<str>> {
        match what {
            What { kind: TallyKind::Entry | TallyKind::Profile, .. } => None,
            What { class: 0, site, .. } => classes.catalog.site(site).map(|site| site.member.owner().into()),
            What { class, .. } => self.classes.name(class),
        }
    }

    /// What was counted of a kind up to now, or of all; the largest sums come first. The program
    /// has the numbers of their contexts then.
    pub fn so_far(&self, agent: &Agent, kind: Option<&str>) -> Vec<Counted> {
        let stopped = [Source::Alloc, Source::Entries].map(|source| agent.run.switch.is_stopped(source));
        let sums = self.ledger.lock().so_far(stopped);
        let mut all: FxHashMap<(TallyKind, NodeId, Option<Arc<str>>), Sum> = FxHashMap::default();
        for (what, more) in sums {
            if more.count > 0 && kind.is_none_or(|kind| kind == what.kind.name()) {
                let sum = all.entry((what.kind, what.node, self.class(&agent.classes, what))).or_default();
                sum.count += more.count;
                sum.value += more.value;
            }
        }
        agent.graph.locked(|graph| {
            all.keys().filter(|(_, node, _)| *node != NodeId(0)).for_each(|(_, node, _)| graph.give(*node));
        });
        let counted = |((kind, node, class), Sum { count, value })| Counted {
            kind,
            node,
            class,
            count,
            value,
            handed_over: Vec::new(),
        };
        let mut all: Vec<Counted> = all.into_iter().map(counted).collect();
        all.sort_by_key(|sum| (sum.kind as usize, std::cmp::Reverse(sum.value), sum.node));
        all
    }

    /// What the log has been told.
    pub fn figures(&self) -> TallyFigures {
        let mut figures = self.ledger.lock().figures();
        figures.lost_allocations = Table::lost(TallyKind::Alloc).count();
        figures.lost_entries = Table::lost(TallyKind::Entry).count();
        figures
    }

    /// The record of what the thread has published, found or made: its address.
    fn record(&self, agent: &Agent, thread: JavaThread, use_of: &Use) -> u64 {
        self.made(agent, thread, use_of).unwrap_or_else(|| Table::lost(use_of.kind).address())
    }

    fn made(&self, agent: &Agent, thread: JavaThread, use_of: &Use) -> Option<u64> {
        let Use { kind, class, number } = *use_of;
        let context = published(agent, thread)?;
        let (word, site) = (context.word, context.site);
        let size = match kind {
            TallyKind::Entry | TallyKind::Profile => Some(Size::NONE),
            TallyKind::Alloc => self.sizes.of(agent, thread.jni, site, class, number)?,
        };
        let known = context.is_known();
        let mut all = if known { agent.encoder.captured(agent, thread, &context)? } else { Vec::new() };
        let last = all.pop();
        // The hooks look for the nodes of cut entries where they look for captured contexts. The
        // program gets none of them: it captures where it calls Lucce, and these stand at calls of
        // methods with hooks.
        agent.graph.locked(|graph| {
            capture::publish(&agent.tables, &all);
            graph.describe(site);
        });
        let (node, below) = last.map_or((NodeId(0), NodeId(0)), |captured| (captured.node, captured.below));
        let origin = agent.events.origins.key(agent.events.threads.origin(thread));
        let key = TallyKey { word: counted(agent, &context), site, kind, below, class: number, origin };
        let new = NewRecord { key, node, size: size.unwrap_or(Size::NONE) };
        let mut ledger = self.ledger.lock();
        let (record, fresh) = self.table.publish(&new)?;
        if fresh && size.is_some() {
            let word = if node == NodeId(0) { word } else { Word::NONE };
            let what = What { kind, node, site, word, class: number };
            ledger.open(record, what, origin);
        }
        Some(record.address())
    }
}

/// A use of a hook that found no record.
struct Use {
    kind: TallyKind,
    /// What was made; null for entries, and in classes without class constants.
    class: jclass,
    /// Number of the class where the site does not say it, else 0.
    number: u32,
}

/// What the thread has published, its shadow stack with it; a lost word too. A walk tells it where
/// the shadow stack is not to be believed.
fn published(agent: &Agent, thread: JavaThread) -> Option<Context> {
    let fields = agent.jvm.fields.get()?;
    let state = fields.state(thread);
    if agent.encoder.weights().is_some() {
        let walked = || capture::walked(agent, thread, &walk::instrumented(StackView::of(agent, thread.jni))?);
        return current_context::published(agent, thread, state.site).or_else(walked);
    }
    agent.encoder.of_state(fields, thread, &state).or_else(|| capture::current(agent, thread))
}

/// The word that a record is found by: the hooks have a hashed one before the site is added. What
/// was walked they must not find.
fn counted(agent: &Agent, context: &Context) -> Word {
    let Context { word, site, published, .. } = *context;
    match (agent.encoder.weights(), published) {
        (None, _) => word,
        (Some(_), true) => Word(word.0.wrapping_sub(site.0.into())),
        (Some(_), false) => Word(!word.0),
    }
}

/// What was sampled since the last time.
fn sampled(agent: &Agent) -> impl Iterator<Item = (What, Sum)> {
    let what = |node| What { kind: TallyKind::Profile, node, site: SiteId::UNKNOWN, word: Word::NONE, class: 0 };
    agent.events.profile.iter().flat_map(move |profile| {
        let weight = u64::from(profile.weight().max(1));
        let sum = move |(node, count)| (what(node), Sum { count, value: count * weight });
        profile.sums(&agent.graph).into_iter().map(sum)
    })
}
