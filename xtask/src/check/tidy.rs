//! Tidiness: each Rust file says what it is for, no file is longer than [`LONGEST`], the pure
//! crates forbid `unsafe`, and the documents name paths that exist.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{Result, tree};

/// Folders that are not source.
const NOT_SOURCE: [&str; 6] = ["target", "build", ".git", ".gradle", "fixtures", "node_modules"];

/// Most lines of a file of source.
const LONGEST: usize = 400;

/// Crates that hold no `unsafe`.
const SAFE: [&str; 6] = ["words", "locks", "profiles", "classfile", "encoding", "log"];

/// Documents whose paths are checked.
const DOCUMENTS: [&str; 2] = [MAP, "README.md"];

/// The document whose tables name folders in their first column.
const MAP: &str = "ARCHITECTURE.md";

/// Runs the checks over the checkout.
///
/// # Errors
/// One line; the findings are printed.
pub fn run() -> Result<()> {
    let root = tree::root();
    let mut findings = Vec::new();
    for file in ["rs", "java", "ts"].iter().flat_map(|ending| sources(&root, ending)) {
        let text = fs::read_to_string(&file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
        if file.extension().is_some_and(|ending| ending == "rs") && !text.starts_with("//! ") {
            findings.push(format!("{}: does not begin with `//!`", tree::shown(&file)));
        }
        findings.extend(length(&tree::shown(&file), &text));
    }
    for name in SAFE {
        let lib = root.join(name).join("src/lib.rs");
        if !fs::read_to_string(&lib).is_ok_and(|text| text.contains("#![forbid(unsafe_code)]")) {
            findings.push(format!("{}: does not forbid unsafe_code", tree::shown(&lib)));
        }
    }
    for document in DOCUMENTS {
        let Ok(text) = fs::read_to_string(root.join(document)) else { continue };
        let missing =
            paths(&text, document == MAP, |first| root.join(first).exists()).filter(|path| !root.join(path).exists());
        findings.extend(missing.map(|path| format!("{document}: no such path: {path}")));
    }
    super::report("tidy", findings)
}

/// What there is to say of a file's length.
fn length(file: &str, text: &str) -> Option<String> {
    let lines = text.lines().count();
    (lines > LONGEST)
        .then(|| format!("{file}: {lines} lines, the most are {LONGEST}: give each concept a file of its own"))
}

/// All source files below a folder whose names end like this.
pub fn sources(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        let source = path.file_name().is_some_and(|name| NOT_SOURCE.iter().all(|not| name != *not));
        if path.is_dir() && source {
            files.extend(sources(&path, ending));
        } else if path.extension().is_some_and(|extension| extension == ending) {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// What a document means as paths of the checkout: quoted words that begin with one of its folders
/// (`exists`) and have more parts, or that end as a Rust or Markdown file does; and in a `map` the
/// first column of a table, where that is one quoted word in lower case. What the build makes is
/// left out.
fn paths(text: &str, map: bool, exists: impl Fn(&str) -> bool) -> impl Iterator<Item = &str> {
    text.lines().flat_map(move |line| {
        let first_column = line.strip_prefix("| `").and_then(|rest| rest.split_once("` |")).map(|(word, _)| word);
        let folder = first_column.filter(|word| map && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'));
        let quoted = line
            .split('`')
            .skip(1)
            .step_by(2)
            .filter(|word| !word.contains(|c: char| c.is_whitespace() || "*<>()=:$".contains(c)));
        let files: Vec<_> = quoted
            .filter(|word| {
                let first = word.split('/').next().unwrap_or_default();
                let made = NOT_SOURCE.iter().any(|not| word.split('/').any(|part| part == *not));
                !made && (word.contains('/') && exists(first) || word.ends_with(".rs") || word.ends_with(".md"))
            })
            .collect();
        files.into_iter().chain(folder)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_too_long_is_named_with_its_length() {
        assert_eq!(length("a.rs", &"\n".repeat(400)), None);
        let found = length("a.rs", &"\n".repeat(401));
        assert_eq!(found.as_deref(), Some("a.rs: 401 lines, the most are 400: give each concept a file of its own"));
    }

    #[test]
    fn the_paths_of_a_document_are_found() {
        let text = "| `words` | `lucce-words` | `MethodId` |\nsee `agent/src/lib.rs`, `cargo xtask`, `target/x` and `java/lang/Thread`";
        let found: Vec<_> = paths(text, true, |first| first == "agent").collect();
        assert_eq!(found, ["words", "agent/src/lib.rs"]);
    }
}
