//! The table of `docs/design/compatibility.md`: rows are kept from run to run, and replaced by those of the same program and JVM.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use super::program::Program;
use super::run::Outcome;
use crate::{Result, tree};

/// The text above the table; what is below it is replaced.
const HEAD: &str = "# Real programs under Lucce

Each row is one run of `cargo xtask programs`, which writes this file: a program in a JVM of its own, with the options of the agent that the row names.
The program must print what it prints without the agent. The checks are those of the oracle (`verify`): each compares a context with the JVM's own stack walk at the same moment, frame by frame.
*Mismatches* are checks in which the two differed. *Lost* are contexts that the agent gave up, and said so. A row is *exact* if there is neither, and nothing else is wrong.
With `verify=1` every entry of a method is checked; larger intervals check the first uses of each edge, every n-th entry and every event.
The drivers, and the versions of all jars, are in `jvm-tests/programs`.

| program | JDK | options | checks | mismatches | lost | result |
|---|---|---|---|---|---|---|
";

/// The rows, by program and feature release.
pub struct Table {
    rows: BTreeMap<(String, u32), Vec<String>>,
}

impl Table {
    /// What the file has.
    ///
    /// # Errors
    /// One line for a row that is not of this table.
    pub fn read() -> Result<Self> {
        let text = fs::read_to_string(file()).unwrap_or_default();
        Self::parse(&text).ok_or_else(|| format!("{} has rows of another table", tree::shown(&file())))
    }

    fn parse(text: &str) -> Option<Self> {
        let mut rows: BTreeMap<_, Vec<String>> = BTreeMap::new();
        for row in
            text.lines().skip_while(|line| !line.starts_with("|---")).skip(1).filter(|line| line.starts_with('|'))
        {
            let mut cells = row.split('|').map(str::trim).skip(1);
            let (program, feature) = (cells.next()?, cells.next()?.parse().ok()?);
            let name = program.split_whitespace().next()?;
            rows.entry((name.trim_matches(['`', ':']).to_string(), feature)).or_default().push(row.into());
        }
        Some(Self { rows })
    }

    /// These rows in place of those of the same program and JVM.
    pub fn replace(&mut self, program: &Program, feature: u32, outcomes: &[Outcome]) {
        let rows = outcomes.iter().map(|outcome| row(program, feature, outcome)).collect();
        self.rows.insert((program.name.clone(), feature), rows);
    }

    /// Writes the file.
    ///
    /// # Errors
    /// One line: it cannot be written.
    pub fn write(&self) -> Result<()> {
        let rows: Vec<String> = self.rows.values().flatten().map(|row| format!("{row}\n")).collect();
        let written = fs::create_dir_all(file().parent().unwrap_or(&file()))
            .and_then(|()| fs::write(file(), HEAD.to_string() + &rows.concat()));
        written.map_err(|e| format!("cannot write {}: {e}", file().display()))
    }
}

fn file() -> PathBuf {
    tree::root().join("docs/design/compatibility.md")
}

fn row(program: &Program, feature: u32, outcome: &Outcome) -> String {
    let Outcome { options, checks, mismatches, lost, troubles, .. } = outcome;
    let result = match &program.limit {
        _ if outcome.is_exact() => "exact".into(),
        Some(limit) => limit.clone(),
        None if troubles.is_empty() => "**differs**".into(),
        None => format!("**{}**", troubles.join("; ")),
    };
    let (name, what) = (&program.name, &program.what);
    format!("| `{name}`: {what} | {feature} | `{options}` | {checks} | {mismatches} | {lost} | {result} |")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_kept_by_program_and_jvm() {
        let text = HEAD.to_string()
            + "| `weka`: Weka 3 | 17 | `verify=1` | 5 | 0 | 0 | exact |\n| `weka`: Weka 3 | 17 | `jdk=on` | 5 | 0 | 0 | exact |\n";
        let table = Table::parse(&text).unwrap();
        assert_eq!(table.rows[&("weka".to_string(), 17)].len(), 2);
        assert!(Table::parse(&(HEAD.to_string() + "| weka | x |\n")).is_none());
    }
}
