//! Algorithm 1's atomic block, in every interleaving of two threads: update and version are one
//! step.
//!
//! Invariant: the model differs in one point alone, where the version is read. As the paper has it,
//! each encoding decodes to the path it was made for. With the block split in two, an interleaving
//! gives another path, and the twin of the test panics.
//! Source: Lucce section 5 ("atomic" in Algorithm 1); docs/design/published-encoders.md ("Algorithm
//! 1").

use std::sync::{Arc as Shared, Mutex as Results};

use loom::sync::{Arc, Mutex};
use loom::thread;
use lucce_encoding::algorithm1::{Algorithm1, Encoding};
use lucce_encoding::{DecodedFrame, End};
use lucce_words::{MethodId, SiteId};

const A: MethodId = MethodId(1);
const B: MethodId = MethodId(2);
const F: MethodId = MethodId(3);
const X: MethodId = MethodId(4);

fn site(method: MethodId) -> SiteId {
    SiteId(method.0 + 10)
}

/// Where an activation reads its version.
#[derive(Clone, Copy)]
enum Block {
    /// In the step that updates the graph.
    Whole,
    /// In a step of its own behind it.
    Split,
}

/// Entered: `callee` is called by `caller`'s activation `at`.
fn entered(
    graph: &Mutex<Algorithm1<u64>>,
    caller: SiteId,
    callee: MethodId,
    at: &Encoding<u64>,
    block: Block,
) -> Encoding<u64> {
    let entered = graph.lock().unwrap().update(caller, callee, at).unwrap();
    match block {
        Block::Whole => entered,
        Block::Split => Encoding { version: graph.lock().unwrap().version(), ..entered },
    }
}

/// One thread calls F from B. The other calls A from X, after which the numbers of F that come from
/// A are twice as many. Says how many interleavings there were.
fn race(block: Block) -> usize {
    let outcomes = Shared::new(Results::new(0));
    let seen = outcomes.clone();
    loom::model(move || {
        let mut graph = Algorithm1::default();
        [A, B, F, X].iter().for_each(|&method| graph.add_site(site(method), method));
        let root = graph.root();
        let [a, b, x] = [A, B, X].map(|method| graph.update(SiteId::ROOT, method, &root).unwrap());
        graph.update(site(A), F, &a).unwrap();
        let graph = Arc::new(Mutex::new(graph));
        let other = graph.clone();
        let other = thread::spawn(move || entered(&other, site(X), A, &x, block));
        let f = entered(&graph, site(B), F, &b, block);
        let a = other.join().unwrap();
        let history = graph.lock().unwrap().history();
        for (method, at, caller) in [(F, f, B), (A, a, X)] {
            let decoded = history.decode(method, &at);
            let path = [DecodedFrame { method, site: None }, DecodedFrame { method: caller, site: Some(site(caller)) }];
            assert_eq!((decoded.end, &decoded.frames[..]), (End::Root, &path[..]), "another path");
        }
        *seen.lock().unwrap() += 1;
    });
    *outcomes.lock().unwrap()
}

#[test]
fn update_and_version_in_one_step_are_exact_in_every_interleaving() {
    assert!(race(Block::Whole) > 1);
}

#[test]
#[should_panic(expected = "another path")]
fn update_and_version_in_two_steps_are_not() {
    race(Block::Split);
}
