//! Gradle: found or installed, and run on a JDK that it can run on.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::jdk::{self, Jdk};
use crate::{Result, process};

/// Newest JDK that each Gradle release (major, minor) and its successors run on. Debian's 4.4 is
/// patched for 17 at least.
/// Source: docs.gradle.org, "Compatibility Matrix".
const NEWEST_JDK: [((u32, u32), u32); 9] = [
    ((4, 0), 17),
    ((7, 5), 18),
    ((7, 6), 19),
    ((8, 3), 20),
    ((8, 5), 21),
    ((8, 8), 22),
    ((8, 10), 23),
    ((8, 14), 24),
    ((9, 1), 25),
];

/// The newest JDK that this Gradle release runs on; releases unheard of are trusted with all.
fn newest_jdk(release: (u32, u32)) -> u32 {
    if release >= (9, 4) {
        return u32::MAX;
    }
    NEWEST_JDK.iter().rev().find(|(since, _)| *since <= release).map_or(8, |(_, jdk)| *jdk)
}

/// Runs Gradle tasks in the root of the checkout.
///
/// # Errors
/// One line when Gradle or a JDK for it is missing, or when the build fails.
pub fn run(tasks: &[&str]) -> Result<()> {
    process::run(
        process::command(find()?)
            .env("JAVA_HOME", jdk()?.home)
            .env("LUCCE_JDK", jdk::default()?.home)
            .args(["--no-daemon", "--console=plain", "--quiet"])
            .args(tasks),
    )
}

/// The JDK that Gradle runs on here.
///
/// # Errors
/// One line when Gradle or a JDK for it is missing.
pub fn jdk() -> Result<Jdk> {
    static JDK: OnceLock<Result<Jdk>> = OnceLock::new();
    let found = || {
        let default = jdk::default()?;
        jdk_for(release(&find()?, &default)?, &default)
    };
    JDK.get_or_init(found).clone()
}

fn find() -> Result<PathBuf> {
    if let Some(gradle) = process::on_path("gradle") {
        return Ok(gradle);
    }
    process::install("Gradle", &["gradle"])?;
    process::on_path("gradle").ok_or_else(|| "gradle is not on PATH after its installation".into())
}

/// Asks Gradle for its release. Old ones fail to start on a new JDK even for that, so every JDK is
/// tried.
fn release(gradle: &Path, default: &Jdk) -> Result<(u32, u32)> {
    for jdk in std::iter::once(default.clone()).chain(jdk::all()) {
        let mut command = process::command(gradle);
        let out = command.env("JAVA_HOME", &jdk.home).arg("--version").output();
        let text = out.map_err(|e| format!("cannot run {}: {e}", gradle.display()))?.stdout;
        if let Some(release) = parse_release(&String::from_utf8_lossy(&text)) {
            return Ok(release);
        }
    }
    // None could run it: the oldest kind, which wants the oldest JDK.
    Ok((4, 0))
}

fn parse_release(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.lines().find_map(|line| line.strip_prefix("Gradle "))?.split(['.', '-', ' ']);
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// The default JDK, or, when it is too new for this Gradle, another one; said in one line.
fn jdk_for(release: (u32, u32), default: &Jdk) -> Result<Jdk> {
    let patched = jdk::distribution().filter(|_| release == (4, 4)).unwrap_or(0);
    let newest = newest_jdk(release).max(patched);
    if default.feature <= newest {
        return Ok(default.clone());
    }
    let old_enough = || jdk::all().into_iter().filter(|jdk| jdk.feature <= newest).max_by_key(|jdk| jdk.feature);
    let found = match old_enough() {
        Some(jdk) => Some(jdk),
        None => {
            jdk::install_oldest()?;
            old_enough()
        }
    };
    let (major, minor) = release;
    let jdk = found
        .ok_or_else(|| format!("Gradle {major}.{minor} needs a JDK of {} to {newest}: install one", jdk::OLDEST))?;
    let (old, new) = (jdk.feature, default.feature);
    println!("Gradle {major}.{minor} does not run on JDK {new}: compiling with JDK {old} ({})", jdk.home.display());
    Ok(jdk)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_gradle_has_its_newest_jdk() {
        for (release, jdk) in [
            ((4, 4), 17),
            ((7, 6), 19),
            ((8, 4), 20),
            ((8, 13), 23),
            ((9, 0), 24),
            ((9, 2), 25),
            ((10, 0), u32::MAX),
            ((3, 5), 8),
        ] {
            assert_eq!(newest_jdk(release), jdk, "{release:?}");
        }
    }

    #[test]
    fn the_release_is_read_from_what_gradle_prints() {
        assert_eq!(parse_release("openjdk 17\n---\nGradle 4.4.1\n---"), Some((4, 4)));
        assert_eq!(parse_release("Gradle 9.1-rc-1\n"), Some((9, 1)));
        assert_eq!(parse_release("Could not start\n"), None);
    }
}
