//! What is measured, and on what: the commit, the processor, its load before and what other
//! machines of the same host take meanwhile.
//!
//! Source: proc_stat(5) (`cpu`: user, nice, system, idle, iowait, irq, softirq, steal).

use std::fs;
use std::time::{Duration, Instant};

use crate::process;

/// More processors than this at other work make figures worthless.
pub const BUSY: f64 = 0.3;

/// The commit, with a star if the checkout differs from it, apart from what is only read: `docs`,
/// where results go.
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

/// How many processors other work keeps busy, over two seconds; 0 where the system does not say.
/// The load average would still tell of what ended minutes ago, of the measurement's own last JVM
/// above all.
pub fn load() -> f64 {
    let watch = Watch::start();
    std::thread::sleep(Duration::from_secs(2));
    let took = watch.took();
    took.busy.map_or(0.0, |busy| busy / took.minutes)
}

/// Ticks a second in `/proc/stat` (USER_HZ, the same on every Linux).
pub const TICKS_A_SECOND: f64 = 100.0;

/// What a stretch of time took; of the processors the sum of them all, `None` where the system does
/// not say.
#[derive(Clone, Copy, Debug)]
pub struct Took {
    /// Wall time in minutes.
    pub minutes: f64,
    /// Minutes that a processor had work.
    pub busy: Option<f64>,
    /// Those of them in which the host ran another machine on it.
    pub stolen: Option<f64>,
}

/// Tells what has been taken since it was started.
#[derive(Debug)]
pub struct Watch {
    began: Instant,
    then: Option<Ticks>,
}

impl Watch {
    /// Begins now.
    pub fn start() -> Self {
        Self { began: Instant::now(), then: Ticks::now() }
    }

    /// What has been taken up to now.
    pub fn took(&self) -> Took {
        let (minutes, spent) = (self.began.elapsed().as_secs_f64() / 60.0, Ticks::now().zip(self.then));
        let of = |kind: fn(Ticks) -> u64| {
            spent.map(|(now, then)| kind(now).saturating_sub(kind(then)) as f64 / TICKS_A_SECOND / 60.0)
        };
        Took { minutes, busy: of(|ticks| ticks.busy), stolen: of(|ticks| ticks.stolen) }
    }
}

/// Processor time since the system began, in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ticks {
    /// Not idle, or not by their own choice.
    busy: u64,
    /// Kept from them by the host.
    stolen: u64,
}

impl Ticks {
    /// `None` where the system does not say.
    fn now() -> Option<Self> {
        Self::of(&fs::read_to_string("/proc/stat").ok()?)
    }

    /// Those of all processors. What guests of this machine took stands behind, and is in the first
    /// two already.
    fn of(stat: &str) -> Option<Self> {
        let mut ticks = stat.lines().next()?.split_whitespace().skip(1).map_while(|word| word.parse::<u64>().ok());
        let [user, nice, system, _idle, _waiting, irq, softirq, stolen] = std::array::from_fn(|_| ticks.next());
        let stolen = stolen?;
        Some(Self { busy: user? + nice? + system? + irq? + softirq? + stolen, stolen })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_host_took_is_told_from_what_was_idle() {
        let stat = "cpu  1 20 300 4000 50000 600000 7000000 80000000 5 5\ncpu0 9 9 9 9 9 9 9 9 9 9\n";
        assert_eq!(Ticks::of(stat), Some(Ticks { busy: 87_600_321, stolen: 80_000_000 }));
        assert_eq!(Ticks::of("cpu  1 2 3 4 5 6 7\n"), None);
        assert!(Watch::start().then.is_some_and(|then| then.busy > then.stolen));
        let since_it_began = Watch { began: Instant::now(), then: Some(Ticks { busy: 0, stolen: 0 }) };
        std::thread::sleep(Duration::from_millis(60));
        let took = since_it_began.took();
        assert!(took.minutes >= 0.001 && took.stolen.is_some_and(|stolen| stolen >= 0.0) && took.busy > took.stolen);
    }
}
