//! What comments cite of the project's own documents is there: the file, and the sections or
//! mechanisms named behind it.
//!
//! Invariant: a citation is the path of a document, and behind it perhaps quoted names in
//! parentheses: `docs/design/mechanisms.md ("Guard")`. Each name stands in the document. Source:
//! STYLE of the file heads, CONTRIBUTING.md, "Rules for code".

use std::fs;
use std::path::{Path, PathBuf};

use super::tidy;
use crate::{Result, tree};

/// What begins the path of a document.
const DOCUMENTS: &str = "docs/";

/// Runs the check over the sources of the checkout.
///
/// # Errors
/// One line; the findings are printed.
pub fn run() -> Result<()> {
    let root = tree::root();
    let mut findings = Vec::new();
    for file in sources(&root) {
        let Ok(text) = fs::read_to_string(&file) else { continue };
        let shown = tree::shown(&file);
        for (path, names) in cited(&text) {
            match fs::read_to_string(root.join(path)) {
                Err(_) => findings.push(format!("{shown}: no such document: {path}")),
                Ok(document) => {
                    let missing = names.into_iter().filter(|name| !document.contains(name));
                    findings.extend(missing.map(|name| format!("{shown}: {path} has no \"{name}\"")));
                }
            }
        }
    }
    super::report("citations", findings)
}

/// Rust and Java files.
fn sources(root: &Path) -> Vec<PathBuf> {
    ["rs", "java"].iter().flat_map(|ending| tidy::sources(root, ending)).collect()
}

/// The documents that a source cites, each with the names behind it.
fn cited(text: &str) -> Vec<(&str, Vec<&str>)> {
    let comments = text.lines().filter(|line| line.trim_start().starts_with(['/', '*']));
    comments.flat_map(|line| line.match_indices(DOCUMENTS).filter_map(|(at, _)| citation(&line[at..]))).collect()
}

fn citation(text: &str) -> Option<(&str, Vec<&str>)> {
    let end = text.find(".md")? + ".md".len();
    let (path, behind) = text.split_at(end);
    if path.contains(|c: char| c.is_whitespace() || c == '<') {
        return None;
    }
    let names = behind.strip_prefix(" (\"").and_then(|names| names.split_once("\")"));
    Some((path, names.map_or_else(Vec::new, |(names, _)| names.split("\", \"").collect())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_citation_is_a_path_and_names() {
        let text = "//! Source: docs/FORMAT.md; docs/design/mechanisms.md (\"Guard\", \"Risky\"), docs/a.\nlet x = \"docs/none.md\";\n";
        assert_eq!(cited(text), [("docs/FORMAT.md", vec![]), ("docs/design/mechanisms.md", vec!["Guard", "Risky"])]);
    }
}
