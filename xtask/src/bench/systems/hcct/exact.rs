//! The calling context tree of a stream, and the exact hot calling context tree within it.
//!
//! Invariant: the tree is the contexts that were entered and all above them, threads' bases among
//! them; counts are exact.
//! Source: HCCT, sections 3.1 and 6.3, Tables I and II, Figs. 1 and 7.

use std::collections::BTreeSet;

use lucce_profiles::metrics::Weights;
use lucce_profiles::summary::threshold;
use lucce_profiles::trace::{TraceContext, TracePaths};

use super::super::stream::Stream;

/// The tree.
pub struct Cct {
    /// Of each context that was entered.
    pub counts: Weights<TraceContext>,
    /// These, and those above them.
    pub nodes: usize,
    /// Nodes of the call tree.
    pub total: u64,
    pub hottest: u64,
    /// Methods and call sites of the nodes.
    pub methods: usize,
    pub sites: usize,
    /// By falling threshold: the count, and the overlap of the hot tree of all contexts with that
    /// count or more.
    overlaps: Vec<(u64, f64)>,
}

/// Contexts, and all above them.
pub fn with_ancestors(paths: &TracePaths, contexts: impl Iterator<Item = TraceContext>) -> BTreeSet<TraceContext> {
    let mut all = BTreeSet::new();
    for context in contexts {
        add(paths, context, &mut all, |_| {});
    }
    all
}

/// Adds a context and those above it that are missing.
fn add(
    paths: &TracePaths,
    context: TraceContext,
    all: &mut BTreeSet<TraceContext>,
    mut added: impl FnMut(TraceContext),
) {
    let mut at = context;
    while at != TraceContext::UNKNOWN && all.insert(at) {
        added(at);
        at = paths.node(at).map_or(TraceContext::UNKNOWN, |node| node.parent);
    }
}

impl Cct {
    pub fn of(stream: &Stream) -> Self {
        let mut counts = Weights::new();
        for entry in stream.entries() {
            *counts.entry(entry.context).or_insert(0) += 1;
        }
        let all = with_ancestors(&stream.paths, counts.keys().copied());
        let calls = all.iter().filter_map(|&context| stream.paths.node(context)).filter(|node| node.parent.0 != 0);
        let (methods, sites): (BTreeSet<_>, BTreeSet<_>) = calls.map(|node| (node.method.0, node.site.0)).unzip();
        let hottest = counts.values().copied().max().unwrap_or(0);
        let overlaps = overlaps(&stream.paths, &counts, stream.total);
        let (methods, sites) = (methods.len(), sites.len());
        Self { counts, nodes: all.len(), total: stream.total, hottest, methods, sites, overlaps }
    }

    /// The nodes of the exact hot tree.
    pub fn hot_nodes(&self, paths: &TracePaths, phi: f64) -> usize {
        let least = threshold(phi, self.total);
        let hot = self.counts.iter().filter(|(_, count)| **count >= least).map(|(context, _)| *context);
        with_ancestors(paths, hot).len()
    }

    /// Fig. 1: percent of the entered contexts, hottest first, and the percent of all calls that
    /// they have.
    pub fn cumulative(&self) -> Vec<(f64, f64)> {
        let mut counts: Vec<u64> = self.counts.values().copied().collect();
        counts.sort_unstable_by(|one, other| other.cmp(one));
        let mut sum = 0;
        let percent = |part: u64, all: u64| part as f64 * 100.0 / all.max(1) as f64;
        let point = |(at, count): (u64, u64)| {
            sum += count;
            (percent(at, self.counts.len() as u64), percent(sum, self.total))
        };
        std::iter::once((0.0, 0.0)).chain((1..).zip(counts).map(point)).collect()
    }

    /// Percent of all calls in the tenth of contexts that is the hottest.
    pub fn in_hottest_tenth(&self) -> f64 {
        let tenth = self.counts.len().div_ceil(10);
        self.cumulative().get(tenth).map_or(0.0, |point| point.1)
    }

    /// Fig. 7a: the greatest phi whose exact hot tree has that overlap with this tree.
    pub fn phi_of_overlap(&self, overlap: f64) -> Option<f64> {
        let count = self.overlaps.iter().find(|point| point.1 >= overlap)?.0;
        Some(count as f64 / self.total.max(1) as f64)
    }

    /// Fig. 7b: the least tau from which on a hot tree of phi has every hot edge.
    pub fn least_tau(&self, phi: f64) -> f64 {
        threshold(phi, self.total) as f64 / self.hottest.max(1) as f64
    }
}

fn overlaps(paths: &TracePaths, counts: &Weights<TraceContext>, total: u64) -> Vec<(u64, f64)> {
    let mut hottest: Vec<_> = counts.iter().map(|(&context, &count)| (count, context)).collect();
    hottest.sort_unstable_by(|one, other| other.cmp(one));
    let (mut tree, mut sum, mut points) = (BTreeSet::new(), 0, Vec::new());
    for group in hottest.chunk_by(|one, other| one.0 == other.0) {
        for &(_, context) in group {
            add(paths, context, &mut tree, |added| sum += counts.get(&added).copied().unwrap_or(0));
        }
        points.push((group[0].0, sum as f64 / total.max(1) as f64));
    }
    points
}

#[cfg(test)]
mod tests {
    use super::super::super::stream::example;
    use super::*;

    #[test]
    fn the_papers_main_p_and_q() {
        let stream = example::main_p_q();
        let cct = Cct::of(&stream);
        assert_eq!((cct.nodes, cct.total, cct.hottest, cct.methods, cct.sites), (4, 8, 6, 3, 3));
        // phi is 1/2: only q is hot; the base and main are above it.
        assert_eq!([0.5, 0.1].map(|phi| cct.hot_nodes(&stream.paths, phi)), [3, 4]);
        assert_eq!(cct.cumulative(), [(0.0, 0.0), (100.0 / 3.0, 75.0), (200.0 / 3.0, 87.5), (100.0, 100.0)]);
        assert_eq!(cct.in_hottest_tenth(), 75.0);
        // The hot tree of q alone has main's one call, too: 7 of 8.
        assert_eq!([0.8, 0.875, 0.9].map(|overlap| cct.phi_of_overlap(overlap)), [0.75, 0.75, 0.125].map(Some));
        assert_eq!(cct.least_tau(0.5), 4.0 / 6.0);
    }
}
