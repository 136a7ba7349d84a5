//! Space Saving: so many counters; an item without one takes that of the least, count and all.
//!
//! Invariants: the counters sum up to the total. A counter less the count that it was taken with is
//! at most the item's true count, and the counter at least. No counter's error passes total /
//! counters. While there are counters for all items, all counts are exact.
//! Source: Metwally, Agrawal, El Abbadi 2005; HCCT, section 4 (the lazy queue).

use std::collections::BTreeMap;

use super::{Bounds, StreamSummary};

/// Counters that know the least of them. Of several it is the first.
pub trait CounterStore {
    /// Adds a counter; they are numbered from 0.
    fn add(&mut self, count: u64);
    /// Adds to one.
    fn increase(&mut self, counter: usize, weight: u64);
    /// The first of the least. There is one.
    fn least(&mut self) -> usize;
    /// What one has.
    fn count(&self, counter: usize) -> u64;
    /// How many there are.
    fn len(&self) -> usize;
    /// Is there none?
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The summary, with a way to find the least.
#[derive(Clone, Debug)]
pub struct SpaceSaving<K, C> {
    most: usize,
    counters: C,
    /// By counter: its item, and what it had when the item took it.
    items: Vec<(K, u64)>,
    places: BTreeMap<K, usize>,
    total: u64,
    /// The greatest count that an item was replaced at.
    replaced: u64,
}

impl<K: Ord + Clone, C: CounterStore + Default> SpaceSaving<K, C> {
    /// With so many counters, at least one.
    pub fn new(most: usize) -> Self {
        Self {
            most: most.max(1),
            counters: C::default(),
            items: Vec::new(),
            places: BTreeMap::new(),
            total: 0,
            replaced: 0,
        }
    }

    /// Was an item ever replaced? If not, all counts are exact.
    pub const fn is_exact(&self) -> bool {
        self.replaced == 0
    }

    /// The counters themselves.
    pub const fn counters(&self) -> &C {
        &self.counters
    }
}

impl<K: Ord + Clone, C: CounterStore> StreamSummary<K> for SpaceSaving<K, C> {
    fn offer(&mut self, item: K, weight: u64, victims: &mut Vec<K>) {
        self.total += weight;
        if let Some(&place) = self.places.get(&item) {
            return self.counters.increase(place, weight);
        }
        if self.items.len() < self.most {
            self.places.insert(item.clone(), self.items.len());
            self.items.push((item, 0));
            return self.counters.add(weight);
        }
        let place = self.counters.least();
        let error = self.counters.count(place);
        self.replaced = self.replaced.max(error);
        self.counters.increase(place, weight);
        let (victim, _) = std::mem::replace(&mut self.items[place], (item.clone(), error));
        self.places.remove(&victim);
        self.places.insert(item, place);
        victims.push(victim);
    }

    fn total(&self) -> u64 {
        self.total
    }

    fn bounds(&self, item: &K) -> Option<Bounds> {
        let place = *self.places.get(item)?;
        let count = self.counters.count(place);
        Some(Bounds { low: count - self.items[place].1, high: count })
    }

    fn unseen(&self) -> u64 {
        self.replaced
    }

    fn kept(&self) -> Vec<(K, Bounds)> {
        let bounds = |(place, (item, error)): (usize, &(K, u64))| {
            let count = self.counters.count(place);
            (item.clone(), Bounds { low: count - error, high: count })
        };
        self.items.iter().enumerate().map(bounds).collect()
    }
}
