//! The protocols between the one thread that changes the links and readers that hold no lock, in
//! every interleaving; where a page is given back, in all with one preemption. Loads choose among
//! all values that C11 lets them see, so one goes far.
//!
//! The tables are compiled from the crate's own sources, with loom's atomics in place of the
//! system's, and two records a page.
//! Invariant: a reader comes to the right word, or to none and asks the agent. Each test has a twin
//! that leaves out an ordering or a step: there some interleaving comes to another word, and the
//! twin panics.
//! Source: docs/design/link-tables.md; loom (C11 memory model).
#![cfg(not(miri))]

#[allow(dead_code, reason = "what no model calls")]
#[path = "../../src/cct/mod.rs"]
mod cct;
mod hooks;
#[allow(dead_code, reason = "what no model calls")]
#[path = "../../src/links/mod.rs"]
mod links;
mod memory;
mod sizes;
mod sparse;
mod sync;
#[allow(dead_code, reason = "what no model calls")]
#[path = "../../src/values.rs"]
mod values;

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use loom::model::Builder;
use loom::sync::atomic::Ordering;
use loom::thread;
use lucce_words::{BLOCK, MethodId, SiteId, Version, Word};

use cct::edges::Edges;
use cct::key;
use cct::node::{ASK, CctNode};
use hooks::{Care, always, enter, predicted};
use links::{Links, NewLink, RecordKind};
use sync::weakly;

const SITE: SiteId = SiteId(5);
const CALLEE: MethodId = MethodId(3);
const OTHER: MethodId = MethodId(4);
const THIRD: MethodId = MethodId(6);
/// The caller's word.
const CTX: u64 = Word::new(Version(1), false, BLOCK + 9).0;
const ADDITION: u64 = 40;
/// The word of a cut link.
const CUT: u64 = Word::new(Version(1), false, BLOCK + 1000).0;

/// A link for the caller's word and some around it.
fn link(callee: MethodId, kind: RecordKind, around: u64) -> NewLink {
    NewLink { site: SITE, callee, lo: CTX - around, len: 2 * around, av: ADDITION, kind, value: None }
}

/// A link for every word of the caller.
fn cut(callee: MethodId) -> NewLink {
    NewLink { site: SITE, callee, lo: 0, len: u64::MAX, av: CUT, kind: RecordKind::Cut, value: None }
}

/// What happens before and during an entry.
#[derive(Clone, Copy)]
struct Race {
    before: fn(&Links),
    /// On the thread that changes the links.
    change: fn(&Links),
    /// The entry.
    reader: fn(&Links) -> Option<u64>,
    /// The one right word.
    word: u64,
    /// How often at most a thread is stopped in favour of the other before it waits; `None`: as
    /// often as you like.
    preemptions: Option<usize>,
}

impl Race {
    /// What readers came to, over all interleavings.
    fn run(self) -> HashSet<Option<u64>> {
        let seen = Arc::new(Mutex::new(HashSet::new()));
        let outcomes = Arc::clone(&seen);
        let mut model = Builder::new();
        model.preemption_bound = self.preemptions;
        model.check(move || {
            let links = links();
            (self.before)(links);
            let reader = thread::spawn(move || (self.reader)(links));
            (self.change)(links);
            let found = reader.join().unwrap();
            assert!(found.is_none_or(|found| found == self.word), "another word");
            outcomes.lock().unwrap().insert(found);
        });
        seen.lock().unwrap().clone()
    }

    /// Comes to the word in some interleavings, and to none in others.
    fn is_exact(self) {
        assert_eq!(self.run(), HashSet::from([None, Some(self.word)]));
    }
}

fn links() -> &'static Links {
    Box::leak(Box::new(Links::reserve().unwrap()))
}

/// The hooks enter the callee.
fn hooks(links: &Links) -> Option<u64> {
    enter(links, SITE, CALLEE, CTX, Care::LookAgain)
}

fn forget_other(links: &Links) {
    links.forget(|_, callee, _, _| callee == OTHER);
}

/// A link is published while its call is entered.
const PUBLISHED: Race = Race {
    before: |_| (),
    change: |links| {
        links.publish(&link(CALLEE, RecordKind::Restoring, 8));
    },
    reader: hooks,
    word: CTX + ADDITION,
    preemptions: None,
};

/// The same of a link whose value leads to it without a look at the caller's word.
const PUBLISHED_CUT: Race = Race {
    change: |links| {
        links.publish(&cut(CALLEE));
    },
    word: CUT,
    ..PUBLISHED
};

#[test]
fn a_record_is_seen_whole_or_not_at_all() {
    PUBLISHED.is_exact();
    PUBLISHED_CUT.is_exact();
}

#[test]
#[should_panic(expected = "another word")]
fn without_release_a_record_is_seen_in_part() {
    Race { change: |links| weakly(|| (PUBLISHED.change)(links)), ..PUBLISHED }.run();
}

#[test]
#[should_panic(expected = "another word")]
fn without_release_a_cut_record_is_seen_in_part() {
    Race { change: |links| weakly(|| (PUBLISHED_CUT.change)(links)), ..PUBLISHED_CUT }.run();
}

/// Of two links of one bucket the first is retired; the other is entered.
const RETIRED: Race = Race {
    change: |links| {
        both(links);
        forget_other(links);
    },
    ..PUBLISHED
};

fn both(links: &Links) {
    links.publish(&link(CALLEE, RecordKind::Restoring, 8));
    links.publish(&cut(OTHER));
}

#[test]
fn what_stands_behind_a_retired_record_is_found_whole() {
    RETIRED.is_exact();
}

#[test]
#[should_panic(expected = "another word")]
fn without_release_what_stands_behind_a_retired_record_is_seen_in_part() {
    let change: fn(&Links) = |links| {
        both(links);
        weakly(|| forget_other(links));
    };
    Race { change, ..RETIRED }.run();
}

#[test]
fn a_retired_record_is_found_by_no_later_entry() {
    loom::model(|| {
        let links = links();
        both(links);
        assert_eq!(enter(links, SITE, OTHER, CTX, Care::LookAgain), Some(CUT));
        thread::spawn(move || forget_other(links)).join().unwrap();
        assert_eq!(enter(links, SITE, OTHER, CTX, Care::LookAgain), None);
        assert_eq!(hooks(links), Some(CTX + ADDITION));
    });
}

/// Another link comes to include the one that is entered, and the page of that is given back.
const GIVEN_BACK: Race = Race {
    before: fill_page,
    change: |links| {
        include(links);
        forget_other(links);
    },
    reader: |links| predicted(links, SITE, CALLEE, CTX, Care::LookAgain),
    preemptions: Some(1),
    ..PUBLISHED
};

fn fill_page(links: &Links) {
    links.publish(&cut(OTHER));
    links.publish(&link(CALLEE, RecordKind::Constructor, 8));
}

fn include(links: &Links) {
    links.publish(&link(CALLEE, RecordKind::Constructor, 16));
}

/// The same as the agent itself reads it, by a search in the bucket.
const GIVEN_BACK_TO_AGENT: Race =
    Race { reader: |links| links.constructor(SITE, CALLEE, Word(CTX)).map(|word| word.0), ..GIVEN_BACK };

/// The page of a link is given back whose value leads to it without a look at the caller's word.
const GIVEN_BACK_CUT: Race = Race {
    before: |links| [CALLEE, OTHER, THIRD].iter().for_each(|&callee| assert!(links.publish(&cut(callee)).is_some())),
    change: |links| links.forget(|_, callee, _, _| callee != THIRD),
    reader: |links| always(links, SITE, CALLEE, Care::LookAgain),
    word: CUT,
    ..GIVEN_BACK
};

#[test]
fn a_page_is_given_back_below_the_hooks() {
    GIVEN_BACK.is_exact();
}

#[test]
fn a_page_is_given_back_below_the_agent() {
    GIVEN_BACK_TO_AGENT.is_exact();
}

#[test]
fn the_page_of_a_cut_record_is_given_back_below_the_hooks() {
    GIVEN_BACK_CUT.is_exact();
}

fn include_then_weakly_forget(links: &Links) {
    include(links);
    weakly(|| forget_other(links));
}

#[test]
#[should_panic(expected = "another word")]
fn without_a_fence_zeros_are_seen_in_what_seems_to_be_a_record() {
    Race { change: include_then_weakly_forget, ..GIVEN_BACK }.run();
}

#[test]
#[should_panic(expected = "another word")]
fn without_a_fence_the_agent_sees_zeros_too() {
    Race { change: include_then_weakly_forget, ..GIVEN_BACK_TO_AGENT }.run();
}

#[test]
#[should_panic(expected = "another word")]
fn without_a_fence_a_cut_record_has_no_word() {
    Race { change: |links| weakly(|| (GIVEN_BACK_CUT.change)(links)), ..GIVEN_BACK_CUT }.run();
}

#[test]
#[should_panic(expected = "another word")]
fn without_a_second_look_zeros_are_taken_for_what_a_record_says() {
    Race { reader: |links| predicted(links, SITE, CALLEE, CTX, Care::LookOnce), ..GIVEN_BACK }.run();
}

#[test]
#[should_panic(expected = "another word")]
fn without_a_second_look_a_cut_record_has_no_word() {
    Race { reader: |links| always(links, SITE, CALLEE, Care::LookOnce), ..GIVEN_BACK_CUT }.run();
}

/// A node of a tree joins a plain edge while the callee's signature becomes interposable.
fn demoted() {
    loom::model(|| {
        let edges: &'static Edges = Box::leak(Box::new(Edges::reserve().unwrap()));
        let edge = edges.edge(SITE, CALLEE, RecordKind::Plain);
        let node: &'static CctNode = Box::leak(Box::<CctNode>::default());
        node.fill(None, key(SITE, CALLEE), 0);
        let joining = thread::spawn(move || edge.join(node));
        edges.demote(SITE, CALLEE);
        joining.join().unwrap();
        assert!(node.key.load(Ordering::Relaxed) & ASK != 0, "plain behind a demotion");
    });
}

#[test]
fn no_node_stays_plain_behind_a_demotion() {
    demoted();
}

#[test]
#[should_panic(expected = "plain behind a demotion")]
fn without_fences_a_node_stays_plain() {
    weakly(demoted);
}
