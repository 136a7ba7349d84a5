//! Which part of a product of targets and JVMs a run takes (`jvm-tests/src/turn.rs`).
//!
//! Invariant: the usual run has each target on one JVM of each pair that is much alike, and each
//! JVM has many targets; a whole run has all.
//! Source: CONTRIBUTING ("Which combinations run").

use std::collections::BTreeMap;

use lucce_jvm_tests::{Jvm, MATRIX, turn};

#[test]
fn each_target_runs_on_one_jvm_of_each_pair_and_each_jvm_has_its_share() {
    let there: Vec<u32> = MATRIX.into_iter().filter(|feature| Jvm::of(*feature).is_some()).collect();
    let mut share = BTreeMap::new();
    for target in (0..100).map(|nth| format!("Target{nth}")) {
        let taken = turn::of_pairs(&target, &MATRIX);
        for pair in turn::PAIRS {
            let of_pair = pair.iter().filter(|feature| there.contains(feature));
            let expected = if turn::is_whole() { of_pair.count() } else { of_pair.count().min(1) };
            assert_eq!(taken.iter().filter(|feature| pair.contains(feature)).count(), expected, "{target}: {taken:?}");
        }
        let with_c2 = taken.iter().filter(|feature| turn::is(&target, &taken, **feature)).count();
        assert_eq!(with_c2, if turn::is_whole() { taken.len() } else { 1 }, "{target}: {taken:?}");
        taken.into_iter().for_each(|feature| *share.entry(feature).or_insert(0) += 1);
    }
    assert!(there.iter().all(|feature| share.get(feature) > Some(&25)), "{share:?}");
}

#[test]
fn a_target_of_few_jvms_runs_on_those_alone() {
    for (among, usual) in [(&[17, 25][..], 2), (&[21, 25], 1), (&[17], 1)] {
        let there = among.iter().filter(|feature| Jvm::of(**feature).is_some()).count();
        let taken = turn::of_pairs("Records", among);
        assert!(taken.iter().all(|feature| among.contains(feature)), "{taken:?}");
        assert_eq!(taken.len(), if turn::is_whole() { there } else { there.min(usual) }, "{taken:?} of {among:?}");
    }
}
