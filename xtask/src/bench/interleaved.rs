//! The forks of a section, interleaved: what drifts in the machine drifts for all configurations
//! alike.

use std::path::Path;
use std::time::Instant;

use super::configurations::Configuration;
use super::fork::Job;
use super::machine::Watch;
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
        self.all().count()
    }

    /// All of them, fork by fork, job by job, configuration by configuration; the configuration
    /// that begins changes with the fork.
    fn all(&self) -> impl Iterator<Item = (usize, &Job, &'static Configuration)> {
        let count = self.configurations.len();
        let turn = move |fork: usize| (0..count).map(move |position| self.configurations[(position + fork) % count]);
        let forks = (0..self.forks).flat_map(move |fork| self.jobs.iter().map(move |job| (fork, job)));
        let all = forks.flat_map(move |(fork, job)| turn(fork).map(move |configuration| (fork, job, configuration)));
        all.filter(|(fork, _, configuration)| configuration.limit.is_none_or(|(most, _)| *fork < most))
    }

    /// Runs those that `run` does not have yet, and saves the results after each.
    ///
    /// # Errors
    /// One line when results cannot be saved; forks that fail are results.
    pub fn run(&self, run: &mut Run, file: &Path) -> Result<()> {
        let is_missing = |(fork, job, configuration): &(usize, &Job, &Configuration)| {
            job.programs().iter().any(|program| !run.has(job.section, program, configuration.name, *fork))
        };
        let missing: Vec<_> = self.all().filter(is_missing).collect();
        let (total, began) = (missing.len(), Instant::now());
        for (index, (fork, job, configuration)) in missing.into_iter().enumerate() {
            let watch = Watch::start();
            let what = one(job, configuration, fork, run);
            run.took(job.section, job.programs(), watch.took());
            let done = index + 1;
            let left = began.elapsed().as_secs_f64() / done as f64 * (total - done) as f64 / 60.0;
            let (program, configuration) = (&job.name, configuration.name);
            println!("[{done:3}/{total}, {left:4.1} min left] {program:20} {configuration:24} fork {fork} {what}");
            run.save(file)?;
        }
        Ok(())
    }
}

/// Runs it, and says how it went.
fn one(job: &Job, configuration: &Configuration, fork: usize, run: &mut Run) -> String {
    let accepted = job.run(configuration, fork).and_then(|all| {
        all.into_iter().map(|one| run.accept(one).map(|figure| format!("{figure:9.1} ms"))).collect::<Result<String>>()
    });
    match accepted {
        Ok(figures) => figures,
        Err(reason) => {
            let line = format!("FAILED: {reason}");
            run.failures.push(Failure::new(job.section, &job.name, configuration.name, fork, reason));
            line
        }
    }
}
