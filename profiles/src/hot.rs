//! Is an item of a stream hot: has it a share of all entries, given the samples that were counted?
//!
//! Invariant: the share among the samples lies between its bounds, whatever counters had to forget.
//! The share among all entries lies in its interval with a probability of 95 %, if samples do not
//! depend on each other. Of bursts they do, and that interval is unknown.
//! Source: Metwally, Agrawal, El Abbadi 2005 (Space Saving); Wilson 1927 (the interval); HCCT,
//! section 2.2.

use crate::summary::Bounds;

/// The 97.5th percentile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// Between which two numbers something lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// It is not less.
    pub low: f64,
    /// It is not more.
    pub high: f64,
}

/// How samples were chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chosen {
    /// Every entry is one.
    All,
    /// Each by itself.
    Singly,
    /// All entries of a burst, and none until the next.
    InBursts,
}

/// Is an item hot?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Its whole interval is.
    Hot,
    /// A part of its interval is.
    Perhaps,
}

impl Verdict {
    /// `hot` or `perhaps`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hot => "hot",
            Self::Perhaps => "perhaps",
        }
    }
}

/// The shares of an item.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shares {
    /// Among the samples.
    pub of_samples: Interval,
    /// Among all entries; `None` where that is unknown.
    pub of_entries: Option<Interval>,
}

impl Shares {
    /// Those of an item with so many of all samples.
    pub fn of(bounds: Bounds, samples: u64, chosen: Chosen) -> Self {
        let share = |count: u64| (count as f64 / samples.max(1) as f64).min(1.0);
        let of_samples = Interval { low: share(bounds.low), high: share(bounds.high) };
        let of_entries = match chosen {
            Chosen::All => Some(of_samples),
            Chosen::Singly => {
                let [low, high] = [of_samples.low, of_samples.high].map(|share| wilson(share, samples));
                Some(Interval { low: low.low, high: high.high })
            }
            Chosen::InBursts => None,
        };
        Self { of_samples, of_entries }
    }

    /// The share that counts: of all entries; of the samples where those are all of bursts.
    pub fn told(&self) -> Interval {
        self.of_entries.unwrap_or(self.of_samples)
    }

    /// Is the item hot, if that takes a share of `phi`? `None` if it is not.
    pub fn verdict(&self, phi: f64) -> Option<Verdict> {
        let Interval { low, high } = self.told();
        (high >= phi).then_some(if low >= phi { Verdict::Hot } else { Verdict::Perhaps })
    }
}

/// Where the share of a whole lies of which a sample of so many has this share.
fn wilson(share: f64, samples: u64) -> Interval {
    let n = samples.max(1) as f64;
    let middle = share + Z * Z / (2.0 * n);
    let half = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    Interval { low: ((middle - half) / scale).max(0.0), high: ((middle + half) / scale).min(1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_wilsons() {
        let Interval { low, high } = wilson(0.1, 100);
        assert!((low - 0.0552).abs() < 1e-4 && (high - 0.1744).abs() < 1e-4, "{low} {high}");
        assert_eq!(wilson(0.0, 10).low, 0.0);
    }

    #[test]
    fn what_samples_say_of_entries_depends_on_how_they_were_chosen() {
        let of = |low, high, chosen| Shares::of(Bounds { low, high }, 1000, chosen);
        let exact = of(90, 120, Chosen::All);
        assert_eq!(exact.of_entries, Some(Interval { low: 0.09, high: 0.12 }));
        assert_eq!([0.09, 0.1, 0.13].map(|phi| exact.verdict(phi)), [Some(Verdict::Hot), Some(Verdict::Perhaps), None]);
        let single = of(90, 90, Chosen::Singly);
        let Interval { low, high } = single.of_entries.expect("an interval");
        assert!(low < 0.09 && high > 0.1, "{single:?}");
        assert_eq!(single.verdict(0.1), Some(Verdict::Perhaps));
        let bursts = of(90, 90, Chosen::InBursts);
        assert_eq!((bursts.of_entries, bursts.verdict(0.09), bursts.verdict(0.1)), (None, Some(Verdict::Hot), None));
    }
}
