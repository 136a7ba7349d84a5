//! Every item with its count: what the others are compared with.

use std::collections::BTreeMap;

use super::{Bounds, StreamSummary};

/// All counts.
#[derive(Clone, Debug, Default)]
pub struct Exact<K> {
    counts: BTreeMap<K, u64>,
    total: u64,
}

impl<K: Ord + Clone> Exact<K> {
    /// Nothing yet.
    pub const fn new() -> Self {
        Self { counts: BTreeMap::new(), total: 0 }
    }

    /// All counts.
    pub const fn counts(&self) -> &BTreeMap<K, u64> {
        &self.counts
    }
}

impl<K: Ord + Clone> StreamSummary<K> for Exact<K> {
    fn offer(&mut self, item: K, weight: u64, _: &mut Vec<K>) {
        *self.counts.entry(item).or_default() += weight;
        self.total += weight;
    }

    fn total(&self) -> u64 {
        self.total
    }

    fn bounds(&self, item: &K) -> Option<Bounds> {
        self.counts.get(item).map(|&count| Bounds { low: count, high: count })
    }

    fn unseen(&self) -> u64 {
        0
    }

    fn kept(&self) -> Vec<(K, Bounds)> {
        self.counts.iter().map(|(item, &count)| (item.clone(), Bounds { low: count, high: count })).collect()
    }
}
