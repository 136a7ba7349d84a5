//! Kinds of events: whose a kind is, and its name.
//!
//! Invariant: a kind of the agent and a kind of the program are never the same, whatever their
//! names; equal labels are equal kinds. What the agent's own kinds mean (a sample, bytes,
//! nanoseconds) is said of them alone.
//! Source: docs/FORMAT.md, "Records" (Kind, ProgramKind) and "Kinds".

use std::borrow::Cow;

/// Who gives a kind of events its name and its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Owner {
    /// The agent: its event sources, its counts, its leak detector.
    Agent,
    /// The program, or another native agent.
    Program,
}

/// What stands before a program's name that would otherwise read as one of the agent's.
const PROGRAM: &str = "program:";

impl Owner {
    /// Both, by their numbers.
    pub const ALL: [Self; 2] = [Self::Agent, Self::Program];

    /// Whose a kind is of which the log has the name alone, as logs had before programs' kinds had
    /// a record of their own.
    pub fn of_name(name: &str) -> Self {
        if is_agents(name) { Self::Agent } else { Self::Program }
    }

    /// A kind as people read and write it: its name, and `program:` before a name of the program's
    /// that is one of the agent's, begins with `program:` itself, or is empty.
    pub fn label(self, name: &str) -> Cow<'_, str> {
        let plain = self == Self::Agent || !(name.is_empty() || is_agents(name) || name.starts_with(PROGRAM));
        if plain { Cow::Borrowed(name) } else { Cow::Owned(format!("{PROGRAM}{name}")) }
    }

    /// `agent` or `program`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Program => "program",
        }
    }
}

/// Is it the name of a kind of the agent's?
fn is_agents(name: &str) -> bool {
    matches!(
        name,
        "alloc" | "exception" | "monitor" | "park" | "holder" | "cpu" | "entry" | "profile" | "entered" | "leak"
    ) || name.starts_with("leak.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_labels_are_equal_kinds() {
        let names = [
            "alloc",
            "mine",
            "",
            "leak",
            "leak.objects",
            "leaky",
            "program:",
            "program:alloc",
            "program:program:alloc",
        ];
        let kinds: Vec<_> = Owner::ALL.iter().flat_map(|owner| names.map(|name| (*owner, name))).collect();
        for one in &kinds {
            for other in &kinds {
                // The agent has no kinds of these names.
                let (one_is, other_is) = (Owner::of_name(one.1), Owner::of_name(other.1));
                if [(one.0, one_is), (other.0, other_is)].contains(&(Owner::Agent, Owner::Program)) {
                    continue;
                }
                assert_eq!(one.0.label(one.1) == other.0.label(other.1), one == other, "{one:?} {other:?}");
            }
        }
    }

    #[test]
    fn names_of_the_programs_own_are_its_labels() {
        for (name, label) in
            [("order", "order"), ("Alloc", "Alloc"), ("leaky", "leaky"), ("park", "program:park"), ("", "program:")]
        {
            assert_eq!(Owner::Program.label(name), label);
        }
        assert_eq!(Owner::Agent.label("alloc"), "alloc");
    }
}
