//! Names of kinds of events and their numbers: the log's, and those that the program is given, so that it need not name them each time.
//!
//! Invariant: equal names have equal numbers; a number keeps its name. A program that makes up a kind for each event fills no memory: names
//! behind the first 65 536 share one number, [`OTHERS`].

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::lock::Shared;

/// How many names have numbers of their own.
pub const MOST: usize = 1 << 16;
/// The name that all others share.
pub const OTHERS: &str = "(other kinds)";

/// A number, and whether it was known.
#[derive(Debug, PartialEq, Eq)]
pub enum Numbered {
    /// It was given before.
    Before(u32),
    /// It is given now, to this name.
    Now(u32, Arc<str>),
}

/// The names, by their numbers from 1.
#[derive(Default)]
pub struct Names {
    numbers: FxHashMap<Arc<str>, u32>,
    names: Vec<Arc<str>>,
}

impl Names {
    /// The number of a name; that of [`OTHERS`] for a new one behind the first `most`.
    pub fn number(&mut self, name: &str, most: usize) -> Numbered {
        if let Some(known) = self.known(name) {
            return Numbered::Before(known);
        }
        if self.names.len() < most {
            return self.add(name);
        }
        self.known(OTHERS).map_or_else(|| self.add(OTHERS), Numbered::Before)
    }

    /// The number that a name has already.
    pub fn known(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    fn add(&mut self, name: &str) -> Numbered {
        let name: Arc<str> = name.into();
        self.names.push(Arc::clone(&name));
        let number = self.names.len() as u32;
        self.numbers.insert(Arc::clone(&name), number);
        Numbered::Now(number, name)
    }

    /// The name with that number.
    fn name(&self, number: u32) -> Option<Arc<str>> {
        self.names.get((number as usize).checked_sub(1)?).cloned()
    }
}

/// The kinds that the program has been given numbers for.
#[derive(Default)]
pub struct Kinds(Shared<Names>);

impl Kinds {
    /// The number of a name.
    pub fn number(&self, name: &str) -> u32 {
        let known = self.0.read().known(name);
        known.unwrap_or_else(|| match self.0.write().number(name, MOST) {
            Numbered::Before(number) | Numbered::Now(number, _) => number,
        })
    }

    /// The name with that number.
    pub fn name(&self, number: u32) -> Option<Arc<str>> {
        self.0.read().name(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_behind_the_most_share_a_number() {
        let mut names = Names::default();
        assert_eq!(names.number("one", 2), Numbered::Now(1, "one".into()));
        assert_eq!(names.number("two", 2), Numbered::Now(2, "two".into()));
        assert_eq!(names.number("three", 2), Numbered::Now(3, OTHERS.into()));
        assert_eq!(["four", "two", "three"].map(|name| names.number(name, 2)), [3, 2, 3].map(Numbered::Before));
        // Those that must have one have it.
        assert_eq!(names.number("alloc", usize::MAX), Numbered::Now(4, "alloc".into()));
        assert_eq!((names.name(0), names.name(1), names.name(5)), (None, Some("one".into()), None));
    }

    #[test]
    fn the_number_of_all_others_is_one_more_than_the_most() {
        let kinds = Kinds::default();
        for n in 0..MOST + 9 {
            kinds.number(&n.to_string());
        }
        assert_eq!((kinds.number("7"), kinds.number("new")), (8, MOST as u32 + 1));
        assert_eq!(kinds.name(MOST as u32 + 1), Some(OTHERS.into()));
    }
}
