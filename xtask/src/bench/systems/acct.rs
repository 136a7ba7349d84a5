//! ACCT on a trace: trees of samples by both weight strategies, several triggers, and Whaley's
//! limit.
//!
//! Invariant: all trees are of the same entries; what they are compared with is the exhaustive
//! tree. Source: ACCT, sections 3 and 4.

mod figure6;
mod report;
mod sampler;

use lucce_profiles::acct::CountedEdges;
use lucce_profiles::metrics;
use lucce_profiles::schedule::{Each, MethodCounters, Ticks};
use lucce_profiles::trace::TraceContext;

use self::sampler::{Exhaustive, Sampled, Sampler};
use super::stream::Stream;

pub use figure6::{Figure6Row, broken as broken_figure6, rows as figure6};
pub use report::{charts, markdown};

/// The paper's periods, primes chosen arbitrarily.
const PERIODS: [u64; 3] = [59, 307, 1559];
/// Whaley's K: most frames of a walk.
const LIMITS: [usize; 3] = [1, 4, 16];
/// The edges of Figs. 1 to 5.
const TOP: usize = 40;
/// Where jitter begins; any number.
const SEED: u64 = 5;
const STRATEGIES: [CountedEdges; 2] = [CountedEdges::AllNew, CountedEdges::Last];

/// A tree of samples beside the exhaustive one.
pub struct Compared {
    pub samples: u64,
    pub overlap: f64,
    /// Rank correlation over all contexts.
    pub spearman: f64,
    /// The hottest edges: calls by those of the hottest, here and there.
    pub top: Vec<(f64, f64)>,
    /// Samples whose walk did not find where it belongs, by all.
    pub misplaced: f64,
    /// Frames that a sample looked at.
    pub looked: f64,
}

/// What the figures show of one program.
pub struct Acct {
    /// Fig. 1, by the last edge: what a sample at each call makes.
    pub every: Compared,
    /// Does it equal the exhaustive tree, node for node? By all new edges, and by the last.
    pub equal: [bool; 2],
    /// By period, as [`PERIODS`], all new edges and the last: Figs. 2 to 5.
    pub periods: Vec<[Compared; 2]>,
    /// By trigger, as [`TRIGGERS`], likewise.
    pub triggers: Vec<[Compared; 2]>,
    /// By limit, as [`LIMITS`], likewise.
    pub limits: Vec<[Compared; 2]>,
}

/// What takes samples, beside each n-th call: about as many of them.
const TRIGGERS: [&str; 3] = ["each 307th, jittered", "time: 100 us", "method counters to 307, halved each 100 000"];

impl Acct {
    pub fn of(stream: &Stream) -> Self {
        let mut samplers: Vec<Sampler> = Vec::new();
        for weights in STRATEGIES {
            samplers.push(Sampler::new(weights, None, Each::exactly(1)));
        }
        for period in PERIODS {
            samplers.extend(STRATEGIES.map(|weights| Sampler::new(weights, None, Each::exactly(period))));
        }
        samplers.extend(STRATEGIES.map(|weights| Sampler::new(weights, None, Each::jittered(PERIODS[1], SEED))));
        samplers.extend(STRATEGIES.map(|weights| Sampler::new(weights, None, Ticks::new(100_000))));
        samplers
            .extend(STRATEGIES.map(|weights| Sampler::new(weights, None, MethodCounters::new(PERIODS[1], 100_000))));
        for limit in LIMITS {
            samplers.extend(STRATEGIES.map(|weights| Sampler::new(weights, Some(limit), Each::exactly(PERIODS[1]))));
        }
        let (all, sampled) = sampler::run(stream, samplers);
        Self::compared(&all, &sampled)
    }

    /// In the order of [`Acct::of`].
    fn compared(all: &Exhaustive, sampled: &[Sampled]) -> Self {
        let pair = |at: usize| [0, 1].map(|strategy| compare(all, &sampled[at + strategy]));
        let pairs = |first: usize, number: usize| (0..number).map(|at| pair(2 * (first + at))).collect::<Vec<_>>();
        let (periods, triggers) = (1, 1 + PERIODS.len());
        // With all new edges, an activation that was never entered is new at the sample behind it.
        let equal = [sampled[0].weights == all.with_found, sampled[1].weights == all.counts];
        Self {
            every: compare(all, &sampled[1]),
            equal,
            periods: pairs(periods, PERIODS.len()),
            triggers: pairs(triggers, TRIGGERS.len()),
            limits: pairs(triggers + TRIGGERS.len(), LIMITS.len()),
        }
    }

    /// The relations that do not hold.
    pub fn broken(&self) -> Vec<String> {
        let mut broken = Vec::new();
        for (equal, weights) in self.equal.iter().zip(STRATEGIES) {
            if !equal {
                broken.push(format!("ACCT Fig. 1: a sample at each call is not the CCT with {weights:?}"));
            }
        }
        // The other triggers are no counter of calls: the paper says nothing of their trees.
        let jittered = self.triggers.first();
        let named = PERIODS.iter().zip(&self.periods).chain(PERIODS.get(1).zip(jittered));
        for (period, [all_new, last]) in named {
            if last.overlap <= all_new.overlap {
                let (last, all_new) = (last.overlap, all_new.overlap);
                broken.push(format!(
                    "ACCT Figs. 2-5: overlap {last:.3} by the last edge, {all_new:.3} by all, each {period}th"
                ));
            }
        }
        broken
    }
}

fn compare(all: &Exhaustive, sampled: &Sampled) -> Compared {
    let mut weights = sampled.weights.clone();
    if sampled.misplaced > 0 {
        // What hangs where it does not belong is shared with no context.
        weights.insert(TraceContext::UNKNOWN, sampled.misplaced);
    }
    let weight = metrics::total(&weights).max(1) as f64;
    let top = metrics::pairs(&weights, &all.counts, TOP);
    let hottest = top.first().map_or(1.0, |edge| edge.1);
    let sampled_hottest = weights.values().copied().max().unwrap_or(1) as f64 / weight;
    Compared {
        samples: sampled.samples,
        overlap: metrics::overlap(&weights, &all.counts),
        spearman: metrics::spearman(&weights, &all.counts),
        top: top.iter().map(|edge| (edge.1 / hottest, edge.2 / sampled_hottest)).collect(),
        misplaced: sampled.misplaced as f64 / weight,
        looked: sampled.looked as f64 / sampled.samples.max(1) as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::super::stream::program;
    use super::*;

    /// Ten times `b` (3), each with a hundred times `c` (4), so often that the longest period has
    /// samples.
    fn nested() -> Stream {
        let b = std::iter::once(3).chain([4; 100]);
        program(&[1, 2, 3], std::iter::once(2).chain(std::iter::repeat_n(b, 500).flatten()))
    }

    #[test]
    fn the_last_edge_is_nearer_to_the_tree_than_all_new_edges() {
        let acct = Acct::of(&nested());
        assert_eq!((acct.equal, acct.every.overlap, acct.every.spearman), ([true; 2], 1.0, 1.0));
        assert!(acct.broken().is_empty(), "{:?}", acct.broken());
        let [all_new, last] = &acct.periods[0];
        assert_eq!((all_new.samples, last.samples), (50_501 / 59, 50_501 / 59));
        // All new edges: both edges are new at most samples, and b-c is hardly above a-b.
        assert!(all_new.overlap < 0.65 && last.overlap > 0.99, "{} {}", all_new.overlap, last.overlap);
        assert_eq!(last.top.len(), 3);
        assert_eq!(last.top[0], (1.0, 1.0));
    }

    #[test]
    fn a_sample_that_is_lost_or_a_strategy_that_is_swapped_breaks_a_relation() {
        let stream = nested();
        let mut acct = Acct::of(&stream);
        acct.periods.iter_mut().for_each(|pair| pair.swap(0, 1));
        assert_eq!(acct.broken().len(), 3, "{:?}", acct.broken());
        let each = || STRATEGIES.map(|weights| Sampler::new(weights, None, Each::exactly(1)));
        let (all, mut sampled) = sampler::run(&stream, (0..10).flat_map(|_| each()).collect());
        *sampled[1].weights.get_mut(&TraceContext(4)).unwrap() -= 1;
        let broken = Acct::compared(&all, &sampled).broken();
        assert!(broken.iter().any(|line| line.contains("not the CCT with Last")), "{broken:?}");
        assert!(!broken.iter().any(|line| line.contains("not the CCT with AllNew")), "{broken:?}");
    }

    #[test]
    fn walks_that_a_limit_ends_hang_where_they_do_not_belong() {
        let acct = Acct::of(&nested());
        let misplaced: Vec<_> = acct.limits.iter().map(|pair| pair[1].misplaced > 0.0).collect();
        assert_eq!(misplaced, [true, false, false], "no stack is deeper than 3");
        assert!(acct.limits[0][1].overlap < acct.limits[1][1].overlap && acct.limits[0][1].looked <= 1.0);
    }
}
