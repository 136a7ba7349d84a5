//! The monitored tree: HCCT's Fig. 3 after each entry, and its example.
//!
//! Source: HCCT, sections 3.1 to 3.3.

use std::collections::BTreeSet;

use lucce_profiles::summary::{Exact, Lazy, Lossy, SpaceSaving, StreamSummary, threshold};
use lucce_profiles::trace::{TraceContext, TraceNode, TracePaths};
use lucce_profiles::tree::Monitored;
use lucce_words::{MethodId, SiteId};
use proptest::prelude::*;

/// The tree in which context n + 2 is below the one that `parents[n]` chooses among those before
/// it; 1 is the base.
fn paths(parents: &[u32]) -> TracePaths {
    let mut paths = TracePaths::default();
    let add = |paths: &mut TracePaths, id: u32, parent: u32| {
        let node =
            TraceNode { parent: TraceContext(parent), site: SiteId(id), method: MethodId(u32::from(parent != 0) * id) };
        assert!(paths.add(TraceContext(id), node));
    };
    add(&mut paths, 1, 0);
    for (id, parent) in (2..).zip(parents) {
        add(&mut paths, id, 1 + parent % (id - 1));
    }
    paths
}

fn with_ancestors(paths: &TracePaths, contexts: impl Iterator<Item = TraceContext>) -> BTreeSet<TraceContext> {
    let up = |context| std::iter::successors(Some(context), |&at| paths.node(at).map(|node| node.parent));
    contexts.flat_map(up).filter(|context| *context != TraceContext::UNKNOWN).collect()
}

fn inclusions(
    summary: impl StreamSummary<TraceContext>,
    eps: f64,
    parents: &[u32],
    entries: &[u32],
) -> Result<(), TestCaseError> {
    let (paths, mut tree, mut exact) = (paths(parents), Monitored::new(summary), Exact::new());
    let phi = 2.0 * eps;
    for entry in entries {
        let context = TraceContext(2 + entry % parents.len() as u32);
        tree.enter(&paths, context, 1);
        exact.offer(context, 1, &mut Vec::new());
        let monitored: BTreeSet<_> = tree.summary().kept().into_iter().map(|(context, _)| context).collect();
        let nodes: BTreeSet<_> = tree.contexts().collect();
        let all = with_ancestors(&paths, monitored.iter().copied().chain([context]));
        prop_assert_eq!(&nodes, &all, "the tree is what is monitored, and what is above");
        let (hitters, hot) = tree.hot(phi);
        let hitters: BTreeSet<_> = hitters.into_iter().map(|(context, _)| context).collect();
        prop_assert!(hitters.is_subset(&monitored) && hot.is_subset(&nodes));
        prop_assert_eq!(&hot, &with_ancestors(&paths, hitters.iter().copied()));
        let least = threshold(phi, exact.total());
        if tree.summary().unseen() < least {
            let heavy: BTreeSet<_> =
                exact.counts().iter().filter(|(_, count)| **count >= least).map(|(context, _)| *context).collect();
            prop_assert!(heavy.is_subset(&hitters), "{heavy:?} {hitters:?}");
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn the_inclusions_of_figure_3_hold_with_space_saving(
        parents in prop::collection::vec(any::<u32>(), 1..60),
        entries in prop::collection::vec(any::<u32>(), 0..200),
        counters in 1..12_usize,
    ) {
        inclusions(SpaceSaving::<_, Lazy>::new(counters), 1.0 / counters as f64, &parents, &entries)?;
    }

    #[test]
    fn the_inclusions_of_figure_3_hold_with_lossy_counting(
        parents in prop::collection::vec(any::<u32>(), 1..60),
        entries in prop::collection::vec(any::<u32>(), 0..200),
        window in 1..12_u32,
    ) {
        inclusions(Lossy::new(1.0 / f64::from(window)), 1.0 / f64::from(window), &parents, &entries)?;
    }
}

/// `main` calls `p` once and `q` N - 2 times; phi is 1/2 and eps 1/4. There is a counter for each,
/// and only `q` is hot.
#[test]
fn only_the_hot_routine_of_the_papers_example_is_hot() {
    let paths = paths(&[0, 1, 1]);
    let (main, p, q) = (TraceContext(2), TraceContext(3), TraceContext(4));
    let mut tree = Monitored::new(SpaceSaving::<_, Lazy>::new(4));
    [main, p].into_iter().chain(std::iter::repeat_n(q, 6)).for_each(|context| tree.enter(&paths, context, 1));
    assert_eq!(tree.summary().kept().len(), 3, "all three are monitored");
    let (hitters, hot) = tree.hot(0.5);
    assert_eq!(hitters.iter().map(|(context, _)| *context).collect::<Vec<_>>(), [q]);
    assert_eq!(hot, BTreeSet::from([TraceContext(1), main, q]), "and no p");
}
