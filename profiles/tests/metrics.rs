//! Distances between profiles, by hand and by what must hold of any two; and the schedules.
//!
//! Source: HCCT, section 5; ACCT, sections 3.2 and 4.

use std::collections::BTreeMap;

use lucce_profiles::metrics::{
    Weights, covered, errors, false_negatives, false_positives, hot_edge_coverage, least_tau, overlap, pairs, spearman,
    uncovered,
};
use lucce_profiles::schedule::{Bursts, Each, MethodCounters, Schedule, Ticks};
use proptest::prelude::*;

fn weights(of: &[(char, u64)]) -> Weights<char> {
    of.iter().copied().collect()
}

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-9
}

#[test]
fn an_example_by_hand() {
    let exact = weights(&[('a', 60), ('b', 30), ('c', 6), ('d', 4)]);
    let profile = weights(&[('a', 5), ('b', 4), ('d', 1)]);
    assert!(near(overlap(&profile, &exact), 0.5 + 0.3 + 0.04));
    assert!(near(covered(&profile, &exact), 0.94));
    assert!(
        near(hot_edge_coverage(&profile, &exact, 0.5), 1.0)
            && near(hot_edge_coverage(&profile, &exact, 0.1), 2.0 / 3.0)
    );
    let (mean, most) = uncovered(&profile, &exact);
    assert!(near(mean, 0.1) && near(most, 0.1) && near(least_tau(&profile, &exact), 0.1));
    assert!(near(false_positives(&profile, &exact, 10), 1.0 / 3.0));
    assert_eq!((false_negatives(&profile, &exact, 6), false_negatives(&profile, &exact, 7)), (1, 0));
    // Scaled by ten: 50 for 60, 40 for 30.
    let (mean, most) = errors(&profile, &exact, 30, 10.0);
    assert!(near(mean, (1.0 / 6.0 + 1.0 / 3.0) / 2.0) && near(most, 1.0 / 3.0));
    assert_eq!(pairs(&profile, &exact, 2), [('a', 0.6, 0.5), ('b', 0.3, 0.4)]);
    // Ranks 4 3 2 1 and 4 3 1 2.
    assert!(near(spearman(&profile, &exact), 0.8));
}

proptest! {
    #[test]
    fn a_profile_is_like_itself(counts in prop::collection::btree_map(0..50_u8, 1..1000_u64, 1..30), times in 1..9_u64) {
        let many: BTreeMap<_, _> = counts.iter().map(|(key, count)| (*key, count * times)).collect();
        prop_assert!(near(overlap(&counts, &many), 1.0) && near(covered(&counts, &many), 1.0));
        prop_assert!(near(spearman(&counts, &many), 1.0));
        prop_assert_eq!(uncovered(&counts, &many), (0.0, 0.0));
        prop_assert!(near(errors(&counts, &many, 1, times as f64).1, 0.0));
    }

    #[test]
    fn overlap_is_symmetric_and_at_most_one(
        one in prop::collection::btree_map(0..30_u8, 1..1000_u64, 1..30),
        other in prop::collection::btree_map(0..30_u8, 1..1000_u64, 1..30),
    ) {
        let shared = overlap(&one, &other);
        prop_assert!((0.0..=1.0 + 1e-9).contains(&shared) && near(shared, overlap(&other, &one)));
        prop_assert!((-1.0 - 1e-9..=1.0 + 1e-9).contains(&spearman(&one, &other)));
        prop_assert!(near(hot_edge_coverage(&one, &other, least_tau(&one, &other) + 1e-9), 1.0));
    }

    #[test]
    fn distances_vary_by_an_eighth_and_no_more(period in 1..500_u64, seed in any::<u64>()) {
        let mut each = Each::jittered(period, seed);
        let taken: Vec<u64> = (0..5000).filter(|_| each.takes(&(), 0)).collect();
        prop_assert!(taken.first().is_some_and(|first| *first < period));
        for pair in taken.windows(2) {
            prop_assert!((pair[1] - pair[0]).abs_diff(period) <= period / 8);
        }
    }
}

fn taken(mut schedule: impl Schedule<()>, times: impl IntoIterator<Item = u64>) -> Vec<u64> {
    times.into_iter().filter(|&time| schedule.takes(&(), time)).collect()
}

#[test]
fn schedules_take_what_they_say() {
    assert_eq!(taken(Each::exactly(3), 0..10), [2, 5, 8]);
    assert_eq!(taken(Ticks::new(10), [0, 9, 10, 12, 19, 35, 36, 40]), [10, 35, 40]);
    assert_eq!(taken(Bursts::of_entries(2, 5), 100..112), [100, 101, 105, 106, 110, 111]);
    assert_eq!(taken(Bursts::of_time(3, 10), [0, 2, 3, 9, 11, 25]), [0, 2, 11]);
}

#[test]
fn a_methods_counter_fades() {
    let mut counters = MethodCounters::new(4, 8);
    let took: Vec<bool> = (0..6).map(|_| counters.takes(&'a', 0)).collect();
    assert_eq!(took, [false, false, false, true, false, false]);
    assert_eq!(counters.counter(&'a'), 2);
    (0..2).for_each(|_| assert!(!counters.takes(&'b', 0)));
    assert_eq!((counters.counter(&'a'), counters.counter(&'b')), (1, 1), "halved after eight entries");
    assert!((0..16).filter(|_| counters.takes(&'b', 0)).count() > 1);
    assert_eq!(counters.counter(&'a'), 0);
}
