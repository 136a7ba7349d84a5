//! Dependencies that nothing uses: each one that a manifest names must be named in the sources of
//! its crate.
//!
//! Invariant: a dependency counts as used if a path of the crate's sources begins with it, in
//! tests, benches and examples as well.
//! Source: `cargo metadata`.

use std::fs;
use std::path::Path;

use serde::Deserialize;

use super::tidy;
use crate::{Result, process};

/// What is read of cargo's answer.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

/// A crate of the workspace.
#[derive(Deserialize)]
pub struct Package {
    /// Its name.
    pub name: String,
    manifest_path: String,
    dependencies: Vec<Dependency>,
}

impl Package {
    /// Where it lives.
    pub fn folder(&self) -> &Path {
        Path::new(&self.manifest_path).parent().unwrap_or(Path::new("."))
    }
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    rename: Option<String>,
}

/// The crates of the workspace.
///
/// # Errors
/// One line, if cargo does not name them.
pub fn packages() -> Result<Vec<Package>> {
    let text = process::output(process::cargo().args(["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata: Metadata =
        serde_json::from_str(&text).map_err(|e| format!("cargo metadata is not understood: {e}"))?;
    Ok(metadata.packages)
}

/// Compares the manifests of the workspace with its sources.
///
/// # Errors
/// One line; each dependency that is not used is printed.
pub fn run() -> Result<()> {
    let mut findings = Vec::new();
    for package in &packages()? {
        let texts = tidy::sources(package.folder(), "rs")
            .into_iter()
            .map(fs::read_to_string)
            .collect::<std::result::Result<Vec<_>, _>>();
        let texts = texts.map_err(|e| format!("cannot read the sources of {}: {e}", package.name))?;
        let names = package.dependencies.iter().map(|of| of.rename.as_ref().unwrap_or(&of.name));
        findings.extend(
            names
                .filter(|name| !texts.iter().any(|text| names_crate(text, name)))
                .map(|name| unused(&package.name, name)),
        );
    }
    super::report("dependencies", findings)
}

fn unused(package: &str, dependency: &str) -> String {
    format!("{package} does not use {dependency}: take it out of its Cargo.toml")
}

/// Does a source name this crate, where a path begins?
fn names_crate(text: &str, name: &str) -> bool {
    let name = name.replace('-', "_");
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(&name).any(|(at, _)| {
        let (before, behind) = (&text[..at], &text[at + name.len()..]);
        let begins = !before.ends_with(part) && !before.ends_with("::");
        let line = before.rfind('\n').map_or(0, |end| end + 1);
        let comment = before[line..].contains("//");
        begins && !comment && (behind.starts_with("::") || behind.starts_with(';') || behind.starts_with(" as "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_counts_where_a_path_begins_with_it() {
        for used in [
            "use serde_json::Value;",
            "let x = serde_json::to_vec(&y);",
            "use serde_json as json;",
            "use {a, serde_json::b};",
        ] {
            assert!(names_crate(used, "serde-json"), "{used}");
        }
        for unused in [
            "use my_serde_json::x;",
            "use a::serde_json::x;",
            "// serde_json::x",
            "let serde_json = 1",
            "serde_jsons::x",
        ] {
            assert!(!names_crate(unused, "serde-json"), "{unused}");
        }
        assert_eq!(unused("lucce-log", "libc"), "lucce-log does not use libc: take it out of its Cargo.toml");
    }
}
