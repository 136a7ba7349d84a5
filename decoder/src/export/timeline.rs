//! When the events of a sum happened: its counts and values by equal bins of time.
//!
//! Invariant: a bin is `2^shift` nanoseconds long, and bin 0 begins in 1970, so that timelines of
//! several logs lie on the same bins. Bins stand in order, each once. Coarser bins add up finer
//! ones; nothing is lost but the time.

/// What happened in one bin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bin {
    /// Nanoseconds since 1970 at its beginning, by the length of a bin.
    pub at: u64,
    /// Number of events.
    pub count: u64,
    /// Sum of their values, as in a [`Sum`](super::Sum).
    pub value: i128,
}

/// The bins in which something happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    shift: u32,
    bins: Vec<Bin>,
}

impl Timeline {
    /// No events; bins of `2^shift` nanoseconds.
    ///
    /// # Panics
    /// A shift of 64 or more.
    pub(super) fn new(shift: u32) -> Self {
        assert!(shift < u64::BITS);
        Self { shift, bins: Vec::new() }
    }

    /// The bins, in order.
    pub fn bins(&self) -> &[Bin] {
        &self.bins
    }

    /// A bin has `2^shift` nanoseconds.
    pub fn shift(&self) -> u32 {
        self.shift
    }

    /// Adds events of one moment, in nanoseconds since 1970. Is there one more bin for it?
    pub(super) fn add(&mut self, time_ns: u64, count: u64, value: i128) -> bool {
        let before = self.bins.len();
        self.put(Bin { at: time_ns >> self.shift, count, value });
        self.bins.len() > before
    }

    fn put(&mut self, new: Bin) {
        // Most events come in the order of time.
        let at = match self.bins.last() {
            Some(last) if last.at >= new.at => self.bins.partition_point(|bin| bin.at < new.at),
            _ => self.bins.len(),
        };
        match self.bins.get_mut(at).filter(|bin| bin.at == new.at) {
            Some(bin) => {
                bin.count = bin.count.saturating_add(new.count);
                bin.value += new.value;
            }
            None => self.bins.insert(at, new),
        }
    }

    /// Makes bins of `2^shift` nanoseconds, if they are shorter.
    pub fn coarsen(&mut self, shift: u32) {
        if shift > self.shift {
            let by = shift - self.shift;
            let fine = std::mem::replace(self, Self::new(shift));
            fine.bins.into_iter().for_each(|bin| self.put(Bin { at: bin.at >> by, ..bin }));
            self.bins.shrink_to_fit();
        }
    }

    /// Adds what another one has.
    pub fn merge(&mut self, mut other: Self) {
        self.coarsen(other.shift);
        other.coarsen(self.shift);
        other.bins.into_iter().for_each(|bin| self.put(bin));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(shift: u32, bins: &[(u64, u64, i128)]) -> Timeline {
        let bins = bins.iter().map(|&(at, count, value)| Bin { at, count, value }).collect();
        Timeline { shift, bins }
    }

    #[test]
    fn events_in_any_order_stand_in_order() {
        let mut timeline = Timeline::new(4);
        for (time, value) in [(100, 1), (20, 2), (101, 3), (21, -4), (60, 5)] {
            timeline.add(time, 1, value);
        }
        assert_eq!(timeline, of(4, &[(1, 2, -2), (3, 1, 5), (6, 2, 4)]));
    }

    #[test]
    fn coarser_bins_keep_the_sums() {
        let mut timeline = of(4, &[(1, 2, -2), (3, 1, 5), (6, 2, 4)]);
        timeline.coarsen(6);
        assert_eq!(timeline, of(6, &[(0, 3, 3), (1, 2, 4)]));
        timeline.merge(of(5, &[(0, 1, 10), (9, 7, 70)]));
        assert_eq!(timeline, of(6, &[(0, 4, 13), (1, 2, 4), (4, 7, 70)]));
    }
}
