//! HCCT's lazy priority queue: an array of counters, the least value known last, and the first
//! place that may have it.
//!
//! Invariant: no counter before `at` has the value `least`, and none at all has less. Counters
//! never fall. With weights of 1 a look for the least takes two steps on average (Theorem 4.1).
//! Source: HCCT, section 4, Algorithm 2.

use super::CounterStore;

/// The queue.
#[derive(Clone, Debug, Default)]
pub struct Lazy {
    counts: Vec<u64>,
    least: u64,
    at: usize,
    steps: u64,
}

impl Lazy {
    /// Counters that were looked at in all.
    pub const fn steps(&self) -> u64 {
        self.steps
    }
}

impl CounterStore for Lazy {
    fn add(&mut self, count: u64) {
        self.counts.push(count);
        if count < self.least {
            // The next look finds out.
            (self.least, self.at) = (0, 0);
        }
    }

    fn increase(&mut self, counter: usize, weight: u64) {
        self.counts[counter] += weight;
    }

    fn least(&mut self) -> usize {
        while self.at < self.counts.len() && self.counts[self.at] != self.least {
            self.at += 1;
            self.steps += 1;
        }
        if self.at == self.counts.len() {
            self.least = self.counts.iter().copied().min().unwrap_or(0);
            self.at = self.counts.iter().position(|&count| count == self.least).unwrap_or(0);
            self.steps += (self.counts.len() + self.at) as u64;
        }
        self.at
    }

    fn count(&self, counter: usize) -> u64 {
        self.counts[counter]
    }

    fn len(&self) -> usize {
        self.counts.len()
    }
}
