//! The official DaCapo jar, where the user has one, by the paper's protocol: default size, 31 iterations in one JVM, the first discarded,
//! mean of the others, ratio of means (Lucce section 6).

use std::path::Path;

use super::fork::{Command, Job, Said};
use super::options::Options;
use super::section::Section;
use crate::{Result, process};

/// Iterations of the protocol.
pub const ITERATIONS: u32 = 31;

/// A job for each program that the jar lists, or for those asked for.
///
/// # Errors
/// One line: the jar does not run, or does not list what was asked for.
pub fn jobs(options: &Options, java: &Path, jar: &Path) -> Result<Vec<Job>> {
    let jar = jar.canonicalize().map_err(|e| format!("cannot read {}: {e}", jar.display()))?;
    let listed = process::output(process::command(java).arg("-jar").arg(&jar).arg("-l"))?;
    let listed: Vec<&str> = listed.split_whitespace().collect();
    if let Some(unknown) = options.names.iter().find(|name| !listed.contains(&name.as_str())) {
        return Err(format!("{} has no program {unknown}: there are {}", jar.display(), listed.join(", ")));
    }
    let iterations = options.iterations.unwrap_or(if options.quick { 5 } else { ITERATIONS });
    let job = |name: &str| Job {
        section: Section::Programs,
        name: name.into(),
        turns: Vec::new(),
        java: java.into(),
        command: Command::Dacapo { jar: jar.clone(), iterations },
    };
    Ok(if options.names.is_empty() {
        listed.into_iter().map(job).collect()
    } else {
        options.names.iter().map(|name| job(name)).collect()
    })
}

/// Reads DaCapo's lines: `===== DaCapo 9.12 h2 completed warmup 1 in 5000 msec =====`, and `PASSED in` for the last iteration.
///
/// # Errors
/// One line when it did not validate its output.
pub fn parse(text: &str) -> Result<Said> {
    let mut said = Said::default();
    let mut passed = false;
    for line in text.lines().filter(|line| line.starts_with("===== DaCapo")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.contains(&"FAILED") {
            return Err(line.into());
        }
        passed |= words.contains(&"PASSED");
        let time = words.windows(3).find(|window| window[0] == "in" && window[2] == "msec").map(|window| window[1]);
        if let Some(time) = time {
            said.iterations.push(time.parse().map_err(|_| format!("not a time: {line}"))?);
        }
    }
    if passed { Ok(said) } else { Err("DaCapo did not say PASSED".into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_times_of_warm_ups_and_of_the_last_iteration_are_read() {
        let text = "Using scaled threading model.\n===== DaCapo 9.12-MR1 h2 starting warmup 1 =====\n\
            ===== DaCapo 9.12-MR1 h2 completed warmup 1 in 5000 msec =====\n===== DaCapo 9.12-MR1 h2 PASSED in 4000 msec =====\n";
        assert_eq!(parse(text).unwrap().iterations, [5000.0, 4000.0]);
    }

    #[test]
    fn output_that_did_not_validate_is_a_failure() {
        assert!(parse("===== DaCapo 9.12 h2 FAILED =====\n").is_err());
        assert!(parse("===== DaCapo 9.12 h2 completed warmup 1 in 5000 msec =====\n").is_err());
    }
}
