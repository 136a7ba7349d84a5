//! `cargo xtask bench`: the same programs under several configurations of the agent, forks interleaved, and a report.
//!
//! Invariants: a figure is printed only with its range; a program whose output differs from that without the agent makes the run fail;
//! results are on disk after every fork, so an interrupted run is not lost. Protocol: `docs/BENCHMARKS.md` states it beside the figures.

mod chart;
mod configurations;
mod dacapo;
mod events;
mod fork;
mod options;
mod programs;
mod report;
mod results;
mod statistics;

use std::fs;
use std::path::Path;
use std::time::Instant;

use self::configurations::Configuration;
use self::fork::Job;
use self::options::Options;
use self::results::{Failure, Run};
use crate::{Result, build, jars, jdk, jvms, tree};

/// The tables of jars that the programs and the micro benchmarks are made of.
const JARS: [&str; 1] = ["dacapo-harness/jars.txt"];

/// Measures as `args` say and writes `results-<jdk>.json`, `BENCHMARKS.md` and a chart for each JDK.
///
/// # Errors
/// One line: a wrong argument, a step of the set-up that failed, or how many forks failed or put out something else.
pub fn run(args: &[&str]) -> Result<()> {
    if matches!(args, ["help" | "--help" | "-h"]) {
        print!("{}", options::USAGE);
        return Ok(());
    }
    let options = Options::parse(args)?;
    let folder = options.folder();
    fs::create_dir_all(&folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
    let mut failures = 0;
    if !options.report_only {
        jars::fetch(jars::tables(&JARS)?.values())?;
        build::java(&[":api:jar", ":dacapo-harness:classes", ":dacapo-harness:jmhClasses"])?;
        build::native()?;
        for feature in &options.jdks {
            failures += measure(&options, *feature, &folder)?;
        }
    }
    report::write(&folder)?;
    if failures == 0 { Ok(()) } else { Err(format!("{failures} forks failed or put out something else: see above")) }
}

/// All that is asked for on one JDK; gives the number of failures.
fn measure(options: &Options, feature: u32, folder: &Path) -> Result<usize> {
    let java = java(feature)?;
    let mut run = Run::new(options, feature, &java)?;
    if run.load > 1.0 {
        println!("this machine is busy (load {:.1}): the figures will be of no use", run.load);
    }
    let file = folder.join(results::file_name(feature));
    let began = Instant::now();
    if options.programs_too() {
        let jobs = match &options.dacapo {
            Some(jar) => dacapo::jobs(options, &java, jar)?,
            None => programs::jobs(options, &java),
        };
        forks(&jobs, options.forks, &options.configurations, &mut run, &file)?;
        print!("\n{}", report::table(&run));
    }
    if options.events_too() {
        run.events = events::measure(options, &java, feature)?;
        run.save(&file)?;
        print!("\n{}", report::events_table(&run));
    }
    println!("\n{:.1} minutes; {}", began.elapsed().as_secs_f64() / 60.0, tree::shown(&file));
    Ok(run.failures.len())
}

/// Fork by fork, job by job, configuration by configuration: what drifts in the machine drifts for all alike. The configuration that
/// begins changes with the fork.
fn forks(
    jobs: &[Job],
    forks: usize,
    configurations: &[&'static Configuration],
    run: &mut Run,
    file: &Path,
) -> Result<()> {
    let total = jobs.len() * forks * configurations.len();
    let (mut done, began) = (0, Instant::now());
    for fork in 0..forks {
        for job in jobs {
            for position in 0..configurations.len() {
                let configuration = configurations[(position + fork) % configurations.len()];
                let outcome = job.run(configuration, fork).and_then(|one| run.accept(one));
                done += 1;
                let left = began.elapsed().as_secs_f64() / f64::from(done) * f64::from(total as u32 - done) / 60.0;
                let what = match outcome {
                    Ok(figure) => format!("{figure:9.1} ms"),
                    Err(reason) => {
                        let line = format!("FAILED: {reason}");
                        run.failures.push(Failure::new(job.name(), configuration.name, fork, reason));
                        line
                    }
                };
                let (program, configuration) = (job.name(), configuration.name);
                println!("[{done:3}/{total}, {left:4.1} min left] {program:10} {configuration:18} fork {fork} {what}");
                run.save(file)?;
            }
        }
    }
    Ok(())
}

/// The `java` of that feature release: of a JDK if there is one, else of the test matrix.
fn java(feature: u32) -> Result<std::path::PathBuf> {
    if let Some(jdk) = jdk::all().into_iter().find(|jdk| jdk.feature == feature) {
        return Ok(jdk.java());
    }
    let runtime = jvms::matrix().find(|runtime| runtime.feature == feature);
    let runtime =
        runtime.ok_or_else(|| format!("no JDK {feature} on this machine, and no runtime {feature} for it"))?;
    runtime.fetch()?;
    Ok(runtime.java())
}
