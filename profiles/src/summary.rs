//! Summaries of a stream: which items are frequent, in bounded memory, with bounds for each count.
//!
//! Invariant: for what is kept, the true count lies within its bounds; for what is not, it is at
//! most [`StreamSummary::unseen`]. Of [`Sticky`] both hold with the probability that it was made
//! for.
//! Source: HCCT, sections 2.2 and 4; Metwally, Agrawal, El Abbadi 2005 (Space Saving); Manku,
//! Motwani 2002 (Lossy Counting, Sticky Sampling).

mod buckets;
mod exact;
mod lazy;
mod lossy;
mod space_saving;
mod sticky;

pub use buckets::Buckets;
pub use exact::Exact;
pub use lazy::Lazy;
pub use lossy::Lossy;
pub use space_saving::{CounterStore, SpaceSaving};
pub use sticky::Sticky;

/// Between which numbers a count lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// It is not less.
    pub low: u64,
    /// It is not more.
    pub high: u64,
}

/// What a stream is offered to.
pub trait StreamSummary<K: Ord + Clone> {
    /// The item has come, with that weight. Items that are kept no longer are added to `victims`.
    fn offer(&mut self, item: K, weight: u64, victims: &mut Vec<K>);

    /// The sum of all weights.
    fn total(&self) -> u64;

    /// The bounds of an item that is kept.
    fn bounds(&self, item: &K) -> Option<Bounds>;

    /// The most that an item can have which is not kept.
    fn unseen(&self) -> u64;

    /// All that is kept.
    fn kept(&self) -> Vec<(K, Bounds)>;

    /// Items that may have `floor(phi * total)` or more, the heaviest first: no item that has is
    /// left out, if what is not kept has less.
    fn frequent(&self, phi: f64) -> Vec<(K, Bounds)> {
        let least = threshold(phi, self.total());
        let mut found: Vec<_> = self.kept().into_iter().filter(|(_, bounds)| bounds.high >= least).collect();
        found.sort_by(|one, other| other.1.high.cmp(&one.1.high).then_with(|| one.0.cmp(&other.0)));
        found
    }
}

/// `floor(phi * total)`, and at least 1: no item is frequent that never came.
pub fn threshold(phi: f64, total: u64) -> u64 {
    ((phi * total as f64).floor() as u64).max(1)
}
