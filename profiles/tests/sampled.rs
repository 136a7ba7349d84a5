//! The tree of sampled contexts against plain paths: the same counters, no node too many, each path
//! whole, and each sample once.
//!
//! Source: HCCT, sections 3.1 to 3.3.

use std::collections::{BTreeMap, BTreeSet};

use lucce_profiles::sampled::{ContextRef, Sample, SampledFrame, SampledTree};
use lucce_profiles::summary::{Lazy, SpaceSaving, StreamSummary};
use lucce_words::{NodeId, SiteId};
use proptest::prelude::*;
use rustc_hash::FxHashMap;

/// Sites, outermost first.
type Path = Vec<u32>;

/// The word of a context: its path as a number.
fn word(path: &[u32]) -> u64 {
    path.iter().fold(1, |word, site| word * 8 + u64::from(*site))
}

/// A sample of a path by the longest part of it that the tree finds, or (`whole`) from the thread
/// base on.
fn sample(tree: &SampledTree, path: &[u32], whole: bool) -> Sample {
    let find = |length: usize| tree.find(word(&path[..length]), SiteId(path[length - 1]));
    let known = (1..path.len()).rev().filter(|_| !whole).find_map(|length| Some((length, find(length)?)));
    let (length, below) = known.map_or((0, None), |(length, held)| (length, Some(held)));
    let step = |end: usize| SampledFrame {
        site: SiteId(path[end - 1]),
        word: (!end.is_multiple_of(3)).then(|| word(&path[..end])),
    };
    Sample { below, steps: (length + 1..=path.len()).map(step).collect() }
}

/// Numbers for contexts, and what each stands for.
#[derive(Default)]
struct Numbers(Vec<Path>);

impl Numbers {
    fn give(&mut self, parent: NodeId, site: SiteId) -> NodeId {
        let mut path = if parent == NodeId(0) { Path::new() } else { self.0[parent.0 as usize - 1].clone() };
        path.push(site.0);
        self.0.push(path);
        NodeId(self.0.len() as u32)
    }

    /// Writes what the tree has, in small parts.
    fn write(&mut self, tree: &mut SampledTree, told: &mut BTreeMap<Path, u64>) {
        let mut sums = FxHashMap::default();
        for part in tree.unwritten().chunks(3) {
            tree.write(part, &mut sums, |parent, site| Some(self.give(parent, site)));
        }
        for (number, count) in sums {
            *told.entry(self.0[number.0 as usize - 1].clone()).or_default() += count;
        }
    }
}

fn path_of(tree: &SampledTree, held: ContextRef) -> Path {
    let (sites, _) = tree.path(held).expect("it is there");
    sites.iter().rev().map(|site| site.0).collect()
}

/// What is kept, and how many nodes that takes.
fn agrees(tree: &SampledTree, plain: &SpaceSaving<Path, Lazy>) -> Result<(), TestCaseError> {
    let kept: BTreeMap<Path, _> = tree.kept().into_iter().map(|(held, bounds)| (path_of(tree, held), bounds)).collect();
    let expected: BTreeMap<Path, _> = plain.kept().into_iter().collect();
    prop_assert_eq!(&kept, &expected);
    let nodes: BTreeSet<&[u32]> = kept.keys().flat_map(|path| (1..=path.len()).map(|end| &path[..end])).collect();
    prop_assert_eq!(tree.len(), nodes.len(), "the tree is what has a counter, and what leads there");
    Ok(())
}

proptest! {
    #[test]
    fn the_tree_is_what_has_a_counter_and_what_leads_there(
        counters in 1_usize..6,
        entries in prop::collection::vec((prop::collection::vec(2_u32..5, 1..6), any::<bool>(), 0_u8..9), 1..200),
    ) {
        let (mut tree, mut plain) = (SampledTree::new(counters), SpaceSaving::<Path, Lazy>::new(counters));
        let (mut numbers, mut told, mut exact) = (Numbers::default(), BTreeMap::new(), BTreeMap::<Path, u64>::new());
        for (path, whole, turn) in &entries {
            let last = SiteId(*path.last().expect("a frame"));
            if let Some(found) = tree.find(word(path), last) {
                prop_assert_eq!(&path_of(&tree, found), path);
            }
            if *whole || !tree.count_known(word(path), last) {
                let sample = sample(&tree, path, *whole);
                prop_assert!(tree.count(&sample));
            }
            plain.offer(path.clone(), 1, &mut Vec::new());
            *exact.entry(path.clone()).or_default() += 1;
            agrees(&tree, &plain)?;
            if *turn == 0 {
                numbers.write(&mut tree, &mut told);
                prop_assert_eq!(tree.written() + tree.replaced(), plain.total());
            }
        }
        numbers.write(&mut tree, &mut told);
        prop_assert_eq!(told.values().sum::<u64>(), tree.written());
        prop_assert_eq!(tree.written() + tree.replaced(), entries.len() as u64);
        for (path, count) in &told {
            prop_assert!(count <= &exact[path]);
        }
        if tree.summary().is_exact() {
            prop_assert_eq!(told, exact);
        }
    }
}

#[test]
fn ever_new_contexts_take_no_more_memory_than_their_counters_need() {
    let (counters, depth) = (50, 20);
    let mut tree = SampledTree::new(counters);
    let mut numbers = Numbers::default();
    let mut told = BTreeMap::new();
    for context in 0..1_u64 << 16 {
        // Its bits say which of two calls each level takes; the lowest is the outermost, so that
        // contexts share little.
        let path: Path = (0..depth).map(|level| 2 + (context >> level & 1) as u32).collect();
        let sample = sample(&tree, &path, false);
        assert!(tree.count(&sample));
        if context % 1000 == 0 {
            numbers.write(&mut tree, &mut told);
        }
    }
    assert!(tree.most() <= (counters + 1) * depth, "{} nodes", tree.most());
    assert!(tree.len() <= counters * depth && tree.kept().len() == counters);
    assert!(told.values().all(|count| *count == 1), "no context came twice");
}

#[test]
fn a_context_that_has_gone_is_found_by_nothing() {
    let mut tree = SampledTree::new(1);
    let step = |site| SampledFrame { site: SiteId(site), word: Some(site.into()) };
    assert!(tree.count(&Sample { below: None, steps: vec![step(2), step(3)] }));
    let gone = tree.find(3, SiteId(3)).expect("known");
    let stays = tree.find(2, SiteId(2)).expect("known");
    assert!(tree.count(&Sample { below: Some(stays), steps: vec![step(4)] }));
    assert_eq!((tree.find(3, SiteId(3)), tree.path(gone)), (None, None));
    // Its place is another's by now.
    assert!(!tree.count(&Sample { below: Some(gone), steps: vec![step(5)] }) && !tree.count_known(3, SiteId(3)));
    assert!(!tree.count(&Sample::default()));
    assert_eq!((tree.len(), tree.summary().total()), (2, 2));
}

#[test]
fn two_contexts_of_one_word_are_found_by_none() {
    let mut tree = SampledTree::new(9);
    let sample = |outer| {
        let steps =
            vec![SampledFrame { site: SiteId(outer), word: None }, SampledFrame { site: SiteId(9), word: Some(7) }];
        Sample { below: None, steps }
    };
    assert!(tree.count(&sample(2)) && tree.count_known(7, SiteId(9)));
    assert!(tree.count(&sample(3)) && !tree.count_known(7, SiteId(9)));
    assert!(tree.count(&sample(2)) && !tree.count_known(7, SiteId(9)));
    let counts: Vec<u64> = tree.kept().into_iter().map(|(_, bounds)| bounds.high).collect();
    assert_eq!(counts, [3, 1]);
}

#[test]
fn samples_without_a_number_are_counted_apart() {
    let mut tree = SampledTree::new(9);
    let steps = vec![SampledFrame { site: SiteId(2), word: None }];
    assert!(tree.count(&Sample { below: None, steps }));
    let mut sums = FxHashMap::default();
    for part in tree.unwritten().chunks(8) {
        tree.write(part, &mut sums, |_, _| None);
    }
    assert_eq!((sums.len(), tree.nameless(), tree.written()), (0, 1, 0));
}
