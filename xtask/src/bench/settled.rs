//! The programs once the JIT has little left to do: what a service pays that runs for hours.
//!
//! The section of the programs stops after seconds, when HotSpot still compiles large programs on a whole processor.

use std::path::Path;

use super::configurations::{self, BASE, Configuration, LUCCE};
use super::fork::{Command, Job, Times};
use super::options::Options;
use super::programs;
use super::section::Section;
use crate::Result;

/// Seconds of iterations after which those that count begin, even if the JIT still compiles.
const LONGEST: (u32, u32) = (60, 5);

/// What they are run under.
///
/// # Errors
/// None but a list that lacks one.
pub fn configurations() -> Result<Vec<&'static Configuration>> {
    configurations::named(&[BASE, LUCCE, "encoder=cct"])
}

/// A job for each program asked for.
pub fn jobs(options: &Options, java: &Path) -> Vec<Job> {
    let mut jobs = programs::jobs(options, Section::Settled, java);
    let longest = if options.quick { LONGEST.1 } else { LONGEST.0 };
    for job in &mut jobs {
        if let (Command::Own { times, .. }, None) = (&mut job.command, options.iterations) {
            *times = Times::Settled(longest);
        }
    }
    jobs
}
