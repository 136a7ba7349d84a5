//! Threads and deep stacks: the same work for each of 1, 2 and 4 threads, in virtual threads, and on stacks of up to 10 000 frames.

use std::path::Path;

use super::configurations::{self, ALL_HOOKS, BASE, Configuration, LUCCE};
use super::fork::Job;
use super::options::Options;
use super::programs::own;
use super::section::Section;
use crate::Result;

/// The first release with virtual threads.
const VIRTUAL: u32 = 21;

/// Name, class with its arguments, jars, iterations of a full and of a quick run.
type Line = (&'static str, &'static str, &'static [&'static str], (u32, u32));

const LINES: [Line; 9] = [
    ("calls, 1 thread", "Parallel:1:Calls", &[], (20, 6)),
    ("calls, 2 threads", "Parallel:2:Calls", &[], (20, 6)),
    ("calls, 4 threads", "Parallel:4:Calls", &[], (20, 6)),
    ("h2, 1 thread", "Parallel:1:H2", &["h2"], (10, 4)),
    ("h2, 2 threads", "Parallel:2:H2", &["h2"], (10, 4)),
    ("h2, 4 threads", "Parallel:4:H2", &["h2"], (10, 4)),
    ("calls, depth 10", "Deep:10", &[], (20, 6)),
    ("calls, depth 1000", "Deep:1000", &[], (20, 6)),
    ("calls, depth 10000", "Deep:10000", &[], (20, 6)),
];

/// What they are run under.
///
/// # Errors
/// None but a list that lacks one.
pub fn configurations() -> Result<Vec<&'static Configuration>> {
    configurations::named(&[BASE, "encoder=none", LUCCE, ALL_HOOKS])
}

/// The jobs on that release.
pub fn jobs(options: &Options, java: &Path, feature: u32) -> Vec<Job> {
    let job =
        |&(name, class, jars, iterations): &Line| own(options, Section::Threads, java, name, class, jars, iterations);
    let virtual_threads: Line = ("2000 virtual threads", "Virtual", &[], (20, 6));
    let extra = (feature >= VIRTUAL).then_some(virtual_threads);
    LINES.iter().chain(extra.as_ref()).map(job).collect()
}
