//! The sums of one or several logs, by kind, stack, class, thread and origin: what each format writes.
//!
//! Invariant: logs are joined by names, for their numbers mean nothing to each other. Sums of different kinds are never added up.
//! Source: docs/FORMAT.md, "What lucce-decode prints" and "Origins".

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use lucce_log::{Header, Owner};
use lucce_words::OriginId;

use super::gather::{Finished, Key, Waits};
use super::{Frame, FrameId, FrameKind, Gathered, StackId, Stacks, Timeline};
use crate::{Counts, Event, Filter, Fingerprints, Kind, Log, Look, Shape, Suspect, normal_class};

mod joining;

/// The sums of logs.
#[derive(Debug, Default)]
pub struct Profile {
    /// Below a stack stand the stacks that its task or thread came from.
    with_origins: bool,
    pub(super) stacks: Stacks,
    kinds: Vec<Kind>,
    /// By whether it is the agent's, and name.
    kind_ids: HashMap<(bool, String), usize>,
    classes: Vec<Arc<str>>,
    class_ids: HashMap<Arc<str>, usize>,
    threads: Vec<Thread>,
    thread_ids: HashMap<Thread, usize>,
    origins: Vec<Origin>,
    origin_ids: HashMap<Origin, usize>,
    sums: Vec<Sum>,
    sum_ids: HashMap<SumKey, usize>,
    /// What a context of a kind is called, by the stack without origins.
    contexts: HashMap<(usize, StackId), String>,
    runs: Vec<Run>,
    /// Counted calls by the method's frame, whatever kinds, classes, threads and frames are chosen.
    pub(crate) calls: HashMap<FrameId, i128>,
    /// Of all stacks, once they are asked for.
    fingerprints: OnceLock<Vec<Fingerprints>>,
    leaks: Vec<Leak>,
    /// Who held what was waited for, by kind and stack of the waits, without origins.
    holdings: HashMap<usize, HashMap<StackId, Vec<Holding>>>,
}

/// Waits for what was held in one context, as far as holders were looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holding {
    /// The frames of the holder.
    pub stack: StackId,
    /// Number of the waits.
    pub count: u64,
    /// Sum of their values.
    pub value: i128,
}

fn add_holding(all: &mut Vec<Holding>, more: &Holding) {
    match all.iter_mut().find(|holding| holding.stack == more.stack) {
        Some(known) => (known.count, known.value) = (known.count + more.count, known.value + more.value),
        None => all.push(more.clone()),
    }
}

/// A context that the leak detector suspects, or did.
#[derive(Clone, Debug)]
pub struct Leak {
    /// Of which run, [`Profile::runs`].
    pub run: usize,
    /// The frames.
    pub stack: StackId,
    /// What the context is called, as in [`Profile::context`].
    pub context: String,
    /// The class with the most bytes, as people write it.
    pub class: Option<String>,
    /// All looks, the oldest first.
    pub history: Vec<Look>,
    /// Nanoseconds since the start of the run when it was withdrawn.
    pub withdrawn_ns: Option<u64>,
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Thread {
    /// Its name when it was first seen.
    pub name: String,
    /// `Thread.getId()`; 0 for threads without a name, which are one thread here.
    pub java_id: u64,
}

/// Where a thread or task came from: the nearest step, and those behind it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    /// The nearest step.
    pub step: Step,
    /// The origin that was in force there, [`Profile::origin`].
    pub parent: Option<usize>,
    /// More steps follow that the log does not keep.
    pub cut: bool,
}

/// A step of an origin.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// `started at`, `submitted at`, or `came from` where the record is lost.
    pub verb: &'static str,
    /// Where; a mark where that is not known.
    pub stack: StackId,
}

/// The sum of all events of a kind in one context, with one class, thread and origin.
#[derive(Clone, Debug)]
pub struct Sum {
    /// The kind, [`Profile::kinds`].
    pub kind: usize,
    /// The frames, with those of its origins below if that was asked for.
    pub stack: StackId,
    /// The frames of its thread alone: what the context is called after.
    pub own_stack: StackId,
    /// The same as it is shown.
    pub own_shown: StackId,
    /// The class, [`Profile::class`].
    pub class: Option<usize>,
    /// The thread, [`Profile::thread`]. Not known of tallies.
    pub thread: Option<usize>,
    /// Where the thread or its task came from, [`Profile::origin`].
    pub origin: Option<usize>,
    /// Number of events.
    pub count: u64,
    /// Sum of their values; for sampled allocations of the bytes they stand for, [`Log::weight`].
    pub value: i128,
    /// Nanoseconds since 1970 of the first event. A tally has the beginning of its run.
    pub begin_ns: u64,
    /// Nanoseconds since 1970 of the last event. A tally has the end of its run.
    pub end_ns: u64,
    /// When the events happened. Tallies have none, nor have logs that were not gathered for it.
    pub timeline: Option<Timeline>,
}

impl Sum {
    fn add_times(&mut self, more: Option<Timeline>) {
        match (&mut self.timeline, more) {
            (Some(all), Some(more)) => all.merge(more),
            (none, Some(more)) => *none = Some(more),
            (_, None) => {}
        }
    }
}

type SumKey = (usize, StackId, StackId, Option<usize>, Option<usize>, Option<usize>);

/// A log that has been added.
#[derive(Clone, Debug)]
pub struct Run {
    /// What wrote it; `None` if that is damaged.
    pub header: Option<Header>,
    /// Nanoseconds since 1970 at its beginning.
    pub begin_ns: u64,
    /// Nanoseconds since 1970 at its last event; its beginning if only tallies are known.
    pub end_ns: u64,
    /// Mean bytes between two sampled allocations; `None` if none were sampled.
    pub sampling_interval: Option<f64>,
    /// Old collections that the leak detector has seen; `None` where it was not asked for.
    pub old_collections: Option<u64>,
    /// Of the events that were added.
    pub counts: Counts,
}

impl Profile {
    /// No sums. `with_origins`: below each stack stand those that its task or thread came from, each with a mark above it that says how.
    pub fn new(with_origins: bool) -> Self {
        Self { with_origins, ..Self::default() }
    }

    /// All frames and stacks.
    pub fn stacks(&self) -> &Stacks {
        &self.stacks
    }

    /// Kinds, in the order in which their first events came.
    pub fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    /// The number of a kind by what a user writes for it.
    pub fn kind_id(&self, text: &str) -> Option<usize> {
        self.kinds.iter().position(|kind| kind.is_meant_by(text))
    }

    /// A class, as people write it.
    pub fn class(&self, sum: &Sum) -> Option<&str> {
        Some(&self.classes[sum.class?])
    }

    /// A thread.
    pub fn thread(&self, sum: &Sum) -> Option<&Thread> {
        Some(&self.threads[sum.thread?])
    }

    /// All threads.
    pub fn threads(&self) -> &[Thread] {
        &self.threads
    }

    /// All classes.
    pub fn classes(&self) -> &[Arc<str>] {
        &self.classes
    }

    /// An origin.
    pub fn origin(&self, sum: &Sum) -> Option<&Origin> {
        Some(&self.origins[sum.origin?])
    }

    /// The origins of a sum, the nearest first.
    pub fn origins(&self, sum: &Sum) -> impl Iterator<Item = &Origin> {
        std::iter::successors(self.origin(sum), |origin| Some(&self.origins[origin.parent?]))
    }

    /// The origins of a sum in one line: for each step the innermost frame alone.
    pub fn origin_line(&self, sum: &Sum) -> Option<String> {
        let steps: Vec<String> = self.origins(sum).map(|origin| self.step_text(origin)).collect();
        (!steps.is_empty()).then(|| steps.join(", "))
    }

    fn step_text(&self, origin: &Origin) -> String {
        let Step { verb, stack } = origin.step;
        let frame = self.stacks.split(stack).map(|(_, frame)| self.stacks.frame(frame).located());
        let more = if origin.cut { ", ..." } else { "" };
        format!("{verb} {}{more}", frame.as_deref().unwrap_or("[no frame]"))
    }

    /// All sums, in the order in which their first events came.
    pub fn sums(&self) -> &[Sum] {
        &self.sums
    }

    /// Who held what was waited for in all sums with the kind and stack of this one: the most frequent first, those unknown last.
    pub fn holdings(&self, of: &Sum) -> Vec<Holding> {
        let Some(held) = self.holdings.get(&of.kind) else { return Vec::new() };
        let same = self.sums.iter().filter(|sum| (sum.kind, sum.stack) == (of.kind, of.stack));
        let own: HashSet<StackId> = same.map(|sum| sum.own_stack).collect();
        let mut all = Vec::new();
        for holding in own.iter().filter_map(|stack| held.get(stack)).flatten() {
            add_holding(&mut all, holding);
        }
        let is_unknown = |stack: StackId| {
            let innermost = self.stacks.split(stack).map(|(_, frame)| self.stacks.frame(frame));
            innermost.is_none_or(|frame| frame.kind == FrameKind::Unknown)
        };
        all.sort_by_key(|holding| {
            (is_unknown(holding.stack), std::cmp::Reverse((holding.count, holding.value)), holding.stack)
        });
        all
    }

    /// What the context of a sum is called: `c12`, as `lucce-decode --context` takes it; with several logs after the log's name and a colon.
    pub fn context(&self, sum: &Sum) -> &str {
        self.contexts.get(&(sum.kind, sum.own_stack)).map_or("", String::as_str)
    }

    /// What the context of a sum, without origins, is called in every run and on every machine.
    pub fn fingerprints(&self, sum: &Sum) -> Fingerprints {
        self.fingerprints_of(sum.own_stack)
    }

    /// What a stack is called in every run and on every machine.
    pub fn fingerprints_of(&self, stack: StackId) -> Fingerprints {
        self.fingerprints.get_or_init(|| self.stacks.fingerprints())[stack.0 as usize]
    }

    /// One line that says what was run.
    pub fn title(&self) -> String {
        let mut headers = self.runs.iter().filter_map(|run| run.header.as_ref());
        let Some(first) = headers.next() else { return "Lucce log".into() };
        let more = if self.runs.len() > 1 { format!(" and {} more logs", self.runs.len() - 1) } else { String::new() };
        format!("pid {} on {}, {}{more}", first.pid, first.host, first.jvm)
    }

    /// 16 bytes that no other profile has: those of the first run, and the number of the kind.
    pub(super) fn id(&self, kind: usize) -> [u8; 16] {
        let run = self.runs.iter().find_map(|run| run.header.as_ref()).map_or(0, |header| header.run_id);
        (u128::from(run) << 64 | (kind as u128 + 1)).to_be_bytes()
    }

    /// What the leak detectors have suspected: those that still are suspects of each run, the fastest growing first, then those withdrawn.
    /// Of logs that were gathered with time.
    pub fn leaks(&self) -> &[Leak] {
        &self.leaks
    }

    /// The logs.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// Nanoseconds since 1970 from the beginning of the first run to the last event of all.
    pub fn span(&self) -> (u64, u64) {
        let begin = self.runs.iter().map(|run| run.begin_ns).min().unwrap_or(0);
        let end = self.runs.iter().map(|run| run.end_ns).max().unwrap_or(0);
        (begin, end.max(begin))
    }

    /// Remarks for people: what wrote the logs, and whether the values of a kind are exact.
    pub fn comments(&self, kind: &Kind) -> Vec<String> {
        let mut comments: Vec<String> = Vec::new();
        for header in self.runs.iter().filter_map(|run| run.header.as_ref()) {
            let Header { agent, jvm, pid, host, options, labels, .. } = header;
            comments.push(format!("{agent} on {jvm}, pid {pid} on {host}, options {options}"));
            comments.extend(labels.iter().map(|(name, value)| format!("label {name}: {value}")));
        }
        let interval = self.sampling_interval(kind);
        let (kind, is_sampled) = (&kind.label, kind.is_agents("profile"));
        comments.push(match interval {
            Some(interval) => format!("{kind}: estimates from samples, one every {interval} bytes"),
            None if is_sampled => format!("{kind}: estimates from samples of entries"),
            None => format!("{kind}: exact sums"),
        });
        comments
    }

    /// Mean bytes between two samples of a kind, whose values are estimates then; `None` for exact ones.
    pub fn sampling_interval(&self, kind: &Kind) -> Option<f64> {
        self.runs.iter().find_map(|run| run.sampling_interval).filter(|_| kind.is_agents("alloc"))
    }

    /// Adds a log whose events have been gathered. `prefix` stands before the names of its contexts. Gives the number of events whose
    /// trace needs what is damaged.
    pub fn add(&mut self, log: &Log, gathered: Gathered, prefix: &str) -> u64 {
        self.fingerprints.take();
        let Finished { sums, leaks: leak_events, calls, waits } = gathered.finish(log);
        let begin_ns = log.header().map_or(0, |header| header.start_unix_ns);
        let last_ns = sums.iter().filter_map(|(_, total)| total.time_ns).map(|(_, last)| last).max().unwrap_or(0);
        let end_ns = begin_ns.saturating_add(last_ns);
        self.runs.push(Run {
            header: log.header().cloned(),
            begin_ns,
            end_ns,
            sampling_interval: log.sampling_interval(),
            old_collections: log.option("leaks").map(|_| log.counters().get("leaks.collections").copied().unwrap_or(0)),
            counts: Counts::default(),
        });
        let mut counts = Counts {
            last_ns: sums.iter().filter_map(|(_, total)| total.time_ns).map(|(_, last)| last).max(),
            ..Counts::default()
        };
        let mut distinct = HashSet::new();
        let mut joining = joining::Joining::new(log);
        for Suspect { context, first, class, history, withdrawn_ns } in joining.suspects(&leak_events) {
            self.leaks.push(Leak {
                run: self.runs.len() - 1,
                stack: joining.stack(&mut self.stacks, context, StackId::EMPTY),
                context: format!("{prefix}{}", Event::context_name(first)),
                class: class.and_then(|class| log.allocated_name(class)).map(str::to_owned),
                history,
                withdrawn_ns,
            });
        }
        for (place, calls) in calls {
            let context = joining.find(&place);
            let stack = joining.stack(&mut self.stacks, context, StackId::EMPTY);
            if let Some((_, frame)) = self.stacks.split(stack) {
                *self.calls.entry(frame).or_default() += i128::from(calls);
            }
        }
        for (Waits { kind, place, holder }, (count, value)) in waits {
            let kind = self.kind(log.kind_of(kind));
            let [waiting, stack] = [place, holder].map(|place| {
                let context = joining.find(&place);
                joining.stack(&mut self.stacks, context, StackId::EMPTY)
            });
            let held = self.holdings.entry(kind).or_default().entry(waiting).or_default();
            add_holding(held, &Holding { stack, count, value });
        }
        for (Key { kind, place, class, tally, thread }, total) in sums {
            let context = joining.find(&place);
            distinct.insert(context);
            counts.add(log, kind, joining.end(context), (total.count, total.raw), tally);
            let kind = self.kind(log.kind_of(kind));
            let class = class.and_then(|class| log.allocated_name(class)).map(|class| self.class_id(class));
            let thread = thread.and_then(|thread| log.thread(thread));
            let origin = thread.map_or(OriginId(0), |thread| thread.origin);
            let origin = joining.origin(self, origin);
            let thread = thread.map(|thread| self.thread_id(&thread.name, thread.java_id));
            let own_stack = joining.stack(&mut self.stacks, context, StackId::EMPTY);
            let stack = match origin.filter(|_| self.with_origins) {
                None => own_stack,
                Some(origin) => {
                    let below = self.stack_of_origin(origin);
                    joining.stack(&mut self.stacks, context, below)
                }
            };
            let context = || format!("{prefix}{}", Event::context_name(total.first));
            self.contexts.entry((kind, own_stack)).or_insert_with(context);
            let (from, to) = total.time_ns.unwrap_or((0, last_ns));
            let new = Sum {
                kind,
                stack,
                own_stack,
                own_shown: own_stack,
                class,
                thread,
                origin,
                count: 0,
                value: 0,
                begin_ns: begin_ns.saturating_add(from),
                end_ns: begin_ns.saturating_add(to),
                timeline: None,
            };
            let key = (kind, stack, own_stack, class, thread, origin);
            let sums = &mut self.sums;
            let at = *self.sum_ids.entry(key).or_insert_with(|| {
                sums.push(new.clone());
                sums.len() - 1
            });
            let sum = &mut self.sums[at];
            sum.count = sum.count.saturating_add(total.count);
            sum.value += total.value;
            sum.add_times(total.timeline.map(|timeline| *timeline));
            sum.begin_ns = sum.begin_ns.min(new.begin_ns);
            sum.end_ns = sum.end_ns.max(new.end_ns);
        }
        counts.contexts = distinct.len() as u64;
        let undecodable = counts.undecodable_events;
        if let Some(run) = self.runs.last_mut() {
            run.counts = counts;
        }
        undecodable
    }

    /// Leaves out what the filter does not take, and shows stacks as it and `shape` say. What contexts are called stays. Logs are to be
    /// added before.
    pub fn shape(&mut self, filter: &Filter, shape: Shape) {
        self.fingerprints.take();
        self.sum_ids.clear();
        let mut known: HashMap<StackId, Option<StackId>> = HashMap::new();
        for mut sum in std::mem::take(&mut self.sums) {
            let stacks = &mut self.stacks;
            let shown = *known.entry(sum.stack).or_insert_with(|| stacks.shaped(sum.stack, filter, shape));
            let Some(stack) = shown else { continue };
            sum.stack = stack;
            // What is asked for may stand in its origins alone.
            let own = *known.entry(sum.own_stack).or_insert_with(|| stacks.shaped(sum.own_stack, filter, shape));
            sum.own_shown = own.unwrap_or(sum.own_stack);
            if shape.norm
                && let Some(class) = sum.class
            {
                let name = normal_class(&self.classes[class]).into_owned();
                sum.class = Some(self.class_id(&name));
            }
            let key = (sum.kind, sum.stack, sum.own_stack, sum.class, sum.thread, sum.origin);
            let sums = &mut self.sums;
            let at = *self.sum_ids.entry(key).or_insert_with(|| {
                sums.push(Sum { count: 0, value: 0, timeline: None, ..sum.clone() });
                sums.len() - 1
            });
            let all = &mut sums[at];
            all.add_times(sum.timeline);
            all.count = all.count.saturating_add(sum.count);
            all.value += sum.value;
            all.begin_ns = all.begin_ns.min(sum.begin_ns);
            all.end_ns = all.end_ns.max(sum.end_ns);
        }
    }

    /// The number of a kind; `None` if its name is lost.
    fn kind(&mut self, kind: Option<&Kind>) -> usize {
        let kind = kind.cloned().unwrap_or_else(Kind::unknown);
        let kinds = &mut self.kinds;
        *self.kind_ids.entry((kind.owner == Owner::Agent, kind.name.clone())).or_insert_with(|| {
            kinds.push(kind);
            kinds.len() - 1
        })
    }

    fn class_id(&mut self, name: &str) -> usize {
        if let Some(&id) = self.class_ids.get(name) {
            return id;
        }
        let name: Arc<str> = name.into();
        self.classes.push(Arc::clone(&name));
        self.class_ids.insert(name, self.classes.len() - 1);
        self.classes.len() - 1
    }

    fn thread_id(&mut self, name: &str, java_id: u64) -> usize {
        // Virtual threads have no name unless they are given one, and there may be millions.
        let thread = Thread { name: name.into(), java_id: if name.is_empty() { 0 } else { java_id } };
        let threads = &mut self.threads;
        *self.thread_ids.entry(thread).or_insert_with_key(|thread| {
            threads.push(thread.clone());
            threads.len() - 1
        })
    }

    fn add_origin(&mut self, origin: Origin) -> usize {
        let origins = &mut self.origins;
        *self.origin_ids.entry(origin).or_insert_with_key(|origin| {
            origins.push(origin.clone());
            origins.len() - 1
        })
    }

    /// The frames of an origin and of those behind it, the last one outermost.
    fn stack_of_origin(&mut self, origin: usize) -> StackId {
        let mut steps: Vec<Step> = Vec::new();
        let mut next = Some(origin);
        while let Some(origin) = next.map(|at| &self.origins[at]) {
            steps.push(origin.step.clone());
            next = origin.parent;
        }
        let mut below = StackId::EMPTY;
        for Step { verb, stack } in steps.into_iter().rev() {
            for frame in self.stacks.outermost_first(stack) {
                below = self.stacks.push(below, frame);
            }
            let mark = self.stacks.add_frame(Frame::remark(FrameKind::Mark, verb));
            below = self.stacks.push(below, mark);
        }
        below
    }
}
