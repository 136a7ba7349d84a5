//! Fig. 5 of Lucce and Fig. 8 of DACCE: what the encoders cost, by Lucce's protocol: so many runs
//! in a row, the first dropped, the mean of the others, over the mean without the agent.
//!
//! Invariant: all configurations of a program run one after the other, each in a JVM of its own;
//! what they put out is the same.
//! Source: Lucce section 6.

use std::collections::BTreeMap;
use std::path::Path;

use super::super::configurations;
use super::super::fork::{Command, FLAGS, Job, Times};
use super::super::results::Run;
use super::super::section::Section;
use super::SystemsOptions;
use crate::{Result, process};

/// No agent first: the others are divided by it.
pub const CONFIGURATIONS: [&str; 5] =
    ["no-agent", "lucce,hooks=all", "encoder=pcc", "encoder=cct", "encoder=algorithm1"];

/// Measures them.
///
/// # Errors
/// One line: a JVM that cannot be asked for its version, or a program whose output differs.
pub fn measure(options: &SystemsOptions, java: &Path) -> Result<Run> {
    let version = process::output(process::command(java).arg("--version"))?;
    let mut run = Run {
        jdk: options.jdk,
        java: version.lines().nth(1).unwrap_or_default().into(),
        flags: FLAGS.map(Into::into).into(),
        dacapo: true,
        sections: BTreeMap::new(),
        forks: Vec::new(),
        failures: Vec::new(),
        unavailable: BTreeMap::new(),
        calls: BTreeMap::new(),
        rewriting: Vec::new(),
        events: Vec::new(),
    };
    for program in &options.programs {
        let command = Command::Own {
            class: program.class.into(),
            class_path: program.class_path(),
            times: Times::Iterations(options.runs),
            few: options.runs,
        };
        let job = Job {
            section: Section::Programs,
            name: program.name.into(),
            turns: Vec::new(),
            java: java.into(),
            command,
        };
        for configuration in configurations::named(&CONFIGURATIONS)? {
            match job.run(configuration, 0) {
                Ok(forks) => {
                    for fork in forks {
                        let figure = run.accept(fork)?;
                        println!("{:10} {:20} {figure:9.1} ms", program.name, configuration.name);
                    }
                }
                // It runs out of numbers, or of patience: the report has no figure there.
                Err(reason) => {
                    run.unavailable.insert(format!("{} {}", program.name, configuration.name), reason);
                }
            }
        }
    }
    Ok(run)
}
