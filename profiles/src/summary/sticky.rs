//! Sticky Sampling: an item is kept once it was sampled, and counted from then on; the rate falls
//! as the stream grows.
//!
//! Invariants: a kept item has come at least as often as was counted. With probability 1 - delta,
//! no item that has come `phi * total` times is missing, and no count is more than `eps * total`
//! short. Source: Manku, Motwani 2002, section 4.1.

use std::collections::BTreeMap;

use super::{Bounds, StreamSummary};
use lucce_words::random::Random;

/// The summary.
#[derive(Clone, Debug)]
pub struct Sticky<K> {
    eps: f64,
    /// 1/eps * ln(1 / (phi * delta)): half of the items before the rate first falls.
    span: u64,
    /// One of so many items is sampled.
    rate: u64,
    /// The total at which the rate falls.
    next: u64,
    entries: BTreeMap<K, u64>,
    total: u64,
    random: Random,
}

impl<K: Ord + Clone> Sticky<K> {
    /// For items of `phi * total` or more.
    pub fn new(phi: f64, eps: f64, delta: f64, seed: u64) -> Self {
        let span = ((1.0 / (phi * delta)).ln() / eps).ceil().max(1.0) as u64;
        Self { eps, span, rate: 1, next: 2 * span, entries: BTreeMap::new(), total: 0, random: Random::new(seed) }
    }

    /// Half the rate: each count loses what would not have been sampled then.
    fn thin(&mut self, victims: &mut Vec<K>) {
        self.rate *= 2;
        self.next += self.span * self.rate;
        let random = &mut self.random;
        self.entries.retain(|item, count| {
            while *count > 0 && random.below(2) == 0 {
                *count -= 1;
            }
            if *count == 0 {
                victims.push(item.clone());
            }
            *count > 0
        });
    }
}

impl<K: Ord + Clone> StreamSummary<K> for Sticky<K> {
    fn offer(&mut self, item: K, weight: u64, victims: &mut Vec<K>) {
        let mut fallen = Vec::new();
        for _ in 0..weight {
            if self.total == self.next {
                self.thin(&mut fallen);
            }
            self.total += 1;
            match self.entries.get_mut(&item) {
                Some(count) => *count += 1,
                None if self.random.below(self.rate) == 0 => {
                    self.entries.insert(item.clone(), 1);
                }
                None => {}
            }
        }
        // What was thinned out and came again is no victim; an item that was not sampled is one.
        fallen.push(item);
        fallen.retain(|victim| !self.entries.contains_key(victim));
        fallen.dedup();
        victims.append(&mut fallen);
    }

    fn total(&self) -> u64 {
        self.total
    }

    fn bounds(&self, item: &K) -> Option<Bounds> {
        self.entries.get(item).map(|&count| Bounds { low: count, high: count + self.unseen() })
    }

    fn unseen(&self) -> u64 {
        (self.eps * self.total as f64).floor() as u64
    }

    fn kept(&self) -> Vec<(K, Bounds)> {
        let short = self.unseen();
        self.entries.iter().map(|(item, &low)| (item.clone(), Bounds { low, high: low + short })).collect()
    }
}
