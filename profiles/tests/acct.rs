//! Samples that are spliced: the same tree as whole walks, the same new frames by bits and by low
//! water, and the paper's Fig. 6.
//!
//! Source: ACCT, section 3, Fig. 6.

use std::collections::BTreeMap;

use lucce_profiles::acct::{Acct, Bits, CountedEdges, LowWater, NewFrames};
use lucce_profiles::schedule::{Each, Schedule};
use proptest::prelude::*;

/// The tree by walking each whole stack: the weights of the paths that the strategy counts.
#[derive(Default)]
struct Walked(BTreeMap<Vec<u8>, u64>);

impl Walked {
    fn sample(&mut self, weights: CountedEdges, stack: &[u8], old: usize) {
        for depth in 1..=stack.len() {
            let counts = if weights == CountedEdges::AllNew { depth > old } else { depth == stack.len() };
            *self.0.entry(stack[..depth].to_vec()).or_default() += u64::from(counts);
        }
    }
}

/// Calls (a method below 4) and returns, each perhaps sampled.
fn moves() -> impl Strategy<Value = Vec<(Option<u8>, bool)>> {
    let call = prop_oneof![5 => (0..4_u8).prop_map(Some), 4 => Just(None)];
    prop::collection::vec((call, prop::bool::weighted(0.3)), 0..200)
}

/// Runs them: what happens at a sample, given stack and the frames that both ways call old.
fn run(moves: &[(Option<u8>, bool)], mut sampled: impl FnMut(&[u8], usize)) -> Result<(), TestCaseError> {
    let (mut stack, mut bits, mut low) = (Vec::new(), Bits::default(), LowWater::default());
    for &(call, samples) in moves {
        match call {
            Some(method) => stack.push(method),
            None => drop(stack.pop()),
        }
        bits.moved(stack.len(), call.is_some());
        low.moved(stack.len(), call.is_some());
        if samples && !stack.is_empty() {
            let old = bits.sample();
            prop_assert_eq!(old, low.sample());
            sampled(&stack, old);
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn splicing_makes_the_tree_of_whole_walks(moves in moves(), all in any::<bool>()) {
        let weights = if all { CountedEdges::AllNew } else { CountedEdges::Last };
        let (mut spliced, mut walked) = (Acct::new(weights, None), Walked::default());
        run(&moves, |stack, old| {
            spliced.sample(stack, old);
            walked.sample(weights, stack, old);
        })?;
        prop_assert_eq!(spliced.weights(), walked.0);
    }

    #[test]
    fn a_limit_that_no_stack_reaches_changes_nothing(moves in moves()) {
        let (mut with, mut without) = (Acct::new(CountedEdges::Last, Some(1000)), Acct::new(CountedEdges::Last, None));
        run(&moves, |stack, old| {
            with.sample(stack, old);
            without.sample(stack, old);
        })?;
        prop_assert_eq!(with.weights(), without.weights());
    }

    #[test]
    fn no_sample_looks_at_more_frames_than_the_limit(moves in moves(), limit in 1..5_usize) {
        let mut acct = Acct::new(CountedEdges::Last, Some(limit));
        let (mut samples, mut suffixes) = (0, true);
        run(&moves, |stack, old| {
            let before = acct.looked();
            acct.sample(stack, old);
            samples += 1;
            suffixes &= acct.looked() - before <= limit as u64;
        })?;
        prop_assert!(suffixes);
        let weight: u64 = acct.weights().values().sum();
        prop_assert_eq!(weight, samples, "the last edge counts each sample once");
    }

    #[test]
    fn with_a_period_of_one_it_is_the_calling_context_tree(moves in moves(), all in any::<bool>()) {
        let (mut acct, mut counts) = (Acct::new(if all { CountedEdges::AllNew } else { CountedEdges::Last }, None), BTreeMap::new());
        let each: Vec<_> = moves.iter().map(|&(call, _)| (call, call.is_some())).collect();
        run(&each, |stack, old| {
            acct.sample(stack, old);
            *counts.entry(stack.to_vec()).or_insert(0) += 1;
        })?;
        prop_assert_eq!(acct.weights(), counts);
    }
}

/// The weights of the edges a-b and b-c: b is called 10 times by a, and each time calls c 100
/// times.
fn figure_6(weights: CountedEdges, mut schedule: Each) -> (u64, u64) {
    let (mut acct, mut low) = (Acct::new(weights, None), LowWater::default());
    let mut enter = |stack: &[char]| {
        low.moved(stack.len(), true);
        if schedule.takes(&(), 0) {
            acct.sample(stack, low.sample());
        }
    };
    enter(&['a']);
    for _ in 0..10 {
        enter(&['a', 'b']);
        (0..100).for_each(|_| enter(&['a', 'b', 'c']));
    }
    let weights = acct.weights();
    let weight = |path: &[char]| weights.get(path).copied().unwrap_or(0);
    (weight(&['a', 'b']), weight(&['a', 'b', 'c']))
}

#[test]
fn figure_6_is_exact_with_a_period_of_one() {
    for weights in [CountedEdges::AllNew, CountedEdges::Last] {
        assert_eq!(figure_6(weights, Each::exactly(1)), (10, 1000));
    }
}

/// The paper: for any rate above 100 both are new at each sample, so that their edges weigh the
/// same.
#[test]
fn all_new_edges_are_wrong_in_figure_6_and_the_last_is_not() {
    for period in [101, 103, 150] {
        for schedule in [Each::exactly(period), Each::jittered(period, 5)] {
            let (b, c) = figure_6(CountedEdges::AllNew, schedule.clone());
            assert!(b.abs_diff(c) <= 1, "{b}:{c} at {period}");
            let (b, c) = figure_6(CountedEdges::Last, schedule);
            assert!(b <= 1 && c >= 5, "{b}:{c} at {period}");
        }
    }
}
