//! Threads and deep stacks: the same work for each of 1, 2 and 4 threads, in virtual threads, and
//! on stacks of up to 10 000 frames.

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

const DEEP: [Line; 3] = [
    ("calls, depth 10", "Deep:10", &[], (20, 6)),
    ("calls, depth 1000", "Deep:1000", &[], (20, 6)),
    ("calls, depth 10000", "Deep:10000", &[], (20, 6)),
];

/// Programs of which as many instances run as there are threads, [`THREADS`] in turn: the same
/// code, as the JIT compiler has happened to make it.
const PARALLEL: [Line; 2] =
    [("calls", "Parallel:1/2/4:Calls", &[], (60, 18)), ("h2", "Parallel:1/2/4:H2", &["h2"], (30, 12))];

/// What stands behind the name of a program with so many threads; the first is what the others are
/// compared with.
pub const THREADS: [&str; 3] = [", 1 thread", ", 2 threads", ", 4 threads"];

/// What they are run under.
///
/// # Errors
/// None but a list that lacks one.
pub fn configurations() -> Result<Vec<&'static Configuration>> {
    configurations::named(&[BASE, "encoder=none", LUCCE, ALL_HOOKS, "encoder=pcc"])
}

/// The jobs on that release.
pub fn jobs(options: &Options, java: &Path, feature: u32) -> Vec<Job> {
    let job =
        |&(name, class, jars, iterations): &Line| own(options, Section::Threads, java, name, class, jars, iterations);
    let in_turn =
        |line: &Line| Job { turns: THREADS.map(|threads| format!("{}{threads}", line.0)).into(), ..job(line) };
    let virtual_threads: Line = ("2000 virtual threads", "Virtual", &[], (20, 6));
    let extra = (feature >= VIRTUAL).then_some(virtual_threads);
    PARALLEL.iter().map(in_turn).chain(DEEP.iter().chain(extra.as_ref()).map(job)).collect()
}
