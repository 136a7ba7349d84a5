//! Event sources: five programs under each option alone, and `alloc=all` beside what else counts or
//! samples allocations with their contexts.

use std::path::Path;

use super::configurations::{self, Configuration};
use super::fork::Job;
use super::options::Options;
use super::programs;
use super::section::Section;
use crate::Result;

/// The programs, with the iterations of a full and of a quick run. Together they have what the
/// sources tell of: h2 allocates (4.4 million objects in an iteration), jython throws (3000
/// exceptions in an iteration, on deep stacks), tomcat parks and hands over tasks (thousands of
/// waits in an iteration), and fop throws half as often as jython and is dense in calls. pmd
/// allocates and throws more than any, but it would take minutes to walk the stack for each of its
/// allocations.
const PROGRAMS: [(&str, (u32, u32)); 4] = [("fop", (8, 5)), ("h2", (8, 5)), ("jython", (18, 9)), ("tomcat", (13, 7))];

/// What none of them has: threads that wait for monitors (one enter in some tens). Name, class,
/// iterations.
const MONITORS: (&str, &str, (u32, u32)) = ("monitors", "Monitors", (30, 9));

/// A source: the configuration it is measured as, and the agent's counters of what it told.
#[derive(Debug)]
pub struct Source {
    /// Its name in the list of configurations.
    pub configuration: &'static str,
    /// What it told, for the report, and the agent's counter of these; none where the agent does
    /// not count them.
    pub counted: Option<(&'static str, &'static str)>,
}

const fn source(configuration: &'static str, counted: Option<(&'static str, &'static str)>) -> Source {
    Source { configuration, counted }
}

/// All, in the order of tables.
pub const SOURCES: [Source; 9] = [
    source("lucce,hooks=all,alloc=512k", Some(("events", "alloc.events"))),
    source("lucce,exceptions", Some(("events", "exceptions.events"))),
    source("lucce,locks", Some(("events", "locks.events"))),
    source("lucce,cpu=10ms", Some(("events", "cpu.events"))),
    source("lucce,hooks=all,leaks", Some(("sampled allocations", "alloc.events"))),
    source("lucce,entries", Some(("invocations counted", "tally.entry"))),
    source(EVERY_ALLOCATION, Some(("allocations counted", ALLOCATIONS))),
    source("lucce,hooks=all,async=on", None),
    source("lucce,jdk=on", None),
];

/// How the names of those counters end that say that something is missing.
pub const MISSING: [&str; 2] = [".dropped", ".lost"];

/// The one that counts all allocations, and the same in a single iteration.
pub const EVERY_ALLOCATION: &str = "lucce,alloc=all";
pub use super::configurations::ONE_ITERATION;

/// The counter of all allocations.
pub const ALLOCATIONS: &str = "tally.alloc";

/// What gives allocations with their contexts.
#[derive(Debug)]
pub struct Rival {
    /// Its name in the list of configurations.
    pub configuration: &'static str,
    /// What it takes, for the report.
    pub takes: &'static str,
    /// How many frames of a stack at most.
    pub frames: &'static str,
}

const fn rival(configuration: &'static str, takes: &'static str, frames: &'static str) -> Rival {
    Rival { configuration, takes, frames }
}

/// All, in the order of tables.
pub const RIVALS: [Rival; 6] = [
    rival(EVERY_ALLOCATION, "every allocation, exact", "none"),
    rival("StackWalker", "every allocation, exact", "none"),
    rival("async-profiler,alloc=512k", "samples", "2048 frames"),
    rival("async-profiler,alloc=1", "what the JIT leaves", "2048 frames"),
    rival("jfr", "samples", "2048 frames"),
    rival("jfr,-XX:-UseTLAB", "what the JIT leaves", "2048 frames"),
];

/// Are these all in the list?
///
/// # Errors
/// One line naming the first that is not.
pub fn check(names: &[String]) -> Result<()> {
    let known: Vec<&str> = PROGRAMS.iter().map(|program| program.0).chain([MONITORS.0]).collect();
    match names.iter().find(|name| !known.contains(&name.as_str())) {
        Some(other) => Err(format!("no program {other} there: there are {}", known.join(", "))),
        None => Ok(()),
    }
}

/// The jobs: these programs, or those of them that were asked for.
///
/// # Errors
/// One line naming what is not in the list.
pub fn jobs(options: &Options, java: &Path) -> Result<Vec<Job>> {
    let asked = |name: &str| options.sources.is_empty() || options.sources.iter().any(|asked| asked == name);
    let listed = PROGRAMS.iter().filter(|(name, _)| asked(name)).map(|(name, iterations)| {
        let program = programs::named(&[(*name).to_owned()])?;
        let program = program.first().ok_or("no program")?;
        Ok(program.job(options, Section::Sources, java, *iterations))
    });
    let (name, class, iterations) = MONITORS;
    let own = asked(name).then(|| programs::own(options, Section::Sources, java, name, class, &[], iterations));
    listed.chain(own.map(Ok)).collect()
}

/// What they are run under.
pub fn configurations() -> Vec<&'static Configuration> {
    configurations::of_sources()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_source_and_rival_has_a_configuration() {
        let known = configurations();
        let names =
            SOURCES.iter().map(|source| source.configuration).chain(RIVALS.iter().map(|rival| rival.configuration));
        for name in names.chain([ONE_ITERATION]) {
            assert!(known.iter().any(|configuration| configuration.name == name), "{name}");
        }
    }

    #[test]
    fn every_program_is_in_the_list() {
        for (name, _) in PROGRAMS {
            assert!(programs::named(&[name.to_owned()]).is_ok(), "{name}");
        }
    }
}
