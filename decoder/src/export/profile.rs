//! The sums of one or several logs, by kind, stack, class, thread and origin: what each format
//! writes.
//!
//! Invariant: logs are joined by names, for their numbers mean nothing to each other. Sums of
//! different kinds are never added up.
//! Source: docs/FORMAT.md, "What lucce-decode prints" and "Origins".

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use lucce_log::Header;

use super::{FrameId, FrameKind, StackId, Stacks};
use crate::{Fingerprints, Kind};

mod adding;
mod joining;
mod parts;

use parts::add_holding;
pub use parts::{AddedLog, Holding, Leak, OriginStep, ProfileOrigin, ProfileThread, Sum};

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
    threads: Vec<ProfileThread>,
    thread_ids: HashMap<ProfileThread, usize>,
    origins: Vec<ProfileOrigin>,
    origin_ids: HashMap<ProfileOrigin, usize>,
    sums: Vec<Sum>,
    sum_ids: HashMap<SumKey, usize>,
    /// What a context of a kind is called, by the stack without origins.
    contexts: HashMap<(usize, StackId), String>,
    runs: Vec<AddedLog>,
    /// Counted calls by the method's frame, whatever kinds, classes, threads and frames are chosen.
    pub(crate) calls: HashMap<FrameId, i128>,
    /// Of all stacks, once they are asked for.
    fingerprints: OnceLock<Vec<Fingerprints>>,
    leaks: Vec<Leak>,
    /// Who held what was waited for, by kind and stack of the waits, without origins.
    holdings: HashMap<usize, HashMap<StackId, Vec<Holding>>>,
}

type SumKey = (usize, StackId, StackId, Option<usize>, Option<usize>, Option<usize>);

impl Profile {
    /// No sums. `with_origins`: below each stack stand those that its task or thread came from,
    /// each with a mark above it that says how.
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
    pub fn thread(&self, sum: &Sum) -> Option<&ProfileThread> {
        Some(&self.threads[sum.thread?])
    }

    /// All threads.
    pub fn threads(&self) -> &[ProfileThread] {
        &self.threads
    }

    /// All classes.
    pub fn classes(&self) -> &[Arc<str>] {
        &self.classes
    }

    /// An origin.
    pub fn origin(&self, sum: &Sum) -> Option<&ProfileOrigin> {
        Some(&self.origins[sum.origin?])
    }

    /// The origins of a sum, the nearest first.
    pub fn origins(&self, sum: &Sum) -> impl Iterator<Item = &ProfileOrigin> {
        std::iter::successors(self.origin(sum), |origin| Some(&self.origins[origin.parent?]))
    }

    /// The origins of a sum in one line: for each step the innermost frame alone.
    pub fn origin_line(&self, sum: &Sum) -> Option<String> {
        let steps: Vec<String> = self.origins(sum).map(|origin| self.step_text(origin)).collect();
        (!steps.is_empty()).then(|| steps.join(", "))
    }

    fn step_text(&self, origin: &ProfileOrigin) -> String {
        let OriginStep { verb, stack } = origin.step;
        let frame = self.stacks.split(stack).map(|(_, frame)| self.stacks.frame(frame).located());
        let more = if origin.cut { ", ..." } else { "" };
        format!("{verb} {}{more}", frame.as_deref().unwrap_or("[no frame]"))
    }

    /// All sums, in the order in which their first events came.
    pub fn sums(&self) -> &[Sum] {
        &self.sums
    }

    /// Who held what was waited for in all sums with the kind and stack of this one: the most
    /// frequent first, those unknown last.
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

    /// What the context of a sum is called: `c12`, as `lucce-decode --context` takes it; with
    /// several logs after the log's name and a colon.
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

    /// What the leak detectors have suspected: those that still are suspects of each run, the
    /// fastest growing first, then those withdrawn. Of logs that were gathered with time.
    pub fn leaks(&self) -> &[Leak] {
        &self.leaks
    }

    /// The logs.
    pub fn runs(&self) -> &[AddedLog] {
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

    /// Mean bytes between two samples of a kind, whose values are estimates then; `None` for exact
    /// ones.
    pub fn sampling_interval(&self, kind: &Kind) -> Option<f64> {
        self.runs.iter().find_map(|run| run.sampling_interval).filter(|_| kind.is_agents("alloc"))
    }
}
