//! A summary and its tree over a stream, or over the entries that a schedule takes, and what that
//! is worth beside the exact tree.
//!
//! Invariant: what is compared with is exact; an error is that of the upper bound, scaled by the
//! share of entries that were taken.
//! Source: HCCT, sections 5.2, 6.1 and 6.4, Figs. 4, 5, 8 to 12.

use std::collections::BTreeSet;

use lucce_profiles::metrics::{self, Weights};
use lucce_profiles::schedule::Schedule;
use lucce_profiles::summary::{StreamSummary, threshold};
use lucce_profiles::trace::TraceContext;
use lucce_profiles::tree::Monitored;

use super::super::stream::Stream;
use super::exact::Cct;

/// A threshold, and how many times smaller the error may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accuracy {
    pub phi: f64,
    /// phi/eps.
    pub ratio: f64,
}

impl Accuracy {
    /// The counters that Space Saving needs for it: 1/eps.
    pub fn counters(self) -> usize {
        (self.ratio / self.phi).round() as usize
    }
}

/// What a replay came to.
pub struct Judged {
    pub accuracy: Accuracy,
    /// Entries that were taken, by all.
    pub taken: f64,
    /// The most nodes that the tree had at once.
    pub most: usize,
    /// The nodes of the (phi, eps)-hot tree: cold ones above others, hot ones, and cold ones taken
    /// for hot.
    pub cold: usize,
    pub hot: usize,
    pub false_positives: usize,
    /// Hot contexts that are not reported.
    pub false_negatives: usize,
    /// Reported contexts with less than `floor((phi - eps) N)`.
    pub too_light: usize,
    /// Of the hot contexts that are reported: mean and greatest error of their counts, as shares.
    pub errors: (f64, f64),
    /// Of contexts that the tree lacks: mean and greatest count, by that of the hottest.
    pub uncovered: (f64, f64),
    pub overlap: f64,
    /// Hot edge coverage at tau~ / tau.
    pub coverage: Vec<(f64, f64)>,
    /// That at tau 0.01.
    pub at_hundredth: f64,
}

/// tau~ / tau: where hot edge coverage is looked at. Fig. 12b goes from 1 to small values.
const COVERED: [f64; 7] = [1.0, 0.9, 0.8, 0.65, 0.5, 0.25, 0.1];

/// Offers the entries that `schedule` takes.
pub fn replay<S: StreamSummary<TraceContext>>(
    stream: &Stream,
    cct: &Cct,
    accuracy: Accuracy,
    summary: S,
    mut schedule: impl Schedule<TraceContext>,
) -> Judged {
    let mut tree = Monitored::new(summary);
    let mut taken = 0;
    for entry in stream.entries() {
        if schedule.takes(&entry.context, entry.time) {
            tree.enter(&stream.paths, entry.context, 1);
            taken += 1_u64;
        }
    }
    let (hitters, nodes) = tree.hot(accuracy.phi);
    let reported: Weights<_> = hitters.into_iter().map(|(context, bounds)| (context, bounds.high)).collect();
    judge(cct, accuracy, &reported, &nodes, taken, tree.most())
}

fn judge(
    cct: &Cct,
    accuracy: Accuracy,
    reported: &Weights<TraceContext>,
    nodes: &BTreeSet<TraceContext>,
    taken: u64,
    most: usize,
) -> Judged {
    let Accuracy { phi, ratio } = accuracy;
    let least = threshold(phi, cct.total);
    let lightest = ((phi - phi / ratio) * cct.total as f64).floor() as u64;
    let count = |context: &TraceContext| cct.counts.get(context).copied().unwrap_or(0);
    let hot = reported.keys().filter(|context| count(context) >= least).count();
    let profile: Weights<_> = nodes.iter().map(|&context| (context, count(&context))).collect();
    let tau = cct.least_tau(phi);
    let coverage = |tau: f64| metrics::hot_edge_coverage(&profile, &cct.counts, tau);
    let share = taken as f64 / cct.total.max(1) as f64;
    Judged {
        accuracy,
        taken: share,
        most,
        cold: nodes.len() - reported.len(),
        hot,
        false_positives: reported.len() - hot,
        false_negatives: metrics::false_negatives(reported, &cct.counts, least),
        too_light: reported.keys().filter(|context| count(context) < lightest).count(),
        errors: metrics::errors(reported, &cct.counts, least, 1.0 / share.max(f64::MIN_POSITIVE)),
        uncovered: metrics::uncovered(&profile, &cct.counts),
        overlap: metrics::covered(&profile, &cct.counts),
        coverage: COVERED.map(|by| (by, coverage(tau / by))).into(),
        at_hundredth: coverage(0.01),
    }
}

impl Judged {
    /// The nodes of the hot tree.
    pub const fn nodes(&self) -> usize {
        self.cold + self.hot + self.false_positives
    }

    /// A number of its nodes as percent of them.
    pub fn percent(&self, of: usize) -> f64 {
        of as f64 * 100.0 / self.nodes().max(1) as f64
    }
}
