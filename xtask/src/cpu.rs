//! `cargo xtask cpu`: the `cpu` source beside async-profiler, in the same run of six programs.
//!
//! Invariant: both sample the same threads of the same JVM, each by its own timers, so that they
//! differ by chance alone. Contexts are compared by their methods with hooks; a method that calls
//! itself, or another of its name, counts once. Those with half a percent of either count.
//! Source: README, "Event sources"; async-profiler's `collapsed` output.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::bench::{self, Profiled};
use crate::{Result, build, jvms, process, tree};

/// Unlike each other: arithmetic, a database, an index, a compiler of stylesheets, pictures, an
/// interpreter.
const PROGRAMS: [&str; 6] = ["sunflow", "h2", "luindex", "xalan", "zxing", "jython"];
/// The share from which a context counts.
const LEAST: f64 = 0.005;
/// The JVM of both, unless another is named.
const FEATURE: u32 = 17;

/// Time by context.
type Profile = BTreeMap<Vec<String>, f64>;

/// Runs the programs and prints the table.
///
/// # Errors
/// One line for the first step that failed.
pub fn run(jdk: Option<&str>) -> Result<()> {
    let feature = jdk.map_or(Ok(FEATURE), str::parse).map_err(|_| "--jdk wants a number")?;
    let runtime = jvms::matrix().find(|runtime| runtime.feature == feature).ok_or("no such JVM in the matrix")?;
    runtime.fetch()?;
    build::native()?;
    let folder = tree::cache().join("cpu");
    fs::create_dir_all(&folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
    println!("\n| program | contexts | their share | overlap | Lucce: unknown |");
    println!("|---|---|---|---|---|");
    for name in PROGRAMS {
        let Profiled { log, collapsed } = bench::profiled(name, &runtime.java(), &folder)?;
        let (ours, hooked, unknown) = ours(&log)?;
        let theirs = theirs(&collapsed, &hooked)?;
        let (count, share, overlap) = overlap(&ours, &theirs);
        println!("| {name} | {count} | {share:.2} | {overlap:.3} | {:.1} % |", unknown * 100.0);
    }
    Ok(())
}

/// Our profile, the methods with hooks in it, and the share of time whose place is not known.
fn ours(log: &Path) -> Result<(Profile, BTreeSet<String>, f64)> {
    let mut decode = process::command(tree::release("lucce-decode"));
    decode.args(["--kind", "cpu", "--events", "--format", "json"]).arg(log);
    let out = decode.output().map_err(|e| format!("cannot run lucce-decode: {e}"))?;
    let (mut profile, mut hooked, mut unknown, mut all) = (Profile::new(), BTreeSet::new(), 0.0, 0.0);
    for line in String::from_utf8_lossy(&out.stdout).lines() {
        let event: Value = serde_json::from_str(line).map_err(|e| format!("lucce-decode: {e}"))?;
        let value = event["value"].as_f64().unwrap_or(0.0);
        all += value;
        if event["unknown"].is_string() {
            unknown += value;
            continue;
        }
        let text = |frame: &Value, key: &str| frame[key].as_str().unwrap_or("?").to_owned();
        let frames = event["frames"].as_array().into_iter().flatten().rev();
        let with_hooks = frames.filter(|frame| frame["walked"].as_bool() != Some(true));
        let mut path: Vec<String> =
            with_hooks.map(|frame| format!("{}.{}", text(frame, "class"), text(frame, "method"))).collect();
        hooked.extend(path.iter().cloned());
        path.dedup();
        *profile.entry(path).or_default() += value;
    }
    Ok((profile, hooked, unknown / f64::max(all, 1.0)))
}

/// Theirs, of methods that have hooks here.
fn theirs(collapsed: &Path, hooked: &BTreeSet<String>) -> Result<Profile> {
    let text = fs::read_to_string(collapsed).map_err(|e| format!("{}: {e}", collapsed.display()))?;
    let mut profile = Profile::new();
    for (stack, count) in text.lines().filter_map(|line| line.rsplit_once(' ')) {
        let frames = stack.split(';').filter(|frame| hooked.contains(*frame));
        let mut path: Vec<String> = frames.map(str::to_owned).collect();
        path.dedup();
        *profile.entry(path).or_default() += count.parse().unwrap_or(0.0);
    }
    Ok(profile)
}

/// How many contexts count, their share, and how much of it both profiles have in common.
fn overlap(ours: &Profile, theirs: &Profile) -> (usize, f64, f64) {
    let with_hooks = |profile: &Profile| -> f64 {
        profile.iter().filter(|(path, _)| !path.is_empty()).map(|(_, time)| time).sum::<f64>().max(1.0)
    };
    let (all_ours, all_theirs) = (with_hooks(ours), with_hooks(theirs));
    let share = |profile: &Profile, path: &Vec<String>, all: f64| profile.get(path).copied().unwrap_or(0.0) / all;
    let paths: BTreeSet<&Vec<String>> = ours.keys().chain(theirs.keys()).filter(|path| !path.is_empty()).collect();
    let (mut count, mut common, mut mean) = (0, 0.0, 0.0);
    for path in paths {
        let (one, other) = (share(ours, path, all_ours), share(theirs, path, all_theirs));
        if one >= LEAST || other >= LEAST {
            count += 1;
            common += one.min(other);
            mean += (one + other) / 2.0;
        }
    }
    (count, mean, if mean > 0.0 { common / mean } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_overlap_by_what_they_share() {
        let profile = |times: &[(&str, f64)]| -> Profile {
            times.iter().map(|(path, time)| (path.split_whitespace().map(str::to_owned).collect(), *time)).collect()
        };
        let ours = profile(&[("a b", 50.0), ("a c", 50.0), ("", 900.0)]);
        assert_eq!(overlap(&ours, &ours), (2, 1.0, 1.0));
        let theirs = profile(&[("a b", 100.0)]);
        assert_eq!(overlap(&ours, &theirs), (2, 1.0, 0.5));
    }
}
