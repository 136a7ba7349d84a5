//! A type name has one meaning: a reader who knows the type of one file need not ask which one
//! another file means.
//!
//! Invariant: no more than [`MOST`] files define a type of the same name, and no two libraries of
//! the workspace export one. What a file tells apart by itself (a private type, a test's own) may
//! share its name with a few. A type inside a macro or behind other words on its line is not seen.
//! Source: the Rust API guidelines, "Naming".

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use super::tidy;
use crate::{Result, tree};

/// Most definitions of a name.
const MOST: usize = 3;

/// Their public types leave the crate nowhere: a library that the JVM loads, and a program.
const NO_LIBRARIES: [&str; 2] = ["agent", "xtask"];

/// What begins a definition, behind its visibility.
const KEYWORDS: [&str; 4] = ["struct ", "enum ", "trait ", "union "];

/// Runs the check over the Rust files of the checkout.
///
/// # Errors
/// One line; the findings are printed.
pub fn run() -> Result<()> {
    let mut files = Vec::new();
    for file in tidy::sources(&tree::root(), "rs") {
        let text = fs::read_to_string(&file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
        files.push((tree::shown(&file), text));
    }
    super::report("type names", shared(&files))
}

/// What there is to say of files, each with its text.
fn shared(files: &[(String, String)]) -> Vec<String> {
    let mut found: BTreeMap<&str, (Vec<&str>, BTreeSet<&str>)> = BTreeMap::new();
    for (file, text) in files {
        for (name, is_public) in text.lines().filter_map(defined) {
            let (places, libraries) = found.entry(name).or_default();
            places.push(file);
            libraries.extend(library(file).filter(|_| is_public));
        }
    }
    let mut findings = Vec::new();
    for (name, (places, libraries)) in found {
        if places.len() > MOST {
            findings.push(format!("{name}: {} types, in {}", places.len(), places.join(", ")));
        }
        if libraries.len() > 1 {
            let libraries: Vec<_> = libraries.into_iter().collect();
            findings.push(format!("{name}: exported by {}", libraries.join(", ")));
        }
    }
    findings
}

/// The type that a line defines, and whether it is public.
fn defined(line: &str) -> Option<(&str, bool)> {
    let line = line.trim_start();
    let (visibility, rest) = match line.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(") ")?,
        Some(rest) => ("", rest.strip_prefix(' ')?),
        None => ("private", line),
    };
    let rest = rest.strip_prefix("unsafe ").unwrap_or(rest);
    let named = KEYWORDS.iter().find_map(|keyword| rest.strip_prefix(keyword))?;
    let name = named.split(|c: char| !c.is_alphanumeric()).next()?;
    name.starts_with(char::is_uppercase).then_some((name, visibility.is_empty()))
}

/// The library whose source a file is.
fn library(file: &str) -> Option<&str> {
    let (folder, path) = file.split_once("/src/")?;
    (!folder.contains('/') && !path.starts_with("bin/") && !NO_LIBRARIES.contains(&folder)).then_some(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_is_seen_with_its_visibility() {
        assert_eq!(defined("    pub unsafe trait Table<T> {"), Some(("Table", true)));
        assert_eq!(defined("pub(crate) struct Node(u32);"), Some(("Node", false)));
        assert_eq!(defined("enum Kind {"), Some(("Kind", false)));
        assert_eq!(defined("// struct Kind"), None);
        assert_eq!(defined("public struct Kind"), None);
        assert_eq!(defined("    union of sets"), None);
    }

    #[test]
    fn a_name_of_two_libraries_and_one_of_four_files_are_found() {
        let file = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        let exported = "pub struct Node;\nstruct Own;\n";
        let files = [
            file("log/src/a.rs", exported),
            file("words/src/b.rs", exported),
            file("agent/src/c.rs", "pub struct Other;\nstruct Own;\n"),
            file("log/src/d.rs", "pub struct Other;\n"),
            file("words/tests/e.rs", "pub struct Other;\n"),
        ];
        assert_eq!(shared(&files), ["Node: exported by log, words"]);
        let fifth = [&files[..], &[file("log/tests/f.rs", "struct Own;\n")]].concat();
        assert_eq!(shared(&fifth)[1], "Own: 4 types, in log/src/a.rs, words/src/b.rs, agent/src/c.rs, log/tests/f.rs");
    }
}
