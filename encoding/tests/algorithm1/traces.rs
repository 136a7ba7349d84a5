//! Random traces of several threads, against explicit stacks.

use lucce_encoding::algorithm1::*;
use lucce_encoding::{DecodedFrame, End};
use lucce_words::*;
use proptest::prelude::*;

use crate::natural::Natural;

#[derive(Clone, Copy, Debug)]
enum Op {
    Call { thread: u8, site: u8, callee: u8 },
    Leave { thread: u8, frames: u8 },
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        3 => (0..3u8, any::<u8>(), any::<u8>()).prop_map(|(thread, site, callee)| Op::Call { thread, site, callee }),
        1 => (0..3u8, 1..5u8).prop_map(|(thread, frames)| Op::Leave { thread, frames }),
    ]
}

struct TracedRun<C> {
    graph: Algorithm1<C>,
    events: Vec<HistoryEvent<C>>,
    checks: Vec<(MethodId, Encoding<C>, Vec<DecodedFrame>)>,
    refused: Option<Refused>,
}

fn site(method: MethodId, nth: u8) -> SiteId {
    SiteId(method.0 * 4 + u32::from(nth % 3) + 2)
}

fn run<C: CallId>(methods: u8, limit: Version, ops: &[Op]) -> TracedRun<C> {
    let mut graph = Algorithm1::new(limit);
    let all = || (1..=u32::from(methods)).map(MethodId);
    all().for_each(|method| (0..3).for_each(|nth| graph.add_site(site(method, nth), method)));
    let mut stacks: [Vec<(MethodId, SiteId, Encoding<C>)>; 3] = Default::default();
    let mut run = TracedRun { graph, events: Vec::new(), checks: Vec::new(), refused: None };
    for &op in ops {
        match op {
            Op::Call { thread, site: nth, callee } => {
                let stack = &mut stacks[usize::from(thread)];
                let callee = MethodId(1 + u32::from(callee % methods));
                let (from, at) = match stack.last() {
                    Some((method, _, at)) => (site(*method, nth), at.clone()),
                    None => (SiteId::ROOT, run.graph.root()),
                };
                match run.graph.update(from, callee, &at) {
                    Ok(at) => stack.push((callee, from, at)),
                    Err(refused) => run.refused = run.refused.or(Some(refused)),
                }
            }
            Op::Leave { thread, frames } => {
                let stack = &mut stacks[usize::from(thread)];
                stack.truncate(stack.len().saturating_sub(usize::from(frames)));
            }
        }
        run.events.extend(run.graph.take_events());
        for stack in &stacks {
            let Some((method, _, at)) = stack.last() else { continue };
            let called = stack[1..].iter().map(|(_, site, _)| Some(*site)).chain([None]);
            let mut frames: Vec<_> =
                stack.iter().zip(called).map(|((method, ..), site)| DecodedFrame { method: *method, site }).collect();
            frames.reverse();
            let decoded = run.graph.history().decode(*method, at);
            assert_eq!((decoded.end, &decoded.frames), (End::Root, &frames));
            run.checks.push((*method, at.clone(), frames));
        }
    }
    let mut replayed = History::new();
    all().for_each(|method| (0..3).for_each(|nth| replayed.add_site(site(method, nth), method)));
    run.events.iter().for_each(|event| replayed.apply(event).unwrap());
    for history in [run.graph.history(), replayed] {
        for (method, at, frames) in &run.checks {
            let decoded = history.decode(*method, at);
            assert_eq!((decoded.end, &decoded.frames), (End::Root, frames));
        }
    }
    run
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 50, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_encoding_decodes_to_the_stack(methods in 1..9u8, ops in prop::collection::vec(op(), 1..150)) {
        assert_eq!(run::<Natural>(methods, Version(u32::MAX), &ops).refused, None);
    }

    #[test]
    fn numbers_or_versions_that_run_out_leave_every_encoding_right(
        methods in 1..4u8,
        versions in 10..600u32,
        ops in prop::collection::vec(op(), 1..150),
    ) {
        run::<u64>(methods, Version(versions), &ops);
    }
}

#[test]
fn recursion_at_two_sites_exhausts_the_call_ids_of_a_long() {
    let calls: Vec<_> = (0..400).map(|nth| Op::Call { thread: 0, site: nth as u8 % 2, callee: 0 }).collect();
    assert_eq!(run::<u64>(1, Version(u32::MAX), &calls).refused, Some(Refused::CallIds));
    assert_eq!(Refused::CallIds.to_string(), "callId exhausted");
}

#[test]
fn a_version_for_every_change_exhausts_the_versions() {
    let calls: Vec<_> = (0..100).map(|_| Op::Call { thread: 0, site: 0, callee: 0 }).collect();
    assert_eq!(run::<Natural>(1, Version(20), &calls).refused, Some(Refused::Versions));
    assert_eq!(Refused::Versions.to_string(), "versions exhausted");
}

/// Found by the property above while av counted a method's own calls of itself with the count just
/// set, as the paper's text has it: the last call came out as a call from method 2.
#[test]
fn a_method_that_calls_itself_counts_with_its_value_before_the_update() {
    let calls = [(1, 0, 0), (2, 0, 1), (2, 0, 1), (0, 0, 0), (1, 0, 1), (0, 2, 0), (1, 0, 0), (1, 2, 0)];
    let ops = calls.map(|(thread, site, callee)| Op::Call { thread, site, callee });
    assert_eq!(run::<u64>(2, Version(u32::MAX), &ops).refused, None);
}

#[test]
fn a_replay_stops_at_a_missing_event() {
    let calls: Vec<_> = (0..9).map(|_| Op::Call { thread: 0, site: 0, callee: 0 }).collect();
    let run = run::<u64>(1, Version(u32::MAX), &calls);
    let mut replayed = History::new();
    (0..3).for_each(|nth| replayed.add_site(site(MethodId(1), nth), MethodId(1)));
    let missing = run.events.len() / 2;
    let applied =
        run.events.iter().enumerate().filter(|(at, _)| *at != missing).map(|(_, event)| replayed.apply(event));
    assert_eq!(applied.filter(Result::is_err).count(), run.events.len() - 1 - missing);
}
