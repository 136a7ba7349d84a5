//! How a section was measured, and which of its programs were measured again since.
//!
//! Invariant: what there is of a program in a section is of one command (with those that resumed
//! it), one commit and one machine: of the entry of `again` that names it, else of the section's
//! own. Ratios are taken within a program, so that such programs stand side by side.

use serde::{Deserialize, Serialize};

use super::super::machine;

/// How a section was measured.
#[derive(Debug, Serialize, Deserialize)]
pub struct About {
    /// All of it but for the programs in `again`.
    #[serde(flatten)]
    pub how: How,
    /// Those that were measured again since, in the order of that; none is named twice.
    #[serde(default)]
    pub again: Vec<Again>,
}

/// Programs of a section that were measured later than the others.
#[derive(Debug, Serialize, Deserialize)]
pub struct Again {
    /// Their names.
    pub programs: Vec<String>,
    /// How they were measured.
    #[serde(flatten)]
    pub how: How,
}

/// How something was measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct How {
    /// The command's arguments.
    pub arguments: String,
    /// Those of the commands that have added to it.
    #[serde(default)]
    pub resumed: Vec<String>,
    /// The commit that was measured, with a star if the checkout differed.
    pub commit: String,
    /// Model and number of processors.
    #[serde(default = "unknown_machine")]
    pub machine: String,
    /// [`machine::load`] before.
    pub load: f64,
    /// How long it took.
    pub minutes: f64,
    /// [`machine::Took::stolen`] of that time, if it is known of all of it.
    pub stolen: Option<f64>,
}

/// That of a section that was measured when it was not stated for each.
pub fn unknown_machine() -> String {
    "an unknown machine".into()
}

impl About {
    /// States that these programs were measured again, and how.
    pub fn again(&mut self, programs: &[String], how: How) {
        for again in &mut self.again {
            again.programs.retain(|program| !programs.contains(program));
        }
        self.again.retain(|again| !again.programs.is_empty());
        self.again.push(Again { programs: programs.into(), how });
    }

    /// How these programs were measured, if it was for all of them alike; how the whole section
    /// was, for none.
    pub fn of(&mut self, programs: &[String]) -> Option<&mut How> {
        let entry = |program| self.again.iter().position(|again| again.programs.contains(program));
        let Some((first, others)) = programs.split_first() else {
            return self.again.is_empty().then_some(&mut self.how);
        };
        let found = entry(first);
        if others.iter().any(|other| entry(other) != found) {
            return None;
        }
        Some(found.map_or(&mut self.how, |index| &mut self.again[index].how))
    }

    /// Was that program measured again?
    pub fn is_again(&self, program: &str) -> bool {
        self.again.iter().any(|again| again.programs.iter().any(|known| known == program))
    }
}

impl How {
    /// What begins now.
    pub fn now(arguments: &str) -> Self {
        Self {
            arguments: arguments.into(),
            resumed: Vec::new(),
            commit: machine::commit(),
            machine: machine::name(),
            load: machine::load(),
            minutes: 0.0,
            stolen: Some(0.0),
        }
    }

    /// Would what is measured now be of the same commit and machine?
    pub fn is_of_now(&self) -> bool {
        self.commit == machine::commit() && self.machine == machine::name()
    }

    /// Adds to the time that it has taken.
    pub fn took(&mut self, took: machine::Took) {
        self.minutes += took.minutes;
        self.stolen = self.stolen.zip(took.stolen).map(|(before, stolen)| before + stolen);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.into()).collect()
    }

    #[test]
    fn a_program_is_of_the_command_that_measured_it_last() {
        let how = How::now("--all");
        let of = |arguments: &str| How { arguments: arguments.into(), ..how.clone() };
        let mut about = About { how: how.clone(), again: Vec::new() };
        about.again(&names(&["h2", "fop"]), of("--two"));
        about.again(&names(&["fop", "pmd"]), of("--others"));
        let mut arguments = |programs: &[&str]| about.of(&names(programs)).map(|how| how.arguments.clone());
        assert_eq!(arguments(&["h2"]).as_deref(), Some("--two"));
        assert_eq!(arguments(&["fop", "pmd"]).as_deref(), Some("--others"));
        assert_eq!(arguments(&["batik", "jython"]).as_deref(), Some("--all"));
        for mixed in [&["h2", "fop"][..], &["batik", "pmd"], &["pmd", "batik"], &[]] {
            assert_eq!(arguments(mixed), None, "{mixed:?}");
        }
        assert!(about.is_again("h2") && !about.is_again("batik"));
        about.again(&names(&["h2"]), of("--one"));
        assert_eq!(about.again.iter().map(|again| again.programs.len()).collect::<Vec<_>>(), [2, 1]);
    }

    #[test]
    fn what_was_stolen_is_told_only_where_it_is_known_throughout() {
        let mut how = How::now("--startup");
        let mut take = |stolen| {
            how.took(machine::Took { minutes: 1.0, busy: None, stolen });
            how.stolen
        };
        assert_eq!(
            [take(Some(0.5)), take(Some(0.25)), take(None), take(Some(0.5))],
            [Some(0.5), Some(0.75), None, None]
        );
        assert_eq!(how.minutes, 4.0);
    }
}
