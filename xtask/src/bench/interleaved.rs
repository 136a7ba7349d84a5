//! The forks of a section, interleaved: what drifts in the machine drifts for all configurations alike.

use std::path::Path;
use std::time::Instant;

use super::configurations::Configuration;
use super::fork::Job;
use super::results::{Failure, Run};
use crate::Result;

/// What is run under what, how often.
#[derive(Debug)]
pub struct Plan {
    /// The programs.
    pub jobs: Vec<Job>,
    /// All under all of these.
    pub configurations: Vec<&'static Configuration>,
    /// As often as this, or as the configuration's own limit says.
    pub forks: usize,
}

impl Plan {
    /// The number of JVMs.
    pub fn len(&self) -> usize {
        let forks = |c: &&Configuration| c.limit.map_or(self.forks, |(most, _)| self.forks.min(most));
        self.jobs.len() * self.configurations.iter().map(forks).sum::<usize>()
    }

    /// Fork by fork, job by job, configuration by configuration; the configuration that begins changes with the fork. Results are
    /// saved after each.
    ///
    /// # Errors
    /// One line when results cannot be saved; forks that fail are results.
    pub fn run(&self, run: &mut Run, file: &Path) -> Result<()> {
        let (total, mut done, began) = (self.len(), 0, Instant::now());
        for fork in 0..self.forks {
            for job in &self.jobs {
                for position in 0..self.configurations.len() {
                    let configuration = self.configurations[(position + fork) % self.configurations.len()];
                    if configuration.limit.is_some_and(|(most, _)| fork >= most) {
                        continue;
                    }
                    let what = one(job, configuration, fork, run);
                    done += 1;
                    let left = began.elapsed().as_secs_f64() / done as f64 * (total - done) as f64 / 60.0;
                    let (program, configuration) = (&job.name, configuration.name);
                    println!(
                        "[{done:3}/{total}, {left:4.1} min left] {program:20} {configuration:24} fork {fork} {what}"
                    );
                    run.save(file)?;
                }
            }
        }
        Ok(())
    }
}

/// Runs it, and says how it went.
fn one(job: &Job, configuration: &Configuration, fork: usize, run: &mut Run) -> String {
    match job.run(configuration, fork).and_then(|one| run.accept(one)) {
        Ok(figure) => format!("{figure:9.1} ms"),
        Err(reason) => {
            let line = format!("FAILED: {reason}");
            run.failures.push(Failure::new(job.section, &job.name, configuration.name, fork, reason));
            line
        }
    }
}
