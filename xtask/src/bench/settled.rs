//! The programs once the JIT has little left to do: what a service pays that runs for hours.
//!
//! The section of the programs stops after seconds, when HotSpot still compiles large programs on a
//! whole processor.

use std::path::Path;

use super::configurations::{self, ALL_HOOKS, BASE, Configuration, LUCCE};
use super::fork::{Command, Job, Times};
use super::options::Options;
use super::programs;
use super::section::Section;
use crate::Result;

/// Seconds of iterations after which those that count begin, even if the JIT still compiles.
const LONGEST: (u32, u32) = (60, 5);

/// What they are run under: five, for it takes long, or any of the programs' that are asked for by
/// name.
///
/// # Errors
/// None but a list that lacks one.
pub fn configurations(options: &Options) -> Result<Vec<&'static Configuration>> {
    if options.names_configurations() {
        return Ok(configurations::of_programs());
    }
    configurations::named(&[BASE, LUCCE, ALL_HOOKS, "encoder=pcc", "encoder=cct"])
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_than_the_five_are_run_when_they_are_named() {
        let names = |args: &[&str]| -> Vec<&str> {
            let options = Options::parse(args).unwrap();
            options.configurations(configurations(&options).unwrap()).iter().map(|c| c.name).collect()
        };
        assert_eq!(names(&["--settled"]), [BASE, LUCCE, ALL_HOOKS, "encoder=pcc", "encoder=cct"]);
        assert_eq!(
            names(&["--settled", "--configurations", "lucce/no-agent/encoder=none"]),
            [BASE, "encoder=none", LUCCE]
        );
    }
}
