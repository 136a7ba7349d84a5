//! Random call, return, throw and callback traces over random growing graphs, against an explicit
//! stack.
//!
//! Every word is decoded at once, in the end, and after a replay of the changes.
//! Source: docs/design/mechanisms.md, docs/design/words-and-numbering.md ("Numbering"),
//! docs/design/thread-state.md.

mod machine;

use lucce_encoding::Change;
use lucce_words::APPENDED;
use machine::{Machine, Op};
use proptest::prelude::*;

fn op() -> impl Strategy<Value = Op> {
    let call = (0..3u8, any::<u8>(), any::<u8>());
    prop_oneof![
        12 => call.clone().prop_map(|(thread, site, callee)| Op::Call { thread, site, callee, restoring: false }),
        3 => call.clone().prop_map(|(thread, site, callee)| Op::Call { thread, site, callee, restoring: true }),
        3 => (call, any::<u8>(), any::<bool>())
            .prop_map(|((thread, site, callee), from, mark)| Op::Callback { thread, site, callee, from, mark }),
        7 => (0..3u8).prop_map(|thread| Op::Return { thread }),
        2 => (0..3u8, 1..12u8).prop_map(|(thread, frames)| Op::Throw { thread, frames }),
        1 => Just(Op::Renumber),
    ]
}

fn run(methods: u8, constructors: u8, ops: &[Op]) -> Machine {
    let mut machine = Machine::new(methods, constructors);
    ops.iter().for_each(|&op| machine.run(op));
    machine
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, max_shrink_iters: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_word_decodes_to_the_stack(
        methods in 2..14u8,
        constructors in any::<u8>(),
        ops in prop::collection::vec(op(), 1..400),
    ) {
        run(methods, constructors, &ops).verify();
    }

    #[test]
    fn what_survives_lost_changes_is_right_or_unknown(
        methods in 2..10u8,
        ops in prop::collection::vec(op(), 1..200),
        lost in prop::collection::btree_set(0..200usize, 1..6),
    ) {
        let machine = run(methods, 0b10, &ops);
        let kept = machine.changes.iter().enumerate().filter(|(at, _)| !lost.contains(at)).map(|(_, change)| *change);
        machine.verify_damaged(kept);
    }

    #[test]
    fn a_keyframe_brings_the_current_version_back(
        methods in 2..10u8,
        ops in prop::collection::vec(op(), 1..200),
        lost in 1..100usize,
    ) {
        let machine = run(methods, 0b10, &ops);
        let keyframe = machine.encoder.snapshot().keyframe().collect::<Vec<_>>();
        let lost = lost.min(machine.changes.len());
        let kept = machine.changes.iter().skip(lost).chain(&keyframe);
        machine.verify_current(kept.copied());
        machine.verify_damaged(machine.changes.iter().chain(&keyframe).copied());
    }
}

/// A fixed, long trace.
fn long_trace() -> Machine {
    let mut random = 7u64;
    let mut next = move || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 40) as u8
    };
    let mut machine = Machine::new(40, 0b1000_0100);
    for nth in 0..30_000 {
        let (thread, site, callee) = (next() % 3, next(), next());
        machine.run(match next() % 16 {
            0..=6 => Op::Call { thread, site, callee, restoring: false },
            7 => Op::Call { thread, site, callee, restoring: true },
            8 => Op::Callback { thread, site, callee, from: next(), mark: next() % 2 == 0 },
            9 => Op::Throw { thread, frames: next() % 20 },
            _ if nth % 3000 == 0 => Op::Renumber,
            _ => Op::Return { thread },
        });
    }
    machine
}

#[test]
fn a_long_trace_decodes_over_many_versions() {
    let machine = long_trace();
    let stats = machine.encoder.stats();
    println!("{stats:?}");
    assert!(machine.entered_by_value > 50, "{}", machine.entered_by_value);
    assert!(stats.versions > 3 && stats.cut_by_cycle > 10 && stats.unrolled > 0 && stats.translations > 10);
    machine.verify();
}

#[test]
fn the_oracle_sees_a_wrong_edge_and_a_wrong_addition_value() {
    let machine = long_trace();
    let wrong = |harm: &dyn Fn(&Change) -> Option<Change>| {
        let at = machine.changes.iter().rposition(|change| harm(change).is_some()).unwrap();
        let changes = machine.changes.iter().enumerate();
        machine.mismatches(changes.map(|(nth, change)| harm(change).filter(|_| nth == at).unwrap_or(*change)))
    };
    assert_eq!(wrong(&|change| Some(*change)), 0);
    let other_caller = wrong(&|change| match *change {
        Change::Segment { edge, version, lo, len, restoring, base } if lo == APPENDED && len > 1 => {
            let edge = machine.twin(edge)?;
            Some(Change::Segment { edge, version, lo, len, restoring, base })
        }
        _ => None,
    });
    assert!(other_caller > 0);
    let shifted = wrong(&|change| match *change {
        Change::Segment { edge, version, lo, len, restoring, base } if lo > APPENDED => {
            Some(Change::Segment { edge, version, lo: lo - 1, len, restoring, base })
        }
        _ => None,
    });
    assert!(shifted > 0);
}
