//! The figures of a log.
//!
//! Invariant: counted from the records; the agent's own counters stand beside them.
//! Source: issue-level contract of `lucce-decode --stats`.

use std::collections::{BTreeMap, HashMap, HashSet};

use lucce_encoding::EdgeState;
use lucce_encoding::algorithm1::History;
use lucce_words::within_part;

use crate::{Contexts, Log, Loss, Place, Reason, TraceEnd};

/// Figures of a log. Names are those of the JSON that `--stats` prints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "named for what they count; a line is given where that is not enough")]
pub struct Stats {
    pub classes: u64,
    pub methods: u64,
    pub sites: u64,
    /// Methods that instrumentation makes too long for the JVM's compilers.
    pub huge_methods: u64,
    pub edges: u64,
    pub cut_edges: u64,
    pub unrolled_edges: u64,
    pub versions: u64,
    /// The largest number given, counted from the beginning of its part: the block, or the late
    /// ones of a method.
    pub largest_call_id: u64,
    /// Nodes of the tree of captured contexts.
    pub captured: u64,
    pub threads: u64,
    /// What its events come to. The undecodable ones include those of gone blocks.
    pub counts: Counts,
    /// Not instrumented: classes and methods by reason.
    pub skips: BTreeMap<String, (u64, u64)>,
    pub blocks: u64,
    pub bytes: u64,
    pub raw_bytes: u64,
    /// Of these, by kind of record; definitions of strings and of lists of frames are kinds of
    /// their own.
    pub record_bytes: BTreeMap<&'static str, u64>,
    pub loss: Loss,
    /// The agent's counters: `verify.checks`, `events.dropped`, ...
    pub counters: BTreeMap<String, u64>,
}

/// Figures of one kind of events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// The log's number of the kind, [`Log::kind_of`].
    pub kind: u32,
    /// How many there are.
    pub events: u64,
    /// Sum of their values.
    pub value: i128,
}

/// What is counted of events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "as in `Stats`")]
pub struct Counts {
    /// Those that tallies count included.
    pub events: u64,
    /// Sums that stand for all events of a kind, context and class.
    pub tallies: u64,
    /// Events by kind, each by its label.
    pub kinds: BTreeMap<String, Figures>,
    /// Distinct contexts of the events.
    pub contexts: u64,
    pub decoded_events: u64,
    /// Events whose context the agent itself had lost, or that came from code without one.
    pub lost_events: u64,
    /// Events whose trace needs what is damaged.
    pub undecodable_events: u64,
    /// Events of the last two sorts, by the reason why their traces end early.
    pub reasons: HashMap<Reason, u64>,
    /// When the last event with a time was.
    pub last_ns: Option<u64>,
}

impl Counts {
    /// Counts events of a kind that share a place.
    pub(crate) fn add(&mut self, log: &Log, kind: u32, end: TraceEnd, (count, value): (u64, i128), tally: bool) {
        self.events = self.events.saturating_add(count);
        self.tallies += u64::from(tally);
        let events = match end {
            TraceEnd::Root => &mut self.decoded_events,
            TraceEnd::Unknown(reason) if reason.is_damage() => &mut self.undecodable_events,
            TraceEnd::Unknown(_) => &mut self.lost_events,
        };
        *events = events.saturating_add(count);
        if let TraceEnd::Unknown(reason) = end {
            let of_reason = self.reasons.entry(reason).or_default();
            *of_reason = of_reason.saturating_add(count);
        }
        let label = log.kind(kind).map_or_else(|| format!("kind {kind}"), str::to_owned);
        let figures = self.kinds.entry(label).or_default();
        figures.kind = kind;
        figures.events = figures.events.saturating_add(count);
        figures.value += value;
    }

    fn of<'a>(log: &'a Log, contexts: &mut Contexts<'a>) -> Self {
        let (mut places, mut distinct) = (HashMap::<Place, TraceEnd>::new(), HashSet::new());
        let timed = log.events.iter().filter(|event| !event.is_tally());
        let mut counts = Self { last_ns: timed.map(|event| event.time_ns).max(), ..Self::default() };
        for event in &log.events {
            let end = *places.entry(event.place).or_insert_with(|| {
                let context = contexts.find(&event.place);
                distinct.insert(context);
                contexts.end(context)
            });
            counts.add(log, event.kind, end, (event.count, event.value.into()), event.is_tally());
        }
        counts.contexts = distinct.len() as u64;
        counts
    }
}

impl Stats {
    /// Counts; decodes every distinct place of an event once.
    pub fn new<'a>(log: &'a Log, contexts: &mut Contexts<'a>) -> Self {
        Self::streamed(log, Counts::of(log, contexts))
    }

    /// The figures of a log whose events were counted while it was read.
    pub fn streamed(log: &Log, counts: Counts) -> Self {
        let undecodable_events = log.loss.undecodable_events().saturating_add(counts.undecodable_events);
        let mut stats = Self {
            classes: log.names.classes.len() as u64,
            methods: log.names.methods.len() as u64,
            sites: log.names.sites.len() as u64,
            huge_methods: log.names.methods.values().filter(|method| method.huge).count() as u64,
            versions: log.versions().count() as u64,
            largest_call_id: largest_number(log),
            captured: log.nodes.len() as u64,
            threads: log.threads.values().map(|thread| thread.java_id).collect::<HashSet<_>>().len() as u64,
            counts: Counts { undecodable_events, ..counts },
            blocks: log.blocks,
            bytes: log.bytes,
            raw_bytes: log.raw_bytes,
            record_bytes: log.record_bytes.kinds(),
            loss: log.loss,
            counters: log.counters.clone(),
            ..Self::default()
        };
        for (_, edge) in log.snapshot.edges() {
            stats.edges += 1;
            stats.cut_edges += u64::from(edge.state == EdgeState::Cut);
            stats.unrolled_edges += u64::from(edge.state == EdgeState::Unrolled);
        }
        if let Some(paper) = log.paper() {
            stats.versions = paper.version().0.into();
            stats.edges = paper_edges(log, paper);
        }
        for skip in &log.skips {
            let (classes, methods) = stats.skips.entry(skip.reason.to_string()).or_default();
            *if skip.method.is_none() { classes } else { methods } += 1;
        }
        stats
    }
}

impl Stats {
    /// At most how likely it is that any two contexts of the run have one hashed word, in 0..1:
    /// each pair with a probability of 2^-64. `None` where words are no hashes. Source:
    /// docs/design/hashed-words.md.
    pub fn chance_of_collision(&self) -> Option<f64> {
        let words = *self.counters.get("pcc.learned").filter(|words| **words > 0)? as f64;
        Some(words * (words - 1.0) / 2.0 / 2.0_f64.powi(64))
    }
}

/// Edges of the newest version.
fn paper_edges(log: &Log, paper: &History<u64>) -> u64 {
    log.methods().into_iter().map(|method| paper.incoming(method, paper.version()).count() as u64).sum()
}

/// The largest number over all versions; the ranges that a new version gives are not in the log.
fn largest_number(log: &Log) -> u64 {
    let methods = log.methods();
    let last = |version| {
        let ranges = methods.iter().flat_map(move |&method| log.snapshot.ranges(method, version));
        ranges.map(|range| within_part(range.base) + (range.len - 1)).max().unwrap_or(0)
    };
    log.versions().map(last).max().unwrap_or(0).max(log.largest_number)
}
