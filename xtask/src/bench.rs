//! `cargo xtask bench`: the same programs under several configurations of the agent, forks
//! interleaved, and a report.
//!
//! Invariants: a figure is printed only with its range; a program whose output differs from that
//! without the agent makes the run fail; results are on disk after every fork, so an interrupted
//! run is not lost, and can be resumed. Protocol: `docs/BENCHMARKS.md` states it beside the
//! figures.

mod attached;
mod chart;
mod child;
mod configurations;
mod dacapo;
mod decoder;
mod events;
mod figures;
mod fork;
mod inputs;
mod interleaved;
mod loaded;
pub mod machine;
pub mod native;
mod options;
mod part;
mod profiled;
mod programs;
mod recorded;
mod recursion;
mod report;
mod results;
mod rewriting;
mod said;
mod section;
mod service;
mod settled;
mod sources;
mod spring;
mod startup;
mod statistics;
mod systems;
mod threads;

use std::fs;
use std::path::{Path, PathBuf};

use self::inputs::{JARS, java};
use self::interleaved::Plan;
use self::machine::Watch;
use self::options::Options;
use self::results::Run;
use self::section::Section;
use crate::{Result, build, jars, tree};
pub use profiled::{Profiled, run as profiled};

/// Measures as `args` say and writes `results-<jdk>.json`, `BENCHMARKS.md` and a chart for each
/// JDK.
///
/// # Errors
/// One line: a wrong argument, a step of the set-up that failed, or how many forks failed or put
/// out something else.
pub fn run(args: &[&str]) -> Result<()> {
    if matches!(args, ["help" | "--help" | "-h"]) {
        print!("{}", options::USAGE);
        return Ok(());
    }
    if let ["--decoder", sizes @ ..] = args {
        let folder = tree::root().join("docs/benchmarks");
        decoder::run(sizes, &folder)?;
        return report::write(&folder);
    }
    if let ["--service", rest @ ..] = args {
        return service::run(rest);
    }
    if let ["--attach", rest @ ..] = args {
        return attached::run(rest);
    }
    if let ["--systems", rest @ ..] = args {
        return systems::run(rest);
    }
    let options = Options::parse(args)?;
    let folder = options.folder();
    for folder in [&folder, &tree::cache().join("bench")] {
        fs::create_dir_all(folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
    }
    let mut failures = 0;
    if !options.report_only {
        jars::fetch(jars::tables(&JARS)?.values())?;
        build::java(&[":api:jar", ":dacapo-harness:jar", ":dacapo-harness:classes", ":dacapo-harness:jmhClasses"])?;
        build::native()?;
        native::build()?;
        for feature in &options.jdks {
            failures += Measurement::new(&options, *feature, &folder)?.run()?;
        }
    }
    report::write(&folder)?;
    if failures == 0 { Ok(()) } else { Err(format!("{failures} forks failed or put out something else: see above")) }
}

/// All that is asked for on one JDK.
struct Measurement<'o> {
    options: &'o Options,
    feature: u32,
    java: PathBuf,
    run: Run,
    file: PathBuf,
    /// What each section consists of; `None` where it is not made of forks.
    plans: Vec<(Section, Option<Plan>)>,
}

impl<'o> Measurement<'o> {
    fn new(options: &'o Options, feature: u32, folder: &Path) -> Result<Self> {
        let java = java(feature)?;
        let file = folder.join(results::file_name(feature));
        let run = Run::open(options, feature, &java, &file)?;
        println!("\nJDK {feature}: {}", run.java);
        let mut measurement = Self { options, feature, java, run, file, plans: Vec::new() };
        for section in &options.sections {
            let plan = measurement.plan(*section)?;
            measurement.plans.push((*section, plan));
        }
        Ok(measurement)
    }

    fn plan(&mut self, section: Section) -> Result<Option<Plan>> {
        let (options, java) = (self.options, &self.java);
        let (jobs, configurations) = match section {
            Section::Programs => {
                let jobs = match &options.dacapo {
                    Some(jar) => dacapo::jobs(options, java, jar)?,
                    None => programs::jobs(options, section, java),
                };
                (jobs, configurations::of_programs())
            }
            Section::Encoders => (programs::jobs(options, section, java), configurations::of_encoders()?),
            Section::Sampled => (programs::jobs(options, section, java), configurations::of_sampled()?),
            Section::Settled => (settled::jobs(options, java), settled::configurations(options)?),
            Section::Startup => (startup::jobs(java, self.feature)?, startup::configurations()?),
            Section::Threads => (threads::jobs(options, java, self.feature), threads::configurations()?),
            Section::Recursion => (recursion::jobs(options, java), recursion::configurations()?),
            Section::Sources => (sources::jobs(options, java)?, sources::configurations()),
            Section::Rewriting | Section::Events => return Ok(None),
        };
        let configurations = options.configurations(configurations);
        let configurations = loaded::available(configurations, java, &mut self.run.unavailable);
        Ok(Some(Plan { jobs, configurations, forks: options.forks(section) }))
    }

    /// Prints what will be done and about how long it takes.
    fn announce(&self) {
        let mut total = 0.0;
        for (section, plan) in &self.plans {
            let jvms = plan.as_ref().map_or(0, Plan::len);
            let minutes = minutes(*section, jvms, self.options.quick);
            total += minutes;
            let what = if jvms > 0 { format!("{jvms} JVMs, ") } else { String::new() };
            println!("  {:10} {what}about {minutes:.0} min", section.name());
        }
        println!("  in all     about {total:.0} min on quiet cores");
        if machine::load() > machine::BUSY {
            println!("this machine is busy (load {:.1}): the figures will be of no use", machine::load());
        }
    }

    /// Measures section by section; gives the number of failures.
    fn run(mut self) -> Result<usize> {
        self.announce();
        let mut failures = 0;
        for (section, plan) in std::mem::take(&mut self.plans) {
            let (run, named, watch) = (&mut self.run, self.options.named(section), Watch::start());
            // Beside the results, and git does not look at it.
            let unfinished = self.file.with_file_name(results::unfinished_name(self.feature, section));
            if self.options.resume {
                run.adopt(section, named, &unfinished);
            }
            // What is not made of forks is measured at once.
            if !(self.options.resume && plan.is_some() && run.resume(section, named, &self.options.text)) {
                run.begin(section, named, &self.options.text);
            }
            let before = run.failures.len();
            match &plan {
                // DaCapo's own are not ours to count.
                Some(plan) if section.is_of_programs() && self.options.dacapo.is_none() => count(plan, run),
                Some(_) => {}
                None if section == Section::Rewriting => {
                    run.rewriting = rewriting::measure(self.options, &self.java)?;
                }
                None => run.events = events::measure(self.options, &self.java)?,
            }
            run.took(section, named, watch.took());
            if let Some(plan) = &plan {
                plan.run(run, &unfinished)?;
            }
            failures += run.failures.len() - before;
            run.save(&self.file)?;
            // It may not have been made of forks, and then there is no such file.
            let _ = fs::remove_file(&unfinished);
            print!("\n{}", report::terminal(run, section));
        }
        println!("\nresults: {}", tree::shown(&self.file));
        Ok(failures)
    }
}

/// Counts the calls of each program, in a JVM of its own.
fn count(plan: &Plan, run: &mut Run) {
    for job in &plan.jobs {
        if run.calls.contains_key(&job.name) {
            continue;
        }
        match job.count() {
            Ok(calls) => {
                println!("{:20} {:9.1} million calls in an iteration", job.name, calls as f64 / 1e6);
                run.calls.insert(job.name.clone(), calls);
            }
            Err(reason) => println!("{:20} calls not counted: {reason}", job.name),
        }
    }
}

/// How long a section takes, in minutes, by what a JVM of it takes without other work on the
/// machine.
fn minutes(section: Section, jvms: usize, quick: bool) -> f64 {
    let seconds = match (section, quick) {
        (Section::Programs | Section::Encoders | Section::Sampled, false) => 8.5,
        (Section::Programs | Section::Encoders | Section::Sampled, true) => 3.5,
        (Section::Settled, false) => 34.0,
        (Section::Settled, true) => 10.0,
        (Section::Startup, _) => 2.0,
        (Section::Sources, false) => 4.5,
        (Section::Sources, true) => 3.5,
        (Section::Threads, false) => 8.0,
        (Section::Recursion, false) => 3.0,
        (Section::Threads | Section::Recursion, true) => 1.5,
        (Section::Rewriting, false) => return 0.8,
        (Section::Rewriting, true) => return 0.2,
        (Section::Events, false) => return 3.5,
        (Section::Events, true) => return 1.5,
    };
    seconds * jvms as f64 / 60.0
}
