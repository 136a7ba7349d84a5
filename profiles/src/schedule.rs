//! Which entries of a stream are taken.
//!
//! Invariant: an answer depends on the entries so far, their times and the seed alone. Source:
//! ACCT, section 3.2 (triggers); HCCT, section 5 (static bursting), after Hirzel and Chilimbi 2001.

mod decaying;

pub use decaying::MethodCounters;

use lucce_words::random::Random;

/// A rule; entries are asked in order.
pub trait Schedule<K> {
    /// Is this entry taken, of `key`, at `time`?
    fn takes(&mut self, key: &K, time: u64) -> bool;
}

/// Each n-th, give or take an eighth of n.
#[derive(Clone, Debug)]
pub struct Each {
    period: u64,
    left: u64,
    random: Option<Random>,
}

impl Each {
    /// Each n-th exactly; the first is the n-th.
    pub const fn exactly(period: u64) -> Self {
        let period = if period == 0 { 1 } else { period };
        Self { period, left: period, random: None }
    }

    /// With jitter, and a random first distance: otherwise what recurs with the period is passed
    /// over, or taken each time.
    pub const fn jittered(period: u64, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut new = Self::exactly(period);
        new.left = 1 + random.below(new.period);
        new.random = Some(random);
        new
    }

    fn distance(&mut self) -> u64 {
        let eighth = self.period / 8;
        match &mut self.random {
            Some(random) => self.period - eighth + random.below(2 * eighth + 1),
            None => self.period,
        }
    }
}

impl<K> Schedule<K> for Each {
    fn takes(&mut self, _: &K, _: u64) -> bool {
        self.left -= 1;
        let taken = self.left == 0;
        if taken {
            self.left = self.distance();
        }
        taken
    }
}

/// The first entry behind each tick.
#[derive(Clone, Debug)]
pub struct Ticks {
    interval: u64,
    next: u64,
}

impl Ticks {
    /// One tick in so many nanoseconds.
    pub const fn new(interval: u64) -> Self {
        let interval = if interval == 0 { 1 } else { interval };
        Self { interval, next: interval }
    }
}

impl<K> Schedule<K> for Ticks {
    fn takes(&mut self, _: &K, time: u64) -> bool {
        let taken = time >= self.next;
        if taken {
            self.next = (time / self.interval + 1) * self.interval;
        }
        taken
    }
}

/// Static bursting: all entries of a burst, then none for a while. In entries, or in nanoseconds.
#[derive(Clone, Debug)]
pub struct Bursts {
    length: u64,
    interval: u64,
    /// Entries so far, where those are counted.
    entries: Option<u64>,
}

impl Bursts {
    /// The first `length` of each `interval` entries.
    pub const fn of_entries(length: u64, interval: u64) -> Self {
        Self { length, interval: if interval == 0 { 1 } else { interval }, entries: Some(0) }
    }

    /// The entries of the first `length` nanoseconds of each `interval`.
    pub const fn of_time(length: u64, interval: u64) -> Self {
        Self { length, interval: if interval == 0 { 1 } else { interval }, entries: None }
    }
}

impl<K> Schedule<K> for Bursts {
    fn takes(&mut self, _: &K, time: u64) -> bool {
        let at = self.entries.as_mut().map_or(time, |entries| {
            *entries += 1;
            *entries - 1
        });
        at % self.interval < self.length
    }
}
