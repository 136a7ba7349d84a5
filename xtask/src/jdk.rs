//! JDKs (with `javac`) on this machine: which is the default, which others there are.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::{Result, process};

/// The oldest JDK that can build the Java side.
pub const OLDEST: u32 = 17;

/// A JDK.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jdk {
    /// Its folder, which holds `bin/javac`.
    pub home: PathBuf,
    /// Its feature release, such as 17.
    pub feature: u32,
}

impl Jdk {
    /// The JDK in that folder, if it is one.
    fn at(home: &Path) -> Option<Self> {
        if !home.join("bin/javac").is_file() {
            return None;
        }
        let feature = feature(&fs::read_to_string(home.join("release")).ok()?)?;
        Some(Self { home: home.canonicalize().ok()?, feature })
    }

    /// Its `java`.
    pub fn java(&self) -> PathBuf {
        self.home.join("bin/java")
    }
}

/// The feature release of what Debian takes for its default Java, which its Gradle is patched for.
pub fn distribution() -> Option<u32> {
    feature(&fs::read_to_string("/usr/lib/jvm/default-java/release").ok()?)
}

/// The feature release a `release` file states.
fn feature(release: &str) -> Option<u32> {
    let version = release.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="))?.trim().trim_matches('"');
    version.split(['.', '-', '+', '_']).next()?.parse().ok()
}

/// All JDKs found: the default one first (`LUCCE_JDK`, `JAVA_HOME`, PATH), then those of
/// `/usr/lib/jvm`, oldest first.
pub fn all() -> Vec<Jdk> {
    let named = ["LUCCE_JDK", "JAVA_HOME"].into_iter().filter_map(std::env::var_os).map(PathBuf::from);
    let on_path =
        process::on_path("javac").and_then(|javac| Some(javac.canonicalize().ok()?.parent()?.parent()?.to_path_buf()));
    let installed = fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten().map(|entry| entry.path());
    let installed: BTreeMap<_, _> =
        installed.filter_map(|home| Jdk::at(&home)).map(|jdk| ((jdk.feature, jdk.home.clone()), jdk)).collect();
    let mut all: Vec<Jdk> = Vec::new();
    for jdk in named.chain(on_path).filter_map(|home| Jdk::at(&home)).chain(installed.into_values()) {
        if jdk.feature >= OLDEST && !all.contains(&jdk) {
            all.push(jdk);
        }
    }
    all
}

/// The default JDK; installed if there is none.
///
/// # Errors
/// One line saying what to install, or that `LUCCE_JDK` names none that will do.
pub fn default() -> Result<Jdk> {
    if let Some(home) = std::env::var_os("LUCCE_JDK").map(PathBuf::from)
        && Jdk::at(&home).is_none_or(|jdk| jdk.feature < OLDEST)
    {
        return Err(format!("LUCCE_JDK={} is not a JDK {OLDEST} or later (with bin/javac)", home.display()));
    }
    if let Some(jdk) = all().into_iter().next() {
        return Ok(jdk);
    }
    install_oldest()?;
    all()
        .into_iter()
        .next()
        .ok_or_else(|| format!("no JDK {OLDEST} or later found after its installation: set LUCCE_JDK"))
}

/// Installs the oldest JDK that will do, which is the one that every Gradle runs on.
///
/// # Errors
/// One line saying what to install.
pub fn install_oldest() -> Result<()> {
    process::install("a JDK (17 or later, with javac)", &["openjdk-17-jdk-headless", "default-jdk-headless"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_file_states_the_feature_release() {
        for (release, expected) in [
            ("IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"17.0.15\"\n", Some(17)),
            ("JAVA_VERSION=\"25\"\n", Some(25)),
            ("JAVA_VERSION=\"26-ea\"\n", Some(26)),
            ("JAVA_RUNTIME_VERSION=\"17\"\n", None),
        ] {
            assert_eq!(feature(release), expected, "{release}");
        }
    }
}
