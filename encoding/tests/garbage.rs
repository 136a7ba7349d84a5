//! Changes that no encoder made: whatever a damaged log brings, a replay neither panics nor runs
//! away.
//!
//! Source: docs/FORMAT.md, "Numbering" (what a reader does with records that do not fit) and
//! "Damage".

use lucce_encoding::*;
use lucce_words::*;
use proptest::prelude::*;

fn number() -> impl Strategy<Value = u64> {
    prop_oneof![2 => BLOCK..BLOCK + 40, 2 => APPENDED..APPENDED + 40, 1 => NUMBER_LIMIT - 20..NUMBER_LIMIT + 20, 1 => any::<u64>()]
}

fn id() -> impl Strategy<Value = u32> {
    prop_oneof![9 => 0..6u32, 1 => any::<u32>()]
}

fn change() -> impl Strategy<Value = Change> {
    let version = || prop_oneof![9 => 0..5u32, 1 => 0..200_000u32].prop_map(Version);
    let edge = || id().prop_map(EdgeId);
    let segment = (edge(), version(), number(), number(), any::<bool>(), number());
    prop_oneof![
        4 => (edge(), id(), id()).prop_map(|(edge, site, callee)| Change::Edge { edge, site: SiteId(site), callee: MethodId(callee) }),
        1 => edge().prop_map(|edge| Change::Cut { edge }),
        1 => edge().prop_map(|edge| Change::Unrolled { edge }),
        1 => (0u32..12).prop_map(|method| Change::Unloaded { method: MethodId(method) }),
        6 => segment.prop_map(|(edge, version, lo, len, restoring, base)| {
            Change::Segment { edge, version, lo, len, restoring, base }
        }),
        2 => (edge(), version(), number()).prop_map(|(edge, version, number)| Change::CutNumber { edge, version, number }),
        2 => (version(), any::<u64>()).prop_map(|(version, digest)| Change::NewVersion { version, digest }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_replay_of_garbage_does_not_panic(
        changes in prop::collection::vec(change(), 1..60),
        words in prop::collection::vec((0..6u32, 0..5u32, any::<bool>(), number()), 1..20),
    ) {
        let mut replay = Replay::new();
        for method in 1..5 {
            replay.add_method(MethodId(method), method == 2).unwrap();
            replay.add_site(SiteId(method + 1), MethodId(method));
        }
        replay.add_site(SiteId(0), MethodId(77));
        for change in &changes {
            let _ = replay.apply(change);
        }
        let snapshot = replay.snapshot();
        for (method, version, chained, number) in words {
            let (mut method, mut word) = (MethodId(method), Word::new(Version(version), chained, number));
            for _ in 0..100 {
                let Ok(Below::Caller { caller, word: below, .. }) = snapshot.step(method, word) else { break };
                prop_assert_eq!(below.version(), word.version());
                (method, word) = (caller, below);
            }
        }
        prop_assert!((0..9).all(|method| snapshot.ranges(MethodId(method), Version(1)).all(|range| range.len > 0)));
        let mut again = Replay::new();
        (1..5).for_each(|method| again.add_site(SiteId(method + 1), MethodId(method)));
        for change in snapshot.keyframe() {
            let _ = again.apply(&change);
        }
    }
}
