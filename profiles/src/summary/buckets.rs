//! Buckets of counters that have the same count, in order.
//!
//! Invariant: each counter is in the bucket of its count, and no bucket is empty. Source: Metwally,
//! Agrawal, El Abbadi 2005, "Stream-Summary". There the buckets are a list, since weights are 1;
//! here they are a tree, for any weight.

use std::collections::{BTreeMap, BTreeSet};

use super::CounterStore;

/// The buckets.
#[derive(Clone, Debug, Default)]
pub struct Buckets {
    counts: Vec<u64>,
    buckets: BTreeMap<u64, BTreeSet<usize>>,
}

impl CounterStore for Buckets {
    fn add(&mut self, count: u64) {
        self.buckets.entry(count).or_default().insert(self.counts.len());
        self.counts.push(count);
    }

    fn increase(&mut self, counter: usize, weight: u64) {
        let before = self.counts[counter];
        if let Some(bucket) = self.buckets.get_mut(&before) {
            bucket.remove(&counter);
            if bucket.is_empty() {
                self.buckets.remove(&before);
            }
        }
        self.counts[counter] = before + weight;
        self.buckets.entry(before + weight).or_default().insert(counter);
    }

    fn least(&mut self) -> usize {
        self.buckets.first_key_value().and_then(|(_, bucket)| bucket.first().copied()).unwrap_or(0)
    }

    fn count(&self, counter: usize) -> u64 {
        self.counts[counter]
    }

    fn len(&self) -> usize {
        self.counts.len()
    }
}
