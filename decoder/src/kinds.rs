//! The kinds of a log's events: whose each is, its name, and what its values are.
//!
//! Invariant: what a value means follows from a kind of the agent's alone; a kind of the program's
//! counts in a unit that only the program knows.
//! Source: docs/FORMAT.md, "Kinds".

use std::collections::BTreeMap;

use lucce_log::Owner;

use crate::plain::plain;

/// A kind of events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Whose it is.
    pub owner: Owner,
    /// Its name, as its owner calls it.
    pub name: String,
    /// As people read and write it: no other kind has the same.
    pub label: String,
}

/// What the values of a kind are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Bytes.
    Bytes,
    /// Nanoseconds.
    Nanoseconds,
    /// Numbers of whatever the kind counts.
    Count,
}

impl Kind {
    pub(crate) fn new(owner: Owner, name: String) -> Self {
        Self { owner, label: owner.label(&name).into_owned(), name }
    }

    /// One whose definition is lost. The agent has no kind without a name.
    pub(crate) fn unknown() -> Self {
        Self { owner: Owner::Agent, name: String::new(), label: "unknown kind".into() }
    }

    /// Is its definition lost?
    pub fn is_unknown(&self) -> bool {
        self.owner == Owner::Agent && self.name.is_empty()
    }

    /// Is it the kind of the agent's with this name?
    pub fn is_agents(&self, name: &str) -> bool {
        self.owner == Owner::Agent && self.name == name
    }

    /// Does it say what the leak detector sees of a suspect? Each look is an event, so that sums of
    /// its values say nothing.
    pub fn is_of_suspect(&self) -> bool {
        self.owner == Owner::Agent && self.name.starts_with("leak.")
    }

    /// What its values are.
    pub fn unit(&self) -> Unit {
        match (self.owner, self.name.as_str()) {
            (Owner::Agent, "alloc") => Unit::Bytes,
            (Owner::Agent, "monitor" | "park" | "holder" | "cpu") => Unit::Nanoseconds,
            _ => Unit::Count,
        }
    }

    /// The options of the agent that make it log the kind; none for the program's own.
    pub fn sources(&self) -> &'static [&'static str] {
        match (self.owner, self.name.as_str()) {
            (Owner::Agent, "alloc") => &["alloc"],
            (Owner::Agent, "exception") => &["exceptions"],
            (Owner::Agent, "monitor" | "park" | "holder") => &["locks"],
            (Owner::Agent, "cpu") => &["cpu"],
            (Owner::Agent, "entry") => &["entries"],
            (Owner::Agent, "profile") => &["profile"],
            (Owner::Agent, "entered") => &["contexts"],
            (Owner::Agent, name) if name == "leak" || name.starts_with("leak.") => &["leaks"],
            _ => &[],
        }
    }

    /// Does a user who writes this mean it? Its label, that as it is printed, and `program:` before
    /// any name of the program's.
    pub fn is_meant_by(&self, text: &str) -> bool {
        let whole = |label: &str| label == text || plain(label) == text;
        whole(&self.label) || self.owner == Owner::Program && whole(&format!("program:{}", self.name))
    }
}

/// The kinds by the log's numbers.
pub(crate) type Kinds = BTreeMap<u32, Kind>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_means_the_agents_kind_unless_it_says_program() {
        let [own, programs, mine] = [(Owner::Agent, "alloc"), (Owner::Program, "alloc"), (Owner::Program, "a\nb")]
            .map(|(owner, name)| Kind::new(owner, name.into()));
        let meant = |text: &str| [&own, &programs, &mine].map(|kind| kind.is_meant_by(text));
        assert_eq!(meant("alloc"), [true, false, false]);
        assert_eq!(meant("program:alloc"), [false, true, false]);
        for text in ["a\nb", "a\\nb", "program:a\nb", "program:a\\nb"] {
            assert_eq!(meant(text), [false, false, true], "{text}");
        }
        assert_eq!([&own, &programs, &mine].map(Kind::unit), [Unit::Bytes, Unit::Count, Unit::Count]);
    }
}
