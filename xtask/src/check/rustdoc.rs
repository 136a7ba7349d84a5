//! The comments as rustdoc reads them: links lead somewhere, also those of private items, and
//! examples compile.
//!
//! Invariant: with the profile of the tests, so that clippy and the tests have compiled already
//! what this needs.
//! Source: the rustdoc book, "Lints", "Documentation tests".

use std::fs;

use super::dependencies::packages;
use super::tidy;
use crate::{Result, build, process};

/// Documents all crates.
///
/// # Errors
/// One line; rustdoc prints its findings.
pub fn links() -> Result<()> {
    let doc = ["doc", "--quiet", "--profile", build::TESTS, "--workspace", "--no-deps", "--document-private-items"];
    process::run(process::cargo().args(doc).env("RUSTDOCFLAGS", "-D warnings -A rustdoc::private_intra_doc_links"))
}

/// Runs the examples of the crates that have any, as the tests of these crates do.
///
/// # Errors
/// One line; rustdoc prints what fails.
pub fn examples() -> Result<()> {
    let mut test = process::cargo();
    test.args(["test", "--quiet", "--doc", "--profile", build::TESTS]);
    for package in packages()? {
        let sources = tidy::sources(&package.folder().join("src"), "rs");
        if sources.iter().any(|file| fs::read_to_string(file).is_ok_and(|text| has_example(&text))) {
            test.args(["--package", &package.name]);
        }
    }
    process::run(&mut test)
}

/// Does a comment of the text hold code that rustdoc compiles?
fn has_example(text: &str) -> bool {
    let comments = text.lines().map(str::trim_start).filter_map(|line| {
        let comment = line.strip_prefix("//!").or_else(|| line.strip_prefix("///"));
        comment.and_then(|comment| comment.trim().strip_prefix("```"))
    });
    // Each other one ends a block.
    let is_code = |word: &str| ["", "rust", "no_run", "should_panic", "compile_fail"].contains(&word.trim());
    comments.step_by(2).any(|info| info.split(',').all(is_code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_with_code_has_an_example_and_one_with_a_picture_has_none() {
        assert!(has_example("/// ```text\n/// a\n/// ```\n    /// ```\n    /// f();\n    /// ```"));
        assert!(has_example("/// ```rust,no_run\n/// f();\n/// ```"));
        assert!(!has_example("//! ```text\n//! a\n//! ```\nlet x = \"```\";"));
    }
}
