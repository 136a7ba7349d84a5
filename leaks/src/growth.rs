//! The rule: when does the number of generations among a context's live objects grow without bound?
//!
//! A context is a suspect when that number has reached new heights at least six times within some
//! window of the last 8, 16, 32 or 64 old collections, in each quarter of the window at least once,
//! and is six or more. A suspect is withdrawn as soon as that number is less than six, or reaches
//! no new height in as many collections as the window had. A bounded cache stops growing when it is
//! full, a working set when it is freed; what stays alive from collection to collection without
//! being joined by younger objects adds no generation at all. Collections may follow one another so
//! fast that a cache fills over more than six of them: until it is full it is a suspect like any
//! other.
//! Invariant: pure; time and generations come from outside.

use crate::samples::Generation;

/// Fewest generations of a suspect, and fewest new heights.
const FEWEST: usize = 6;
/// Windows, in old collections.
const WINDOWS: [u64; 4] = [8, 16, 32, 64];

/// What is alive of one context at the end of a generation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Alive {
    /// Distinct generations of birth.
    pub generations: usize,
    /// Estimated objects.
    pub objects: f64,
    /// Estimated bytes.
    pub bytes: f64,
}

/// A moment: a generation and its time in nanoseconds since the start of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Old collections so far.
    pub generation: Generation,
    /// Nanoseconds.
    pub time_ns: u64,
}

/// What is suspected of a context.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Suspicion {
    /// When it began to grow, and what was alive then.
    pub since: (Moment, Alive),
    window: u64,
}

/// A change of mind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeakVerdict {
    /// As before.
    Same,
    /// It has become a suspect.
    Suspected,
    /// It is none any more.
    Withdrawn,
}

/// The history of one context.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// New heights of the number of generations, the newest last; no more than the longest window
    /// needs.
    heights: Vec<(Moment, Alive)>,
    highest: usize,
    now: Alive,
    suspicion: Option<Suspicion>,
}

impl Series {
    /// What is alive now.
    pub fn now(&self) -> Alive {
        self.now
    }

    /// Is it a suspect, and since when?
    pub fn suspicion(&self) -> Option<Suspicion> {
        self.suspicion
    }

    /// A look between two collections: nothing is concluded.
    pub fn look(&mut self, alive: Alive) {
        self.now = alive;
    }

    /// A generation has ended.
    pub fn end(&mut self, at: Moment, alive: Alive) -> LeakVerdict {
        self.now = alive;
        if alive.generations > self.highest {
            self.highest = alive.generations;
            self.heights.push((at, alive));
            if self.heights.len() > *WINDOWS.last().unwrap_or(&64) as usize {
                self.heights.remove(0);
            }
        }
        let last = self.heights.last().map_or(0, |(moment, _)| moment.generation.0);
        match self.suspicion {
            Some(Suspicion { window, .. })
                if alive.generations < FEWEST || at.generation.0.saturating_sub(last) >= window =>
            {
                self.suspicion = None;
                // What comes next must prove itself again.
                self.heights.clear();
                LeakVerdict::Withdrawn
            }
            Some(_) => LeakVerdict::Same,
            None => match WINDOWS.iter().find_map(|&window| self.grows(at, window)) {
                Some(suspicion) if alive.generations >= FEWEST => {
                    self.suspicion = Some(suspicion);
                    LeakVerdict::Suspected
                }
                _ => LeakVerdict::Same,
            },
        }
    }

    /// Growth in every quarter of a window that ends now.
    fn grows(&self, at: Moment, window: u64) -> Option<Suspicion> {
        let age = |moment: &Moment| at.generation.0.saturating_sub(moment.generation.0);
        let within: Vec<_> = self.heights.iter().filter(|(moment, _)| age(moment) < window).collect();
        let quarters = (0..4).all(|quarter| within.iter().any(|(moment, _)| age(moment) * 4 / window == quarter));
        let first = within.first()?;
        (within.len() >= FEWEST && quarters).then_some(Suspicion { since: **first, window })
    }

    /// Bytes that each old collection since then has added.
    pub fn growth(&self, at: Moment) -> f64 {
        let Some(Suspicion { since: (since, then), .. }) = self.suspicion else { return 0.0 };
        let collections = at.generation.0.saturating_sub(since.generation.0).max(1);
        (self.now.bytes - then.bytes) / collections as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(counts: impl IntoIterator<Item = usize>) -> (Series, Vec<(u64, LeakVerdict)>) {
        let mut series = Series::default();
        let mut changes = Vec::new();
        for (generation, generations) in (1_u64..).zip(counts) {
            let at = Moment { generation: Generation(generation), time_ns: generation * 1000 };
            let bytes = generations as f64 * 10.0;
            let verdict = series.end(at, Alive { generations, objects: 1.0, bytes });
            if verdict != LeakVerdict::Same {
                changes.push((generation, verdict));
            }
        }
        (series, changes)
    }

    #[test]
    fn a_context_that_gains_a_generation_each_time_is_a_suspect_soon() {
        let (series, changes) = run(1..=20);
        assert_eq!(changes, [(7, LeakVerdict::Suspected)]);
        let at = Moment { generation: Generation(20), time_ns: 0 };
        assert_eq!(series.growth(at), 10.0);
        assert_eq!(series.suspicion().map(|suspicion| suspicion.since.0.time_ns), Some(1000));
    }

    #[test]
    fn a_slow_leak_is_found_in_a_longer_window() {
        let (_, changes) = run((1..=80).map(|generation| generation / 4));
        assert!(matches!(changes[..], [(24..=32, LeakVerdict::Suspected)]), "{changes:?}");
    }

    #[test]
    fn what_is_bounded_is_none() {
        let noise = [3, 4, 4, 5, 3, 4, 5, 4];
        assert_eq!(run((0..200).map(|generation| noise[generation % 8])).1, []);
        assert_eq!(run(std::iter::repeat_n(1, 100)).1, []);
        // Working sets that grow for five collections and are freed.
        assert_eq!(run((0..100).map(|generation| 1 + generation % 5)).1, []);
    }

    /// While the cache fills one collection follows the other; then they are rare, and all that it
    /// holds is young.
    #[test]
    fn a_cache_that_fills_over_many_collections_is_none_when_they_become_rare() {
        let (series, changes) = run((1..=9).chain(std::iter::repeat_n(2, 6)));
        assert_eq!(changes, [(7, LeakVerdict::Suspected), (10, LeakVerdict::Withdrawn)]);
        assert_eq!(series.suspicion(), None);
    }

    #[test]
    fn a_suspect_whose_objects_are_freed_is_withdrawn_at_once() {
        let (_, changes) = run((1..=8).chain([0]));
        assert_eq!(changes, [(7, LeakVerdict::Suspected), (9, LeakVerdict::Withdrawn)]);
    }

    #[test]
    fn a_suspect_that_stops_growing_is_withdrawn() {
        let (series, changes) = run((1..=60).map(|generation: usize| generation.min(12)));
        assert_eq!(
            changes.iter().map(|change| change.1).collect::<Vec<_>>(),
            [LeakVerdict::Suspected, LeakVerdict::Withdrawn]
        );
        assert_eq!(series.suspicion(), None);
    }
}
