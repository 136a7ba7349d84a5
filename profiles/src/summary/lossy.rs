//! Lossy Counting: behind each 1/eps of the stream, what has come too seldom is forgotten.
//!
//! Invariants: with b whole windows behind it, an item that is not kept has come at most b times,
//! and b <= eps * total. A kept item has come at least as often as was counted, and at most
//! `missed` times more. Source: Manku, Motwani 2002, section 4.2.

use std::collections::BTreeMap;

use super::{Bounds, StreamSummary};

/// The summary.
#[derive(Clone, Debug)]
pub struct Lossy<K> {
    window: u64,
    /// Counts, and what may have been missed before.
    entries: BTreeMap<K, (u64, u64)>,
    total: u64,
}

impl<K: Ord + Clone> Lossy<K> {
    /// With an error of at most `eps * total`.
    pub fn new(eps: f64) -> Self {
        Self { window: (1.0 / eps).ceil().max(1.0) as u64, entries: BTreeMap::new(), total: 0 }
    }

    /// Whole windows so far.
    const fn windows(&self) -> u64 {
        self.total / self.window
    }
}

impl<K: Ord + Clone> StreamSummary<K> for Lossy<K> {
    fn offer(&mut self, item: K, weight: u64, victims: &mut Vec<K>) {
        let before = self.windows();
        self.entries.entry(item).or_insert((0, before)).0 += weight;
        self.total += weight;
        let windows = self.windows();
        if windows > before {
            self.entries.retain(|item, &mut (count, missed)| {
                let stays = count + missed > windows;
                if !stays {
                    victims.push(item.clone());
                }
                stays
            });
        }
    }

    fn total(&self) -> u64 {
        self.total
    }

    fn bounds(&self, item: &K) -> Option<Bounds> {
        self.entries.get(item).map(|&(count, missed)| Bounds { low: count, high: count + missed })
    }

    fn unseen(&self) -> u64 {
        self.windows()
    }

    fn kept(&self) -> Vec<(K, Bounds)> {
        let bounds =
            |(item, &(count, missed)): (&K, &(u64, u64))| (item.clone(), Bounds { low: count, high: count + missed });
        self.entries.iter().map(bounds).collect()
    }
}
