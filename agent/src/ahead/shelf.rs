//! The classes that were rewritten ahead and wait to be loaded.
//!
//! Invariant: they take [`MOST`] bytes at most, as far as that is known; the oldest go first.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::Ready;

/// Most bytes that may wait.
const MOST: usize = 16 << 20;
/// So many may wait of which it is not sure that they will be loaded: what is loaded soon is still in the caches then.
const AHEAD: usize = 128;

/// Numbers of classes, methods and sites.
pub(super) type Ids = (u32, u32, u32);

/// See above.
#[derive(Default)]
pub(super) struct Shelf {
    waiting: FxHashMap<String, (u64, Ready)>,
    /// Their names by age, and some that were taken.
    ages: VecDeque<(u64, String)>,
    /// How many were put here.
    put: u64,
    bytes: usize,
    /// What was given to those that were thrown away.
    wasted: Ids,
}

impl Shelf {
    /// May one wait that will perhaps not be loaded?
    pub(super) fn has_room(&self) -> bool {
        self.waiting.len() < AHEAD
    }

    /// Puts a class there. Those that have to go for it.
    pub(super) fn put(&mut self, ready: Ready) -> Vec<Ready> {
        let name = ready.name();
        self.put += 1;
        self.bytes += ready.size();
        self.ages.push_back((self.put, name.clone()));
        let mut gone: Vec<_> = self.waiting.insert(name, (self.put, ready)).into_iter().map(|old| old.1).collect();
        gone.iter().for_each(|old| self.bytes -= old.size());
        while self.bytes > MOST
            && let Some((age, name)) = self.ages.pop_front()
        {
            if self.waiting.get(&name).is_some_and(|waiting| waiting.0 == age) {
                gone.extend(self.take(&name));
            }
        }
        gone.iter().for_each(|ready| self.waste(ready));
        gone
    }

    /// Takes the one of this name.
    pub(super) fn take(&mut self, name: &str) -> Option<Ready> {
        let (age, ready) = self.waiting.remove(name)?;
        self.bytes -= ready.size();
        if self.ages.front().is_some_and(|oldest| oldest.0 == age) {
            self.ages.pop_front();
        }
        Some(ready)
    }

    /// One is thrown away.
    pub(super) fn waste(&mut self, ready: &Ready) {
        self.wasted = sum(self.wasted, ready.ids());
    }

    /// Takes all, to be thrown away.
    pub(super) fn clear(&mut self) -> Vec<Ready> {
        self.ages = VecDeque::new();
        self.bytes = 0;
        let gone: Vec<_> = std::mem::take(&mut self.waiting).into_values().map(|waiting| waiting.1).collect();
        gone.iter().for_each(|ready| self.waste(ready));
        gone
    }

    /// How many classes, methods and sites have ids, and were not loaded.
    pub(super) fn unused(&self) -> Ids {
        self.waiting.values().map(|waiting| waiting.1.ids()).fold(self.wasted, sum)
    }
}

fn sum(a: Ids, b: Ids) -> Ids {
    (a.0 + b.0, a.1 + b.1, a.2 + b.2)
}

#[cfg(test)]
mod tests {
    use super::super::ready::made_up;
    use super::*;

    #[test]
    fn the_oldest_go_first_and_what_was_not_loaded_is_counted() {
        let mut shelf = Shelf::default();
        let names = |gone: Vec<Ready>| gone.iter().map(Ready::name).collect::<Vec<_>>();
        // Each counts twice.
        for name in ["a", "b", "c", "d"] {
            assert!(shelf.put(made_up(name, MOST / 8)).is_empty());
        }
        assert_eq!(shelf.take("a").map(|ready| ready.name()).as_deref(), Some("a"));
        assert!(shelf.take("a").is_none() && shelf.put(made_up("e", MOST / 8)).is_empty());
        assert_eq!(names(shelf.put(made_up("f", MOST / 8))), ["b"]);
        assert_eq!(names(shelf.put(made_up("d", 1))), ["d"], "a name waits once");
        assert_eq!(shelf.unused(), (6, 6, 30), "four wait, two were thrown away");
        assert_eq!(shelf.clear().len(), 4);
        assert_eq!((shelf.unused(), shelf.bytes), ((6, 6, 30), 0));
    }

    #[test]
    fn few_wait_that_may_not_be_loaded() {
        let mut shelf = Shelf::default();
        for number in 0..AHEAD {
            assert!(shelf.has_room());
            shelf.put(made_up(&number.to_string(), 1));
        }
        assert!(!shelf.has_room());
        shelf.take("0");
        assert!(shelf.has_room());
    }
}
