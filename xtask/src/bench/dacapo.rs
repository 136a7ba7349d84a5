//! The official DaCapo jar, where the user has one, by the paper's protocol: default size, 31
//! iterations in one JVM, the first discarded, mean of the others, ratio of means (Lucce section
//! 6).

use std::path::Path;

use super::fork::{Command, Job};
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
