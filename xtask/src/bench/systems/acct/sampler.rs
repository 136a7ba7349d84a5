//! Samples of the stacks of all threads, spliced into a tree for each of them.
//!
//! Invariant: a sampler sees each entry once, in order, and what its thread's stack was since; the
//! trees of all threads are one at the end.
//! Source: ACCT, section 3.

use std::collections::BTreeMap;

use lucce_profiles::acct::{Acct, CountedEdges, LowWater, NewFrames};
use lucce_profiles::metrics;
use lucce_profiles::schedule::Schedule;
use lucce_profiles::trace::{Cursor, StackChange, TraceContext};
use lucce_words::MethodId;

use super::super::stream::Stream;

/// One thread under one sampler.
struct Thread {
    low: LowWater,
    acct: Acct<TraceContext>,
}

/// A trigger, and the tree that its samples make.
pub struct Sampler {
    schedule: Box<dyn Schedule<MethodId>>,
    weights: CountedEdges,
    limit: Option<usize>,
    threads: BTreeMap<u32, Thread>,
    samples: u64,
}

/// What the samples came to.
#[derive(Clone, Debug, Default)]
pub struct Sampled {
    /// The weights of contexts, threads' bases left out.
    pub weights: metrics::Weights<TraceContext>,
    /// The weight of what hangs below the root though it is deeper in truth: walks that a limit
    /// ended.
    pub misplaced: u64,
    pub samples: u64,
    /// Frames that were looked at.
    pub looked: u64,
}

impl Sampler {
    pub fn new(weights: CountedEdges, limit: Option<usize>, schedule: impl Schedule<MethodId> + 'static) -> Self {
        Self { schedule: Box::new(schedule), weights, limit, threads: BTreeMap::new(), samples: 0 }
    }

    /// A thread's stack has been as low as `lowest`, and is this now, by a call.
    fn enter(&mut self, thread: u32, lowest: usize, stack: &[TraceContext], method: MethodId, time: u64) {
        let new = || Thread { low: LowWater::default(), acct: Acct::new(self.weights, self.limit) };
        let thread = self.threads.entry(thread).or_insert_with(new);
        thread.low.moved(lowest, false);
        thread.low.moved(stack.len(), true);
        if self.schedule.takes(&method, time) {
            thread.acct.sample(stack, thread.low.sample());
            self.samples += 1;
        }
    }

    fn end(self, stream: &Stream) -> Sampled {
        let mut sum = Sampled { samples: self.samples, ..Sampled::default() };
        for thread in self.threads.into_values() {
            sum.looked += thread.acct.looked();
            // Without a limit every path is whole, so a context says all of it.
            if self.limit.is_none() {
                for (context, weight) in thread.acct.by_context() {
                    *sum.weights.entry(context).or_insert(0) += weight;
                }
                continue;
            }
            for (path, weight) in thread.acct.weights() {
                let is_whole = path.first().is_some_and(|&first| stream.paths.depth(first) == 1);
                match path.last() {
                    Some(&last) if is_whole => *sum.weights.entry(last).or_insert(0) += weight,
                    _ => sum.misplaced += weight,
                }
            }
        }
        sum
    }
}

/// The tree itself, and entries whose call is not in the stream.
#[derive(Default)]
pub struct Exhaustive {
    /// Calls of each context; 0 for those above one that were not entered themselves.
    pub counts: metrics::Weights<TraceContext>,
    /// The same with activations that were found on the stack, without an entry.
    pub with_found: metrics::Weights<TraceContext>,
}

/// Shows all entries to all samplers.
pub fn run(stream: &Stream, mut samplers: Vec<Sampler>) -> (Exhaustive, Vec<Sampled>) {
    let (mut threads, mut all) = (BTreeMap::<u32, Cursor>::new(), Exhaustive::default());
    for entry in stream.entries() {
        let cursor = threads.entry(entry.thread).or_default();
        // The base of a thread is no call.
        let frames = |cursor: &Cursor| cursor.stack().len().saturating_sub(1);
        let (mut now, mut method) = (frames(cursor), MethodId::ROOT);
        let mut lowest = now;
        cursor.enter(&stream.paths, entry.context, |step| match step {
            StackChange::Return(..) => {
                now = now.saturating_sub(1);
                lowest = lowest.min(now);
            }
            StackChange::Found(id, node) if node.method != MethodId::ROOT => {
                now += 1;
                all.counts.entry(id).or_insert(0);
                *all.with_found.entry(id).or_insert(0) += 1;
            }
            StackChange::Call(id, node) if node.method != MethodId::ROOT => {
                method = node.method;
                *all.counts.entry(id).or_insert(0) += 1;
                *all.with_found.entry(id).or_insert(0) += 1;
            }
            StackChange::Found(..) | StackChange::Call(..) => {}
        });
        let stack = cursor.stack().get(1..).unwrap_or_default();
        if method != MethodId::ROOT {
            samplers.iter_mut().for_each(|sampler| sampler.enter(entry.thread, lowest, stack, method, entry.time));
        }
    }
    (all, samplers.into_iter().map(|sampler| sampler.end(stream)).collect())
}

#[cfg(test)]
mod tests {
    use lucce_profiles::schedule::Each;

    use super::super::super::stream::{example, program};
    use super::*;

    #[test]
    fn every_entry_sampled_is_the_tree_and_a_limit_of_one_misplaces_what_is_deeper() {
        let stream = example::main_p_q();
        let each = |limit| Sampler::new(CountedEdges::Last, limit, Each::exactly(1));
        let (all, sampled) = run(&stream, vec![each(None), each(Some(9)), each(Some(1))]);
        let counts = [(2, 1), (3, 1), (4, 6)].map(|(id, count)| (TraceContext(id), count));
        assert_eq!(all.counts, metrics::Weights::from(counts));
        assert_eq!((&sampled[0].weights, &sampled[1].weights), (&all.counts, &all.counts));
        assert_eq!(sampled[2].misplaced, 0, "each call has one new frame");
        let (_, sampled) = run(&stream, vec![Sampler::new(CountedEdges::Last, Some(1), Each::exactly(2))]);
        // The first sample is in p, two frames deep; it is taken for a base. The others are in q,
        // likewise.
        assert_eq!((sampled[0].misplaced, sampled[0].samples), (4, 4));
    }

    #[test]
    fn an_activation_that_was_not_entered_is_found() {
        let stream = program(&[1, 2], [3]);
        let sampler = |weights| Sampler::new(weights, None, Each::exactly(1));
        let (all, sampled) = run(&stream, vec![sampler(CountedEdges::Last), sampler(CountedEdges::AllNew)]);
        assert_eq!(all.counts, metrics::Weights::from([(TraceContext(2), 0), (TraceContext(3), 1)]));
        assert_eq!((&sampled[0].weights, &sampled[1].weights), (&all.counts, &all.with_found));
    }
}
