//! The tools that read exported profiles in the tests: Go and a program made with it, Node with speedscope, Chromium.
//!
//! Invariant: what they run is pinned, by `go.sum` and `package-lock.json`. It lies in `target/readers`, and is made again when those change.

use std::fs;
use std::path::PathBuf;

use crate::{Result, process, tree};

/// Where Go is unpacked to by its own instructions.
const GO: &str = "/usr/local/go/bin/go";
/// The oldest Go that fetches the one which `go.mod` asks for.
const OLDEST_GO: u32 = 21;
/// What Debian's package and others call the browser.
const CHROMIUMS: [&str; 2] = ["chromium", "chromium-browser"];

/// Where the tools are.
pub struct Readers {
    /// Go's command.
    pub go: PathBuf,
    /// Node's.
    pub node: PathBuf,
    /// The browser.
    pub chromium: PathBuf,
    /// The folder with the program `profiles` and with `node_modules`.
    pub folder: PathBuf,
}

/// Finds, installs or fetches all of it.
///
/// # Errors
/// One line for the first that cannot be had.
pub fn fetch() -> Result<Readers> {
    let folder = tree::cache().join("readers");
    fs::create_dir_all(&folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
    let readers = Readers { go: go()?, node: node()?, chromium: chromium()?, folder };
    readers.build()?;
    readers.install()?;
    Ok(readers)
}

impl Readers {
    /// The program that reads with Go's libraries; quick where nothing has changed.
    fn build(&self) -> Result<()> {
        let mut go = process::command(&self.go);
        go.arg("build").arg("-o").arg(self.folder.join("profiles")).arg(".");
        process::run(go.current_dir(sources()))
    }

    /// speedscope, and what drives the browser.
    fn install(&self) -> Result<()> {
        let lock = "package-lock.json";
        let same = |file: &str| fs::read(sources().join(file)).ok() == fs::read(self.folder.join(file)).ok();
        if self.folder.join("node_modules/.package-lock.json").is_file() && same(lock) {
            return Ok(());
        }
        for file in ["package.json", lock] {
            let copied = fs::copy(sources().join(file), self.folder.join(file));
            copied.map_err(|e| format!("cannot copy {file}: {e}"))?;
        }
        println!("fetching speedscope and playwright-core from npm");
        let npm = process::on_path("npm").ok_or("npm is missing: install it (Debian: apt-get install npm)")?;
        let options = ["ci", "--silent", "--no-audit", "--no-fund", "--ignore-scripts"];
        let installed = process::run(process::command(npm).args(options).current_dir(&self.folder));
        if installed.is_err() {
            // The next run tries again.
            let _ = fs::remove_file(self.folder.join(lock));
        }
        installed
    }
}

fn sources() -> PathBuf {
    tree::root().join("decoder/tests/readers")
}

fn go() -> Result<PathBuf> {
    let found = process::on_path("go").or_else(|| Some(PathBuf::from(GO)).filter(|go| go.is_file()));
    let missing = || format!("Go 1.{OLDEST_GO} or later is missing: unpack it from go.dev/dl to /usr/local/go");
    let go = found.ok_or_else(missing)?;
    let version = process::output(process::command(&go).args(["env", "GOVERSION"]))?;
    if minor(&version).is_none_or(|minor| minor < OLDEST_GO) { Err(missing()) } else { Ok(go) }
}

/// The 26 of `go1.26.8`.
fn minor(version: &str) -> Option<u32> {
    version.trim().strip_prefix("go1.")?.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

fn node() -> Result<PathBuf> {
    if process::on_path("node").is_none() || process::on_path("npm").is_none() {
        process::install("Node", &["npm"])?;
    }
    process::on_path("node").ok_or_else(|| "node is not on PATH after its installation".into())
}

fn chromium() -> Result<PathBuf> {
    let find = || CHROMIUMS.into_iter().find_map(process::on_path);
    if find().is_none() {
        process::install("Chromium", &CHROMIUMS)?;
    }
    find().ok_or_else(|| "chromium is not on PATH after its installation".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_minor_version_of_go_is_read() {
        for (version, expected) in [("go1.26.8\n", Some(26)), ("go1.21rc2", Some(21)), ("devel", None)] {
            assert_eq!(minor(version), expected, "{version}");
        }
    }
}
