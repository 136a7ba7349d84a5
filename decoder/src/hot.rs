//! Which contexts a sampled run enters most, and how sure that is (`profile=`).
//!
//! Invariant: the share of a context among the samples lies between its bounds, whatever the counters had to forget. The share among all
//! entries lies in its interval with a probability of 95 %. Source: docs/FORMAT.md, "Profile"; Metwally, Agrawal, El Abbadi 2005 (Space Saving);
//! Wilson 1927 (the interval).

use std::collections::HashMap;

use lucce_words::NodeId;

use crate::{Event, Log, Place};

/// The 97.5th percentile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// How a run was sampled, and what has become of the samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stream {
    /// Entries of a thread from one sample to the next, on average; 0 where time said when.
    pub period: u64,
    /// Contexts that are counted at once.
    pub counters: u64,
    /// Entries that were counted down.
    pub entries: u64,
    /// Samples that were counted.
    pub samples: u64,
    /// Samples for which there was no place.
    pub dropped: u64,
    /// Samples of contexts that could not be told.
    pub lost: u64,
    /// Samples of contexts that lost their counter before these were written.
    pub replaced: u64,
    /// The greatest count at which a context lost its counter; 0 if none did.
    pub unseen: u64,
}

/// What a log says of its profile, but for the samples of each context, which are tallies.
#[derive(Clone, Debug, Default)]
pub struct Profiled {
    pub(crate) stream: Stream,
    /// The most samples of contexts that have taken over another's counter.
    pub(crate) most: HashMap<NodeId, u64>,
}

/// Between which two numbers something lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// It is not less.
    pub low: f64,
    /// It is not more.
    pub high: f64,
}

/// Is a context hot?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Its whole interval is.
    Hot,
    /// A part of its interval is.
    Perhaps,
}

/// A context that is hot, or perhaps.
#[derive(Clone, Debug)]
pub struct Hot {
    /// Where.
    pub place: Place,
    /// Samples of it that the log has: not less.
    pub low: u64,
    /// Its samples are not more.
    pub high: u64,
    /// Its share of the samples.
    pub of_samples: Interval,
    /// Its share of all entries; with `profile=<time>` of the time until the next entry.
    pub of_entries: Interval,
    /// Is it?
    pub verdict: Verdict,
}

/// The contexts that are hot, or perhaps, the hottest first.
#[derive(Clone, Debug)]
pub struct Hottest {
    /// How the run was sampled.
    pub stream: Stream,
    /// The samples that shares are of.
    pub samples: u64,
    /// The contexts.
    pub contexts: Vec<Hot>,
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

impl Log {
    /// What the log says of its profile; `None` in a run without.
    pub fn profile(&self) -> Option<&Profiled> {
        self.profile.as_ref()
    }

    /// Is it a sum of the profile's samples?
    pub fn is_sampled_entry(&self, event: &Event) -> bool {
        event.is_tally() && self.kind_of(event.kind).is_some_and(|kind| kind.is_agents("profile"))
    }
}

impl Profiled {
    /// Was every entry counted, and no context ever without a counter?
    pub fn is_exact(&self) -> bool {
        let Stream { period, dropped, lost, unseen, .. } = self.stream;
        (period, dropped, lost, unseen) == (1, 0, 0, 0)
    }

    /// The contexts with a share of `phi` or more, given the samples of each that the log has. `whole`: the log has those of all the run.
    pub fn hottest(&self, counts: impl IntoIterator<Item = (Place, u64)>, phi: f64, whole: bool) -> Hottest {
        let counts: Vec<(Place, u64)> = counts.into_iter().collect();
        let stream = self.stream;
        let told: u64 = counts.iter().map(|(_, count)| count).sum();
        let samples = told.saturating_add(stream.replaced);
        // What the counters know is of the whole run.
        let missing = if whole { stream.replaced.min(stream.unseen) } else { stream.replaced };
        let most = |node| self.most.get(&node).copied().filter(|_| whole).unwrap_or(u64::MAX);
        let is_sampled = stream.period != 1;
        let hot = |(place, low): (Place, u64)| {
            let high = low.saturating_add(missing).min(most(place.node)).max(low);
            let share = |count: u64| count as f64 / samples.max(1) as f64;
            let of_samples = Interval { low: share(low), high: share(high).min(1.0) };
            let of_entries = if is_sampled {
                let [low, high] = [of_samples.low, of_samples.high].map(|share| wilson(share, samples));
                Interval { low: low.low, high: high.high }
            } else {
                of_samples
            };
            let verdict = if of_entries.low >= phi { Verdict::Hot } else { Verdict::Perhaps };
            Hot { place, low, high, of_samples, of_entries, verdict }
        };
        let mut contexts: Vec<Hot> = counts.into_iter().map(hot).filter(|hot| hot.of_entries.high >= phi).collect();
        contexts.sort_by_key(|hot| (std::cmp::Reverse((hot.low, hot.high)), hot.place.node));
        Hottest { stream, samples, contexts }
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

    fn place(node: u32) -> Place {
        Place { node: NodeId(node), ..Place::default() }
    }

    #[test]
    fn a_context_whose_interval_only_touches_the_share_is_perhaps_hot() {
        let stream = Stream { period: 100, samples: 1000, ..Stream::default() };
        let hottest = Profiled { stream, ..Profiled::default() }.hottest(
            [(place(1), 900), (place(2), 95), (place(3), 5)],
            0.1,
            true,
        );
        let found: Vec<_> = hottest.contexts.iter().map(|hot| (hot.place.node.0, hot.verdict)).collect();
        assert_eq!(found, [(1, Verdict::Hot), (2, Verdict::Perhaps)]);
        assert!(hottest.contexts[0].of_entries.low < 0.9 && hottest.contexts[0].of_entries.high > 0.9);
    }

    #[test]
    fn counters_that_were_taken_over_widen_the_bounds() {
        let stream = Stream { period: 1, samples: 1000, replaced: 50, unseen: 40, ..Stream::default() };
        let most = [(NodeId(2), 120)].into();
        let profiled = Profiled { stream, most };
        let counts = [(place(1), 800), (place(2), 90), (place(3), 60)];
        let hottest = profiled.hottest(counts, 0.1, true);
        let found: Vec<_> = hottest.contexts.iter().map(|hot| (hot.place.node.0, hot.low, hot.high)).collect();
        assert_eq!(found, [(1, 800, 840), (2, 90, 120), (3, 60, 100)]);
        // Every entry was counted, so nothing is estimated.
        assert_eq!(hottest.contexts[1].of_entries, Interval { low: 0.09, high: 0.12 });
        let part = profiled.hottest(counts, 0.1, false);
        assert_eq!(part.contexts.iter().map(|hot| hot.high).collect::<Vec<_>>(), [850, 140, 110]);
    }

    #[test]
    fn the_interval_is_wilsons() {
        let Interval { low, high } = wilson(0.1, 100);
        assert!((low - 0.0552).abs() < 1e-4 && (high - 0.1744).abs() < 1e-4, "{low} {high}");
        assert_eq!(wilson(0.0, 10).low, 0.0);
    }
}
