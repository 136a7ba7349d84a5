//! Which tests were the dearest: the processor time of the JVMs and decoders that each has started.
//!
//! Invariant: it is time of processors, so it says the same on a machine that is busy with other
//! work. Tests write the record, a line for each child (`jvm-tests/src/spent.rs`); children that a
//! test waits for by itself are not in it.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use crate::tree;

/// How many tests are named.
const NAMED: usize = 20;

/// The record of the last run.
pub fn file() -> PathBuf {
    tree::cache().join("spent.tsv")
}

/// Forgets the last run.
pub fn begin() {
    let _ = fs::remove_file(file());
}

/// What one test, or all of them, spent.
#[derive(Default, Clone, Copy)]
struct Spent {
    milliseconds: u64,
    children: u64,
}

impl Spent {
    fn add(&mut self, milliseconds: u64) {
        self.milliseconds += milliseconds;
        self.children += 1;
    }
}

/// The dearest tests of the run, a line each, for people.
pub fn lines() -> String {
    told(&fs::read_to_string(file()).unwrap_or_default())
}

fn told(record: &str) -> String {
    let (mut tests, mut programs) = (BTreeMap::<&str, Spent>::new(), BTreeMap::<&str, Spent>::new());
    for line in record.lines() {
        let mut fields = line.split('\t');
        let (Some(test), Some(program)) = (fields.next(), fields.next()) else { continue };
        let Some(milliseconds) = fields.next().and_then(|field| field.parse().ok()) else { continue };
        tests.entry(test).or_default().add(milliseconds);
        programs.entry(program).or_default().add(milliseconds);
    }
    if tests.is_empty() {
        return String::new();
    }
    let mut tests: Vec<_> = tests.into_iter().collect();
    tests.sort_by_key(|(_, spent)| std::cmp::Reverse(spent.milliseconds));
    let line = |(name, spent): (&str, Spent), of: &str| {
        format!("{:7.1} s  {:4} {of}  {name}\n", spent.milliseconds as f64 / 1000.0, spent.children)
    };
    let programs = programs.into_iter().map(|program| line(program, "runs"));
    let tests = tests.into_iter().take(NAMED).map(|test| line(test, "children"));
    format!(
        "processor time of what tests started, and the dearest tests:\n{}",
        programs.chain(tests).collect::<String>()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dearest_test_comes_first_and_lines_cut_short_count_for_nothing() {
        let told = told("cheap\tjava\t100\ndear\tjava\t1500\ndear\tlucce-decode\t500\ncut\tja\n");
        let lines: Vec<&str> = told.lines().skip(1).collect();
        let expected = [
            "    1.6 s     2 runs  java",
            "    0.5 s     1 runs  lucce-decode",
            "    2.0 s     2 children  dear",
            "    0.1 s     1 children  cheap",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn without_a_record_nothing_is_told() {
        assert_eq!(told(""), "");
    }
}
