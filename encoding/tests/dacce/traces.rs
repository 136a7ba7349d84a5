//! Random traces of several threads with re-encodings at any moment, against explicit stacks.

use std::collections::{BTreeMap, BTreeSet};

use lucce_encoding::dacce::*;
use lucce_encoding::{DecodedFrame, End};
use lucce_words::*;
use proptest::prelude::*;

#[derive(Clone, Copy, Debug)]
enum Op {
    Call { thread: u8, site: u8, callee: u8 },
    Leave { thread: u8, frames: u8 },
    Reencode,
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        8 => (0..3u8, any::<u8>(), any::<u8>()).prop_map(|(thread, site, callee)| Op::Call { thread, site, callee }),
        3 => (0..3u8, 1..5u8).prop_map(|(thread, frames)| Op::Leave { thread, frames }),
        1 => Just(Op::Reencode),
    ]
}

const ENTRY: MethodId = MethodId(1);

fn site(method: MethodId, nth: u8) -> SiteId {
    SiteId(method.0 * 4 + u32::from(nth % 3))
}

/// An activation: the method, and the site it was called from.
type Activation = (MethodId, Option<SiteId>);

/// The frames of a stack, innermost first.
fn frames(stack: &[Activation]) -> Vec<DecodedFrame> {
    let sites = stack[1..].iter().map(|&(_, site)| site).chain([None]);
    let mut frames: Vec<_> =
        stack.iter().zip(sites).map(|(&(method, _), site)| DecodedFrame { method, site }).collect();
    frames.reverse();
    frames
}

/// Replays the trace, and compares all along the way and once more at the end.
fn run(methods: u8, ops: &[Op]) -> Characteristics {
    let mut graph = Dacce::new(ENTRY);
    for method in (1..=u32::from(methods)).map(MethodId) {
        (0..3).for_each(|nth| graph.add_site(site(method, nth), method));
    }
    let mut stacks: [Vec<Activation>; 3] = std::array::from_fn(|_| vec![(ENTRY, None)]);
    let mut threads: [DacceThread; 3] = std::array::from_fn(|_| graph.thread());
    let mut recorded: BTreeMap<(usize, Vec<Activation>), DacceContext> = BTreeMap::new();
    let mut calls = BTreeMap::new();
    let mut depths = 0;
    for &op in ops {
        match op {
            Op::Call { thread, site: nth, callee } => {
                let at = usize::from(thread);
                let callee = MethodId(1 + u32::from(callee % methods));
                let from = site(stacks[at][stacks[at].len() - 1].0, nth);
                graph.call(&mut threads[at], from, callee).unwrap();
                stacks[at].push((callee, Some(from)));
                *calls.entry((from, callee)).or_insert(0u64) += 1;
                depths += graph.capture(&threads[at]).stack.len() as u64;
            }
            Op::Leave { thread, frames } => {
                let at = usize::from(thread);
                for _ in 0..frames {
                    let Some(&(_, Some(from))) = stacks[at].last() else { break };
                    graph.leave(&mut threads[at], from).unwrap();
                    stacks[at].pop();
                }
            }
            Op::Reencode => graph.reencode(&mut threads).unwrap(),
        }
        let max_id = graph.dictionary().max_id();
        for (thread, stack) in threads.iter().zip(&stacks) {
            let context = graph.capture(thread);
            assert_eq!(context.id > max_id, !context.stack.is_empty());
            assert!(context.id <= 2 * max_id + 1);
            let decoded = graph.decode(&context);
            assert_eq!((decoded.end, decoded.frames), (End::Root, frames(stack)));
            // Equal paths have equal contexts as long as nothing is encoded anew.
            let known = recorded.entry((context.timestamp, stack.clone())).or_insert(context.clone());
            assert_eq!(*known, context);
        }
    }
    for ((_, stack), context) in &recorded {
        let decoded = graph.decode(context);
        assert_eq!((decoded.end, decoded.frames), (End::Root, frames(stack)));
    }
    // Different paths have different contexts.
    assert_eq!(recorded.values().collect::<BTreeSet<_>>().len(), recorded.len());

    let figures = graph.characteristics();
    let methods: BTreeSet<_> = calls.keys().map(|&(_, callee)| callee).chain([ENTRY]).collect();
    let hottest = |method| calls.iter().filter(|((_, callee), _)| *callee == method).map(|(_, &calls)| calls).max();
    assert_eq!((figures.nodes, figures.edges), (methods.len(), calls.len()));
    assert_eq!(figures.calls, calls.values().sum::<u64>());
    assert_eq!(figures.by_hottest, methods.into_iter().filter_map(hottest).sum::<u64>());
    assert_eq!(figures.depths, depths);
    assert!(figures.by_back_edges <= figures.by_stack && figures.by_stack <= figures.calls);
    figures
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_context_decodes_to_the_stack(methods in 1..9u8, ops in prop::collection::vec(op(), 1..150)) {
        run(methods, &ops);
    }
}

#[test]
fn a_warm_program_without_recursion_leaves_the_stack_alone() {
    // Three methods in a row, called at all their sites again and again.
    let round = (0..27u8).flat_map(|at| {
        let call = |nth, callee| Op::Call { thread: 0, site: nth, callee };
        [call(at % 3, 1), call(at / 3 % 3, 2), call(at / 9, 3), Op::Leave { thread: 0, frames: 3 }]
    });
    let once: Vec<_> = round.collect();
    let cold = run(4, &once);
    let warm = run(4, &[&once[..], &[Op::Reencode], &once[..]].concat());
    assert_eq!((cold.nodes, cold.edges, cold.max_id, cold.by_stack), (4, 9, 0, 81));
    assert_eq!((warm.nodes, warm.edges, warm.max_id, warm.by_stack, warm.timestamps), (4, 9, 26, 81, 1));
    assert_eq!((cold.mean_depth(), warm.mean_depth()), (2.0, 1.0));
    assert_eq!(warm.share_of_hottest(), 1.0 / 3.0);
}
