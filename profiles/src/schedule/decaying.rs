//! A counter for each method, which fades.
//!
//! Invariant: a counter is halved once for each period that has ended since it was last looked at,
//! so no round over all of them is needed.
//! Source: ACCT, section 3.2 ("Method Counters ... typically involve a decay mechanism"), which
//! names no numbers.

use std::collections::BTreeMap;

use super::Schedule;

/// The counters.
#[derive(Clone, Debug)]
pub struct MethodCounters<K> {
    threshold: u64,
    /// Entries of all methods behind which counters are halved; 0: never.
    period: u64,
    entries: u64,
    /// Of each method its counter, and the period in which it was last changed.
    counters: BTreeMap<K, (u64, u64)>,
}

impl<K: Ord + Clone> MethodCounters<K> {
    /// A method's entry is taken when its counter reaches the threshold; the counter begins anew
    /// then.
    pub const fn new(threshold: u64, period: u64) -> Self {
        Self { threshold: if threshold == 0 { 1 } else { threshold }, period, entries: 0, counters: BTreeMap::new() }
    }

    /// What a method's counter has now.
    pub fn counter(&self, key: &K) -> u64 {
        self.counters.get(key).map_or(0, |&(count, since)| faded(count, self.now() - since))
    }

    fn now(&self) -> u64 {
        self.entries.checked_div(self.period).unwrap_or(0)
    }
}

fn faded(count: u64, periods: u64) -> u64 {
    u32::try_from(periods).ok().and_then(|periods| count.checked_shr(periods)).unwrap_or(0)
}

impl<K: Ord + Clone> Schedule<K> for MethodCounters<K> {
    fn takes(&mut self, key: &K, _: u64) -> bool {
        let now = self.now();
        self.entries += 1;
        let (count, since) = self.counters.entry(key.clone()).or_insert((0, now));
        *count = faded(*count, now - *since) + 1;
        *since = now;
        let taken = *count >= self.threshold;
        if taken {
            *count = 0;
        }
        taken
    }
}
