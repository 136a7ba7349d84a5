//! How logs come into a profile, and how its stacks are shown.
//!
//! Invariant: logs are joined by names; what contexts are called stays as it was when their log
//! came.
//! Source: docs/FORMAT.md, "What lucce-decode prints".

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use lucce_log::Owner;
use lucce_words::OriginId;

use super::parts::add_holding;
use super::{AddedLog, Holding, Leak, OriginStep, Profile, ProfileOrigin, ProfileThread, Sum, joining};
use crate::export::gather::{Finished, Key, Waits};
use crate::export::{FrameKind, Gathered, NamedFrame, StackId};
use crate::{Counts, Filter, Kind, Log, LoggedEvent, Shape, Suspect, normal_class};

impl Profile {
    /// Adds a log whose events have been gathered. `prefix` stands before the names of its
    /// contexts. Gives the number of events whose trace needs what is damaged.
    pub fn add(&mut self, log: &Log, gathered: Gathered, prefix: &str) -> u64 {
        self.fingerprints.take();
        let Finished { sums, leaks: leak_events, calls, waits } = gathered.finish(log);
        let begin_ns = log.header().map_or(0, |header| header.start_unix_ns);
        let last_ns = sums.iter().filter_map(|(_, total)| total.time_ns).map(|(_, last)| last).max();
        let end_ns = begin_ns.saturating_add(last_ns.unwrap_or(0));
        self.runs.push(AddedLog {
            header: log.header().cloned(),
            begin_ns,
            end_ns,
            sampling_interval: log.sampling_interval(),
            old_collections: log.option("leaks").map(|_| log.counters().get("leaks.collections").copied().unwrap_or(0)),
            counts: Counts::default(),
        });
        let mut counts = Counts { last_ns, ..Counts::default() };
        let mut distinct = HashSet::new();
        let mut joining = joining::Joining::new(log);
        for Suspect { context, first, class, history, withdrawn_ns } in joining.suspects(&leak_events) {
            self.leaks.push(Leak {
                run: self.runs.len() - 1,
                stack: joining.stack(&mut self.stacks, context, StackId::EMPTY),
                context: format!("{prefix}{}", LoggedEvent::context_name(first)),
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
            let context = || format!("{prefix}{}", LoggedEvent::context_name(total.first));
            self.contexts.entry((kind, own_stack)).or_insert_with(context);
            let (from, to) = total.time_ns.unwrap_or((0, last_ns.unwrap_or(0)));
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

    /// Leaves out what the filter does not take, and shows stacks as it and `shape` say. What
    /// contexts are called stays. Logs are to be added before.
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
        let thread = ProfileThread { name: name.into(), java_id: if name.is_empty() { 0 } else { java_id } };
        let threads = &mut self.threads;
        *self.thread_ids.entry(thread).or_insert_with_key(|thread| {
            threads.push(thread.clone());
            threads.len() - 1
        })
    }

    pub(super) fn add_origin(&mut self, origin: ProfileOrigin) -> usize {
        let origins = &mut self.origins;
        *self.origin_ids.entry(origin).or_insert_with_key(|origin| {
            origins.push(origin.clone());
            origins.len() - 1
        })
    }

    /// The frames of an origin and of those behind it, the last one outermost.
    fn stack_of_origin(&mut self, origin: usize) -> StackId {
        let mut steps: Vec<OriginStep> = Vec::new();
        let mut next = Some(origin);
        while let Some(origin) = next.map(|at| &self.origins[at]) {
            steps.push(origin.step.clone());
            next = origin.parent;
        }
        let mut below = StackId::EMPTY;
        for OriginStep { verb, stack } in steps.into_iter().rev() {
            for frame in self.stacks.outermost_first(stack) {
                below = self.stacks.push(below, frame);
            }
            let mark = self.stacks.add_frame(NamedFrame::remark(FrameKind::Mark, verb));
            below = self.stacks.push(below, mark);
        }
        below
    }
}
