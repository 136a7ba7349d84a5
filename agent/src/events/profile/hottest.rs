//! The hot contexts of a run that goes on, with bounds: what the Java API, the C ABI and `ctl` ask for.
//!
//! Invariant: all that was sampled before the question is counted. Bounds and intervals are those that `lucce-decode hot` prints of a log of the
//! same samples. A context that is given to the program keeps its path for ever.
//! Source: docs/guide/profiles.md; `lucce_profiles::hot`.

use std::cmp::Reverse;

use lucce_profiles::hot::{Chosen, Shares, Verdict};
use lucce_profiles::summary::{Bounds, Summary};
use lucce_words::NodeId;

use super::Profile;
use crate::options;
use crate::state::agent::Agent;

/// A context that is hot, or perhaps.
pub struct Hot {
    /// The captured context; 0 where its classes were unloaded.
    pub node: NodeId,
    /// Samples of it.
    pub samples: Bounds,
    /// Of all samples, and of all entries.
    pub shares: Shares,
    /// Is it?
    pub verdict: Verdict,
}

impl Profile {
    /// The contexts that have this share of all entries, or may have; by default, and where that is no share, that of the options. The hottest come first.
    pub fn hottest(&self, agent: &Agent, share: Option<f64>) -> Vec<Hot> {
        let phi = share.filter(|share| (0.0..=1.0).contains(share)).unwrap_or(self.share);
        let chosen = match self.which {
            options::Profile::All => Chosen::All,
            options::Profile::Each(_) | options::Profile::Time(_) => Chosen::Singly,
            options::Profile::Bursts { .. } => Chosen::InBursts,
        };
        let (kept, total) = {
            let counts = self.counted();
            (counts.summary.kept(), counts.summary.total())
        };
        let hot = |(node, samples)| {
            let shares = Shares::of(samples, total, chosen);
            shares.verdict(phi).map(|verdict| Hot { node, samples, shares, verdict })
        };
        let mut all: Vec<Hot> = kept.into_iter().filter_map(hot).collect();
        all.sort_by_key(|hot| (Reverse((hot.samples.low, hot.samples.high)), hot.node));
        agent.core.with(&agent.catalog, &agent.writer, |core, _| {
            for hot in &mut all {
                if core.node_at(hot.node).is_some() {
                    core.give(hot.node);
                } else {
                    hot.node = NodeId(0);
                }
            }
        });
        all
    }
}
