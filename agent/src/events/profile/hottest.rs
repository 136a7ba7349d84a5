//! The hot contexts of a run that goes on, with bounds: what the Java API, the C ABI and `ctl` ask
//! for.
//!
//! Invariant: all that was sampled before the question is counted. Bounds and intervals are those
//! that `lucce-decode hot` prints of a log of the same samples. A context that is given to the
//! program keeps its path for ever; to ask for the hot ones keeps nothing.
//! Source: docs/guide/profiles.md; `lucce_profiles::hot`.

use std::cmp::Reverse;

use lucce_profiles::hot::{Chosen, Shares, Verdict};
use lucce_profiles::summary::{Bounds, StreamSummary};
use lucce_words::SiteId;

use super::Profile;
use crate::options;

/// A context that is hot, or perhaps.
pub struct Hot {
    /// Its sites, innermost first.
    pub sites: Vec<SiteId>,
    /// Has the log named it?
    pub(super) is_named: bool,
    /// Samples of it.
    pub samples: Bounds,
    /// Of all samples, and of all entries.
    pub shares: Shares,
    /// Is it?
    pub verdict: Verdict,
}

impl Profile {
    /// The contexts that have this share of all entries, or may have; by default, and where that is
    /// no share, that of the options. The hottest come first.
    pub fn hottest(&self, share: Option<f64>) -> Vec<Hot> {
        let phi = share.filter(|share| (0.0..=1.0).contains(share)).unwrap_or(self.share);
        let chosen = match self.which {
            options::ProfileOption::All => Chosen::All,
            options::ProfileOption::Each(_) | options::ProfileOption::Time(_) => Chosen::Singly,
            options::ProfileOption::Bursts { .. } => Chosen::InBursts,
        };
        let (kept, total) = {
            let tree = self.tree.lock();
            (tree.kept(), tree.summary().total())
        };
        let hot = |(held, samples)| {
            let shares = Shares::of(samples, total, chosen);
            shares.verdict(phi).map(|verdict| (held, samples, shares, verdict))
        };
        let found: Vec<_> = kept.into_iter().filter_map(hot).collect();
        let tree = self.tree.lock();
        // One that has lost its counter meanwhile is hot no more.
        let whole = found.into_iter().filter_map(|(held, samples, shares, verdict)| {
            let (sites, is_named) = tree.path(held)?;
            Some(Hot { sites, is_named, samples, shares, verdict })
        });
        let mut all: Vec<Hot> = whole.collect();
        drop(tree);
        all.sort_by(|one, other| {
            let key = |hot: &Hot| Reverse((hot.samples.low, hot.samples.high));
            key(one).cmp(&key(other)).then_with(|| one.sites.cmp(&other.sites))
        });
        all
    }
}
