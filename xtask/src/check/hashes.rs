//! Documents for readers name no commits: a reader of a guide has no use for a hash. The command
//! that measured helps, and a version or a month where it matters.
//!
//! Invariant: no word of README, ARCHITECTURE, the guide and the design documents is the hash of a
//! commit: [`DIGITS`] hexadecimal digits, letters among them, or only digits behind the word
//! "commit". docs/BENCHMARKS.md and docs/SYSTEMS.md state the commit of each section and are not
//! looked at. Source: `git rev-parse --short`.

use std::fs;
use std::ops::RangeInclusive;

use super::documents;
use crate::{Result, tree};

/// The documents and folders of documents that are looked at.
const FILES: [&str; 2] = ["README.md", "ARCHITECTURE.md"];
const FOLDERS: [&str; 2] = [documents::GUIDE, documents::DESIGN];

/// As few digits as git shortens a hash to, and as many as it has.
const DIGITS: RangeInclusive<usize> = 7..=40;

/// Runs the check over the checkout.
///
/// # Errors
/// One line; the findings are printed.
pub fn run() -> Result<()> {
    let root = tree::root();
    let chapters = FOLDERS.iter().flat_map(|folder| documents::chapters(&root.join(folder)));
    let mut findings = Vec::new();
    for file in FILES.map(|name| root.join(name)).into_iter().chain(chapters) {
        let text = fs::read_to_string(&file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
        let shown = tree::shown(&file);
        let found = text.lines().enumerate().flat_map(|(n, line)| hashes(line).map(move |hash| (n + 1, hash)));
        findings.extend(found.map(|(line, hash)| format!("{shown}:{line}: the hash of a commit: {hash}")));
    }
    super::report("hashes of commits", findings)
}

/// The words of a line that are hashes.
fn hashes(line: &str) -> impl Iterator<Item = &str> {
    let mut is_behind_commit = false;
    line.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).filter(move |word| {
        let is_named = std::mem::replace(&mut is_behind_commit, matches!(*word, "commit" | "commits"));
        let is_hex = word.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) && DIGITS.contains(&word.len());
        let has = |kind: fn(&u8) -> bool| word.as_bytes().iter().any(kind);
        is_hex && has(u8::is_ascii_digit) && (is_named || has(u8::is_ascii_lowercase))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_found_and_a_number_is_not() {
        let found = |line| hashes(line).collect::<Vec<_>>();
        assert_eq!(found("at commits 30ada47 and fd73b99 (17), commit 1077074"), ["30ada47", "fd73b99", "1077074"]);
        assert_eq!(
            found("| 1 | 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b |"),
            ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"]
        );
        let others = "1077074 contexts, 0x00007f31d80033e8, defaced facades, 178302, jdk-8313816, 12ab34g, commit them";
        assert_eq!(found(others), Vec::<&str>::new());
    }
}
