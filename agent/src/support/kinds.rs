//! Kinds of events and their numbers: the log's, and those that the program is given, so that it
//! need not name them each time.
//!
//! Invariant: equal kinds have equal numbers; a number keeps its kind. A kind of the program's is
//! never one of the agent's, whatever it is called. A program that makes up a kind for each event
//! fills no memory: names behind the first 65 536 share one number, [`OTHERS`].

use std::borrow::Cow;
use std::sync::Arc;

use lucce_log::{MAX_STRING, Owner};
use rustc_hash::FxHashMap;

use crate::support::lock::Shared;

/// How many names of the program's have numbers of their own.
pub const MOST: usize = 1 << 16;
/// The name that all others share.
pub const OTHERS: &str = "(other kinds)";

/// A kind of events: whose it is, and its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EventKind<'k> {
    /// Whose.
    pub owner: Owner,
    /// Its name.
    pub name: &'k str,
}

impl<'k> EventKind<'k> {
    /// One of the agent's own.
    pub const fn own(name: &'k str) -> Self {
        Self { owner: Owner::Agent, name }
    }

    /// One of the program's, or of another native agent.
    pub const fn programs(name: &'k str) -> Self {
        Self { owner: Owner::Program, name }
    }

    /// As people read it, and as listeners of other agents are given it.
    pub fn label(self) -> Cow<'k, str> {
        self.owner.label(self.name)
    }
}

/// A number, and whether it was known.
#[derive(Debug, PartialEq, Eq)]
pub enum Numbered {
    /// It was given before.
    Before(u32),
    /// It is given now, to this name.
    Now(u32, Arc<str>),
}

/// The kinds, by their numbers from 1.
#[derive(Default)]
pub struct KindNames {
    /// Of each owner.
    numbers: [FxHashMap<Arc<str>, u32>; Owner::ALL.len()],
    names: Vec<Arc<str>>,
}

impl KindNames {
    /// The number of a kind; that of [`OTHERS`] for a new one of the program's behind its first
    /// `most`.
    pub fn number(&mut self, kind: EventKind<'_>, most: usize) -> Numbered {
        if let Some(known) = self.known(kind) {
            return Numbered::Before(known);
        }
        if kind.owner == Owner::Agent || self.numbers[kind.owner as usize].len() < most {
            return self.add(kind);
        }
        let others = EventKind { name: OTHERS, ..kind };
        self.known(others).map_or_else(|| self.add(others), Numbered::Before)
    }

    /// The number that a kind has already.
    pub fn known(&self, kind: EventKind<'_>) -> Option<u32> {
        self.numbers[kind.owner as usize].get(whole(kind.name)).copied()
    }

    fn add(&mut self, kind: EventKind<'_>) -> Numbered {
        let name: Arc<str> = whole(kind.name).into();
        self.names.push(Arc::clone(&name));
        let number = self.names.len() as u32;
        self.numbers[kind.owner as usize].insert(Arc::clone(&name), number);
        Numbered::Now(number, name)
    }

    /// The name with that number.
    fn name(&self, number: u32) -> Option<Arc<str>> {
        self.names.get((number as usize).checked_sub(1)?).cloned()
    }
}

/// What of a name the log keeps: names that read the same there are one kind.
fn whole(name: &str) -> &str {
    &name[..name.floor_char_boundary(MAX_STRING)]
}

/// The kinds that the program has been given numbers for.
#[derive(Default)]
pub struct Kinds(Shared<KindNames>);

impl Kinds {
    /// The number of a name of the program's.
    pub fn number(&self, name: &str) -> u32 {
        let kind = EventKind::programs(name);
        let known = self.0.read().known(kind);
        known.unwrap_or_else(|| match self.0.write().number(kind, MOST) {
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
        let mut names = KindNames::default();
        let [one, two, three, four] = ["one", "two", "three", "four"].map(EventKind::programs);
        assert_eq!(names.number(one, 2), Numbered::Now(1, "one".into()));
        assert_eq!(names.number(two, 2), Numbered::Now(2, "two".into()));
        assert_eq!(names.number(three, 2), Numbered::Now(3, OTHERS.into()));
        assert_eq!([four, two, three].map(|kind| names.number(kind, 2)), [3, 2, 3].map(Numbered::Before));
        // The agent's own have one always.
        assert_eq!(names.number(EventKind::own("alloc"), 2), Numbered::Now(4, "alloc".into()));
        assert_eq!((names.name(0), names.name(1), names.name(5)), (None, Some("one".into()), None));
    }

    #[test]
    fn kinds_of_the_program_are_apart_from_those_of_the_agent() {
        let mut names = KindNames::default();
        let number = |given| match given {
            Numbered::Before(number) | Numbered::Now(number, _) => number,
        };
        for name in
            ["alloc", "exception", "monitor", "park", "cpu", "entry", "entered", "leak", "leak.objects", "", "x"]
        {
            let [own, programs] =
                [EventKind::own(name), EventKind::programs(name)].map(|kind| number(names.number(kind, MOST)));
            assert_ne!(own, programs, "{name}");
        }
    }

    #[test]
    fn names_that_the_log_cuts_to_the_same_are_one_kind() {
        let mut names = KindNames::default();
        let long = "x".repeat(MAX_STRING);
        let [first, second] = ["", "y"].map(|end| format!("{long}{end}"));
        assert_eq!(names.number(EventKind::programs(&first), MOST), Numbered::Now(1, long.as_str().into()));
        assert_eq!(names.number(EventKind::programs(&second), MOST), Numbered::Before(1));
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
