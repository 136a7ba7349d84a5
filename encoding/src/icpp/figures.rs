//! How well identifiers tell paths apart: precise, ambiguous, incorrect, missing, and the degree of
//! ambiguity.
//!
//! Invariant: each path that is evaluated has one outcome. Fractions are left to the reader, so
//! that nothing is rounded twice.
//! Source: "Inferred Call Path Profiling", section 8.4.

use std::collections::BTreeMap;

/// What an identifier says of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PathOutcome {
    /// This path alone.
    Precise,
    /// So many paths, this one among them.
    Ambiguous(u32),
    /// Other paths.
    Incorrect,
    /// None.
    Missing,
}

impl PathOutcome {
    /// Of an identifier that so many known paths have; is this one among them?
    pub const fn of(degree: u32, is_among: bool) -> Self {
        match (degree, is_among) {
            (0, _) => Self::Missing,
            (_, false) => Self::Incorrect,
            (1, true) => Self::Precise,
            (degree, true) => Self::Ambiguous(degree),
        }
    }
}

/// The outcomes of many paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordFigures {
    /// Paths that their identifiers tell alone.
    pub precise: u64,
    /// Paths that share theirs with others.
    pub ambiguous: u64,
    /// Paths whose identifiers tell others.
    pub incorrect: u64,
    /// Paths whose identifiers tell nothing.
    pub missing: u64,
    /// How many paths have each degree of ambiguity; precise ones have degree 1.
    pub degrees: BTreeMap<u32, u64>,
}

impl WordFigures {
    /// So many more.
    pub fn add(&mut self, outcome: PathOutcome, count: u64) {
        let (kind, degree) = match outcome {
            PathOutcome::Precise => (&mut self.precise, Some(1)),
            PathOutcome::Ambiguous(degree) => (&mut self.ambiguous, Some(degree)),
            PathOutcome::Incorrect => (&mut self.incorrect, None),
            PathOutcome::Missing => (&mut self.missing, None),
        };
        *kind += count;
        if let Some(degree) = degree
            && count > 0
        {
            *self.degrees.entry(degree).or_default() += count;
        }
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        self.precise + self.ambiguous + self.incorrect + self.missing
    }

    /// Those of a degree up to this one.
    pub fn within(&self, degree: u32) -> u64 {
        self.degrees.range(..=degree).map(|(_, count)| count).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_more_has_no_degree() {
        let mut figures = WordFigures::default();
        figures.add(PathOutcome::Precise, 0);
        assert_eq!(figures, WordFigures::default());
    }

    #[test]
    fn each_path_has_one_outcome_and_a_degree_if_it_is_told() {
        let mut figures = WordFigures::default();
        for (outcome, count) in [
            (PathOutcome::of(1, true), 5),
            (PathOutcome::of(3, true), 2),
            (PathOutcome::of(9, true), 1),
            (PathOutcome::of(1, false), 3),
            (PathOutcome::of(4, false), 1),
            (PathOutcome::of(0, false), 7),
        ] {
            figures.add(outcome, count);
        }
        assert_eq!((figures.precise, figures.ambiguous, figures.incorrect, figures.missing), (5, 3, 4, 7));
        assert_eq!(figures.total(), 19);
        assert_eq!([1, 2, 5, 10].map(|degree| figures.within(degree)), [5, 5, 7, 8]);
    }
}
