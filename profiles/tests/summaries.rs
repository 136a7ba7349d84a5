//! What summaries promise of every stream.
//!
//! Source: HCCT, sections 2.2 and 4; Manku, Motwani 2002.

use lucce_profiles::summary::{Buckets, Exact, Lazy, Lossy, SpaceSaving, Sticky, StreamSummary, threshold};
use proptest::prelude::*;

/// Items of which some are frequent, each with its weight.
fn stream(most: u64) -> impl Strategy<Value = Vec<(u32, u64)>> {
    let item = prop_oneof![3 => 0..4_u32, 2 => 4..20_u32, 1 => 20..400_u32];
    prop::collection::vec((item, 1..=most), 0..600)
}

/// Offers all; after each item the exact counts lie within the bounds.
fn check(summary: &mut impl StreamSummary<u32>, stream: &[(u32, u64)], eps: f64) -> Result<(), TestCaseError> {
    let (mut exact, mut victims) = (Exact::new(), Vec::new());
    for &(item, weight) in stream {
        exact.offer(item, weight, &mut victims);
        summary.offer(item, weight, &mut victims);
        for victim in victims.drain(..) {
            prop_assert!(summary.bounds(&victim).is_none(), "{victim} is kept, and a victim");
        }
        prop_assert!(summary.unseen() as f64 <= eps * exact.total() as f64);
    }
    prop_assert_eq!(summary.total(), exact.total());
    for (item, &count) in exact.counts() {
        match summary.bounds(item) {
            Some(bounds) => prop_assert!((bounds.low..=bounds.high).contains(&count), "{item}: {count} {bounds:?}"),
            None => prop_assert!(count <= summary.unseen(), "{item}: {count} > {}", summary.unseen()),
        }
    }
    for phi in [0.02, 0.05, 0.1, 0.3].into_iter().filter(|&phi| phi > eps) {
        let found: Vec<u32> = summary.frequent(phi).into_iter().map(|(item, _)| item).collect();
        let (most, least) = (threshold(phi, exact.total()), ((phi - eps) * exact.total() as f64).floor() as u64);
        for (item, &count) in exact.counts() {
            // An item of the threshold is kept, unless one that is not kept may have as much.
            prop_assert!(count < most || summary.unseen() >= most || found.contains(item), "{item}: {count} at {phi}");
            prop_assert!(count >= least || !found.contains(item), "{item}: {count} below {least} at {phi}");
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn space_saving_with_a_lazy_queue(stream in stream(3), counters in 1..60_usize) {
        let mut summary = SpaceSaving::<_, Lazy>::new(counters);
        check(&mut summary, &stream, 1.0 / counters as f64)?;
        let sum: u64 = summary.kept().iter().map(|(_, bounds)| bounds.high).sum();
        prop_assert_eq!(sum, summary.total(), "the counters sum up to the total");
    }

    #[test]
    fn space_saving_with_buckets(stream in stream(3), counters in 1..60_usize) {
        check(&mut SpaceSaving::<_, Buckets>::new(counters), &stream, 1.0 / counters as f64)?;
    }

    #[test]
    fn both_queues_agree_after_each_item(stream in stream(3), counters in 1..40_usize) {
        let (mut lazy, mut buckets) = (SpaceSaving::<_, Lazy>::new(counters), SpaceSaving::<_, Buckets>::new(counters));
        let (mut one, mut other) = (Vec::new(), Vec::new());
        for (item, weight) in stream {
            lazy.offer(item, weight, &mut one);
            buckets.offer(item, weight, &mut other);
            prop_assert_eq!(&one, &other);
            prop_assert_eq!(lazy.kept(), buckets.kept());
        }
    }

    #[test]
    fn a_look_for_the_least_takes_two_steps_on_average(stream in stream(1), counters in 1..60_usize) {
        let (mut summary, mut victims) = (SpaceSaving::<_, Lazy>::new(counters), Vec::new());
        for &(item, weight) in &stream {
            summary.offer(item, weight, &mut victims);
        }
        // Each offer increments, and each victim was looked for. The first look begins at no known
        // value.
        let operations = (stream.len() + victims.len()) as u64;
        let steps = summary.counters().steps();
        prop_assert!(steps <= 2 * operations + 2 * counters as u64, "{steps} steps for {operations} operations");
    }

    #[test]
    fn lossy_counting(stream in stream(3), window in 1..60_u32) {
        check(&mut Lossy::new(1.0 / f64::from(window)), &stream, 1.0 / f64::from(window))?;
    }

    #[test]
    fn what_fits_is_exact(stream in stream(3)) {
        let mut summary = SpaceSaving::<_, Lazy>::new(400);
        check(&mut summary, &stream, 1.0 / 400.0)?;
        prop_assert!(summary.is_exact() && summary.kept().iter().all(|(_, bounds)| bounds.low == bounds.high));
    }

    #[test]
    fn sticky_sampling_never_counts_too_much(stream in stream(3), seed in any::<u64>()) {
        let (mut sticky, mut exact, mut victims) = (Sticky::new(0.1, 0.05, 0.01, seed), Exact::new(), Vec::new());
        for &(item, weight) in &stream {
            sticky.offer(item, weight, &mut victims);
            exact.offer(item, weight, &mut victims);
        }
        for (item, bounds) in sticky.kept() {
            prop_assert!(bounds.low <= exact.counts()[&item], "{item}: {bounds:?}");
        }
    }
}

/// With a fixed seed it either holds or does not; with this one it does, as with all but a
/// hundredth of them.
#[test]
fn sticky_sampling_finds_the_frequent() {
    let (mut sticky, mut victims) = (Sticky::new(0.1, 0.02, 0.01, 7), Vec::new());
    for at in 0..200_000_u32 {
        sticky.offer(if at % 4 == 0 { 1 } else { at }, 1, &mut victims);
        victims.clear();
    }
    let kept = sticky.kept();
    let bounds = sticky.bounds(&1).expect("it is kept");
    assert!((bounds.low..=bounds.high).contains(&50_000), "{bounds:?}");
    assert!(kept.len() < 2000, "{} items are kept", kept.len());
    assert_eq!(sticky.frequent(0.1).first().map(|(item, _)| *item), Some(1));
}

/// With `floor(phi * total)` as the threshold, an item at `floor((phi - eps) * total)` can be
/// reported; none below can.
#[test]
fn rounding_lets_an_item_at_the_lower_threshold_in() {
    let (mut summary, mut victims) = (SpaceSaving::<_, Lazy>::new(3), Vec::new());
    for item in [1, 1, 2, 2, 3, 3, 4] {
        summary.offer(item, 1, &mut victims);
    }
    // phi is 1/2 and eps 1/3: thresholds 3 and 1. Item 4 came once.
    assert_eq!(summary.frequent(0.5).iter().map(|(item, _)| *item).collect::<Vec<_>>(), [4]);
    assert_eq!(((0.5_f64 - 1.0 / 3.0) * 7.0).floor(), 1.0);
}
