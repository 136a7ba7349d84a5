//! What is measured, and on what: the commit, the processor, its load.

use std::fs;
use std::time::{Duration, Instant};

use crate::process;

/// More processors than this at other work make figures worthless.
pub const BUSY: f64 = 0.3;

/// The commit, with a star if the checkout differs from it, apart from what is only read: `docs`, where results go.
pub fn commit() -> String {
    let git = |args: &[&str]| {
        process::command("git").args(args).output().map(|out| String::from_utf8_lossy(&out.stdout).trim().to_owned())
    };
    let name = git(&["rev-parse", "--short=12", "HEAD"]).unwrap_or_default();
    let changed = git(&["status", "--porcelain", "--untracked-files=no", "--", ":/", ":(top,exclude)docs"])
        .is_ok_and(|text| !text.is_empty());
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

/// How many processors other work keeps busy, over two seconds; 0 where the system does not say. The load average would still tell of
/// what ended minutes ago, of the measurement's own last JVM above all.
pub fn load() -> f64 {
    let Some(before) = busy() else { return 0.0 };
    let (began, pause) = (Instant::now(), Duration::from_secs(2));
    std::thread::sleep(pause);
    let spent = busy().map_or(0, |after| after.saturating_sub(before));
    spent as f64 / TICKS / began.elapsed().as_secs_f64()
}

/// Ticks a second in `/proc/stat` (USER_HZ, the same on every Linux).
const TICKS: f64 = 100.0;

/// Ticks that the processors have not been idle: user, nice, system, and from the sixth on interrupts and what was stolen.
fn busy() -> Option<u64> {
    let text = fs::read_to_string("/proc/stat").ok()?;
    let ticks: Vec<u64> =
        text.lines().next()?.split_whitespace().skip(1).filter_map(|word| word.parse().ok()).collect();
    Some(ticks.iter().enumerate().filter(|(index, _)| ![3, 4].contains(index)).take(6).map(|(_, ticks)| ticks).sum())
}
