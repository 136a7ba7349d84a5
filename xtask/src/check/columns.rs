//! Comments that are read: no line of prose is wider than [`WIDEST`] columns, where most windows
//! end.
//!
//! Invariant: what is set out by hand stays as it is: code between fences, tables, and what is
//! indented by four. So is a line that is one long word.

use std::fs;
use std::path::PathBuf;

use super::{report, tidy};
use crate::{Result, tree};

/// Columns of a line of prose at most, with its indentation.
const WIDEST: usize = 100;

/// Looks at the comments of all Rust files, and of the Java classes that are shipped.
///
/// # Errors
/// One line; the findings are printed.
pub fn run() -> Result<()> {
    let root = tree::root();
    let shipped = |file: &PathBuf| tree::shown(file).contains("src/main/");
    let java = tidy::sources(&root.join("java-shim"), "java").into_iter().filter(shipped);
    let files = tidy::sources(&root, "rs").into_iter().chain(java);
    let mut findings = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
        let shown = tree::shown(&file);
        findings.extend(wide(&text).map(|line| format!("{shown}:{line}: a comment is wider than {WIDEST} columns")));
    }
    report("columns of comments", findings)
}

/// The numbers of lines, from 1, whose comment is too wide.
fn wide(text: &str) -> impl Iterator<Item = usize> {
    let mut is_fenced = false;
    text.lines().enumerate().filter_map(move |(n, line)| {
        let prose = prose(line)?;
        if prose.starts_with("```") {
            is_fenced = !is_fenced;
        }
        let is_set_out = is_fenced || prose.starts_with("    ") || prose.starts_with('|');
        let words = prose.split_whitespace().count();
        (!is_set_out && words > 1 && line.chars().count() > WIDEST).then_some(n + 1)
    })
}

/// What a line that is only a comment says.
fn prose(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let marks = ["//!", "///", "//", "/**", "* "];
    let text = marks.into_iter().find_map(|mark| line.strip_prefix(mark))?;
    Some(text.strip_prefix(' ').unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_prose_is_found_and_what_is_set_out_is_not() {
        let long = "word ".repeat(20);
        let found = |text: String| wide(&text).collect::<Vec<usize>>();
        assert_eq!(found(format!("//! short\n    /// {long}\n * {long}")), [2, 3]);
        assert_eq!(
            found(format!("/// ```\n/// {long}\n/// ```\n/// | {long}\n///     {long}\nlet a = \"{long}\";")),
            Vec::<usize>::new()
        );
        assert_eq!(found(format!("/// {}", "a".repeat(120))), Vec::<usize>::new());
    }
}
