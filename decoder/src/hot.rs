//! Which contexts a sampled run enters most, and how sure that is (`profile=`).
//!
//! Invariant: a context's samples lie between its bounds, whatever the counters had to forget; what
//! that says of entries, [`lucce_profiles::hot`] knows. Source: docs/FORMAT.md, "Profile";
//! Metwally, Agrawal, El Abbadi 2005 (Space Saving).

use std::collections::HashMap;

pub use lucce_profiles::hot::{Chosen, Interval, Shares, Verdict};
use lucce_profiles::summary::Bounds;
use lucce_words::NodeId;

use crate::{Log, LoggedEvent, Place};

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

/// A context that is hot, or perhaps.
#[derive(Clone, Debug)]
pub struct HotContext {
    /// Where.
    pub place: Place,
    /// Samples of it that the log has: not less.
    pub low: u64,
    /// Its samples are not more.
    pub high: u64,
    /// Its share of the samples and of all entries; with `profile=<time>` of the time until the
    /// next entry.
    pub shares: Shares,
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
    pub contexts: Vec<HotContext>,
}

impl Log {
    /// What the log says of its profile; `None` in a run without.
    pub fn profile(&self) -> Option<&Profiled> {
        self.profile.as_ref()
    }

    /// How the samples of its profile were chosen: of bursts its options tell.
    pub fn chosen(&self) -> Chosen {
        match self.profile.as_ref().map(|profile| profile.stream.period) {
            Some(1) => Chosen::All,
            _ if self.option("profile").is_some_and(|option| option.contains('/')) => Chosen::InBursts,
            _ => Chosen::Singly,
        }
    }

    /// Is it a sum of the profile's samples?
    pub fn is_sampled_entry(&self, event: &LoggedEvent) -> bool {
        event.is_tally() && self.kind_of(event.kind).is_some_and(|kind| kind.is_agents("profile"))
    }
}

impl Profiled {
    /// Has the context of this number taken over another's counter?
    pub(crate) fn has_taken_over(&self, node: NodeId) -> bool {
        self.most.contains_key(&node)
    }

    /// Was every entry counted, and no context ever without a counter?
    pub fn is_exact(&self) -> bool {
        let Stream { period, dropped, lost, unseen, .. } = self.stream;
        (period, dropped, lost, unseen) == (1, 0, 0, 0)
    }

    /// The contexts with a share of `phi` or more, given the samples of each that the log has.
    /// `whole`: the log has those of all the run.
    pub fn hottest(
        &self,
        counts: impl IntoIterator<Item = (Place, u64)>,
        phi: f64,
        (whole, chosen): (bool, Chosen),
    ) -> Hottest {
        let counts: Vec<(Place, u64)> = counts.into_iter().collect();
        let stream = self.stream;
        let told: u64 = counts.iter().map(|(_, count)| count).sum();
        let samples = told.saturating_add(stream.replaced);
        // What the counters know is of the whole run.
        let missing = if whole { stream.replaced.min(stream.unseen) } else { stream.replaced };
        let most = |node| self.most.get(&node).copied().filter(|_| whole).unwrap_or(u64::MAX);
        let hot = |(place, low): (Place, u64)| {
            let high = low.saturating_add(missing).min(most(place.node)).max(low);
            let shares = Shares::of(Bounds { low, high }, samples, chosen);
            shares.verdict(phi).map(|verdict| HotContext { place, low, high, shares, verdict })
        };
        let mut contexts: Vec<HotContext> = counts.into_iter().filter_map(hot).collect();
        contexts.sort_by_key(|hot| (std::cmp::Reverse((hot.low, hot.high)), hot.place.node));
        Hottest { stream, samples, contexts }
    }
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
            (true, Chosen::Singly),
        );
        let found: Vec<_> = hottest.contexts.iter().map(|hot| (hot.place.node.0, hot.verdict)).collect();
        assert_eq!(found, [(1, Verdict::Hot), (2, Verdict::Perhaps)]);
        let Interval { low, high } = hottest.contexts[0].shares.of_entries.expect("an interval");
        assert!(low < 0.9 && high > 0.9);
    }

    #[test]
    fn counters_that_were_taken_over_widen_the_bounds() {
        let stream = Stream { period: 1, samples: 1000, replaced: 50, unseen: 40, ..Stream::default() };
        let most = [(NodeId(2), 120)].into();
        let profiled = Profiled { stream, most };
        let counts = [(place(1), 800), (place(2), 90), (place(3), 60)];
        let hottest = profiled.hottest(counts, 0.1, (true, Chosen::All));
        let found: Vec<_> = hottest.contexts.iter().map(|hot| (hot.place.node.0, hot.low, hot.high)).collect();
        assert_eq!(found, [(1, 800, 840), (2, 90, 120), (3, 60, 100)]);
        // Every entry was counted, so nothing is estimated.
        assert_eq!(hottest.contexts[1].shares.of_entries, Some(Interval { low: 0.09, high: 0.12 }));
        let part = profiled.hottest(counts, 0.1, (false, Chosen::All));
        assert_eq!(part.contexts.iter().map(|hot| hot.high).collect::<Vec<_>>(), [850, 140, 110]);
    }
}
