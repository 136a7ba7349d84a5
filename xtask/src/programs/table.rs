//! The table of `docs/design/compatibility.md`: rows are kept from run to run, and replaced by
//! those of the same program, JVM and encoder.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use super::ENCODER;
use super::program::Program;
use super::results::Sums;
use super::run::Outcome;
use crate::{Result, tree};

/// The text above the table; what is below it is replaced.
const HEAD: &str = "# Real programs under Lucce

Each row is one run of `cargo xtask programs`, which writes this file: a program in a JVM of its own, with the options of the agent that the row names.
The program must print what it prints without the agent. The checks are those of the oracle (`verify`): each compares a context with the JVM's own stack walk at the same moment, frame by frame.
*Mismatches* are checks in which the two differed. *Lost* are contexts that the agent gave up, and said so. A row is *exact* if there is neither, and nothing else is wrong.
With `verify=1` every entry of a method is checked; larger intervals check the first uses of each edge, every n-th entry and every event.
With a time in place of the interval one entry and one event are checked in that time.
With `encoder=pcc` words are hashed, and some say nothing, as below a constructor's `super(...)`. What is asked there is walked. The result says how many of the checked entries were so (*unknown*).
The drivers, and the versions of all jars, are in `jvm-tests/programs`.

| program | JDK | options | checks | mismatches | lost | result |
|---|---|---|---|---|---|---|
";

/// The rows, by program, feature release, and the encoder that was asked for.
pub struct Table {
    rows: BTreeMap<(String, u32, String), Vec<String>>,
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
            let name = program.split_whitespace().next()?.trim_matches(['`', ':']);
            let options = cells.next()?.trim_matches('`').split(',');
            let encoder = options.filter_map(|option| option.strip_prefix(ENCODER)).next().unwrap_or_default();
            rows.entry((name.into(), feature, encoder.into())).or_default().push(row.into());
        }
        Some(Self { rows })
    }

    /// These rows in place of those of the same program, JVM and encoder.
    pub fn replace(&mut self, program: &Program, feature: u32, encoder: Option<&str>, outcomes: &[&Outcome]) {
        let rows = outcomes.iter().map(|outcome| row(program, feature, outcome)).collect();
        self.rows.insert((program.name.clone(), feature, encoder.unwrap_or_default().into()), rows);
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
    let Outcome { options, troubles, sums: Sums { checks, mismatches, lost, unknown, .. }, .. } = outcome;
    let result = match &program.limit {
        _ if outcome.is_exact() && *unknown > 0 => format!("exact, {unknown} unknown"),
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
    fn rows_are_kept_by_program_jvm_and_encoder() {
        let row = |options| format!("| `weka`: Weka 3 | 17 | `{options}` | 5 | 0 | 0 | exact |\n");
        let text = HEAD.to_string() + &["verify=1", "jdk=on", "encoder=pcc,verify=1"].map(row).concat();
        let mut table = Table::parse(&text).unwrap();
        let count = |table: &Table, encoder: &str| table.rows[&("weka".to_string(), 17, encoder.to_string())].len();
        assert_eq!((count(&table, ""), count(&table, "pcc")), (2, 1));
        let weka = Program { name: "weka".into(), ..Program::default() };
        table.replace(&weka, 17, Some("pcc"), &[]);
        assert_eq!((count(&table, ""), count(&table, "pcc")), (2, 0));
        assert!(Table::parse(&(HEAD.to_string() + "| weka | x |\n")).is_none());
    }
}
