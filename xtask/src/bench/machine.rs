//! What is measured, and on what: the commit, the processor, its load.

use std::fs;

use crate::process;

/// A load above this makes figures worthless.
pub const BUSY: f64 = 1.0;

/// The commit, with a star if the checkout differs from it.
pub fn commit() -> String {
    let git = |args: &[&str]| {
        process::command("git").args(args).output().map(|out| String::from_utf8_lossy(&out.stdout).trim().to_owned())
    };
    let name = git(&["rev-parse", "--short=12", "HEAD"]).unwrap_or_default();
    let changed = git(&["status", "--porcelain", "--untracked-files=no"]).is_ok_and(|text| !text.is_empty());
    name + if changed { "*" } else { "" }
}

/// Model and number of processors.
pub fn name() -> String {
    let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpus
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .map_or("unknown processor", |rest| rest.trim_start_matches(|c: char| c.is_whitespace() || c == ':'));
    let count = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    format!("{model}, {count} processors")
}

/// Averaged over a minute; 0 where the system does not say.
pub fn load() -> f64 {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0.0)
}
