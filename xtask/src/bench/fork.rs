//! One fork: a JVM that runs one program some times under one configuration, and what it said.

use std::fmt;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::configurations::{CACHED, Configuration};
use super::results::{Fork, Memory};
use super::said::{self, Said};
use super::section::Section;
use super::{child, figures, loaded, recorded};
use crate::{Result, jars, process, tree};

/// Flags of every JVM: a heap that neither grows nor shrinks. Everything else is as the JVM
/// chooses.
pub const FLAGS: [&str; 2] = ["-Xms1g", "-Xmx1g"];

/// A fork that takes longer has failed: slowdowns beyond any sense, or a hang. The official jar's
/// programs are longer.
const LIMIT: Duration = Duration::from_secs(300);
const DACAPO_LIMIT: Duration = Duration::from_secs(3600);

/// What is run.
#[derive(Debug)]
pub enum Command {
    /// A program of our own.
    Own {
        /// The class in `bench.programs`, and its arguments behind colons.
        class: String,
        /// Its class path, ours first.
        class_path: Vec<PathBuf>,
        /// How often it is run.
        times: Times,
        /// The same of a quick run.
        few: u32,
    },
    /// A program of an official jar.
    Dacapo {
        /// The jar.
        jar: PathBuf,
        /// How often it is run.
        iterations: u32,
    },
    /// An application, from the start of its JVM to its first line.
    Startup {
        /// The jar.
        jar: PathBuf,
        /// Its main class.
        class: &'static str,
    },
    /// A service of [`spring`](super::spring), from the start of its JVM to its first answer: what
    /// counts is processor time.
    Service {
        /// The jar.
        jar: PathBuf,
    },
}

/// How often a program of our own is run: what `bench.Schedule` reads.
#[derive(Debug, Clone, Copy)]
pub enum Times {
    /// So many iterations, of which the second half counts.
    Iterations(u32),
    /// Until the JIT has little left to do, for at most so many seconds; and then those that count.
    Settled(u32),
}

impl fmt::Display for Times {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Iterations(number) => write!(out, "{number}"),
            Self::Settled(seconds) => write!(out, "settled:{seconds}"),
        }
    }
}

/// A program on a JVM, to be run under each configuration.
#[derive(Debug)]
pub struct Job {
    /// The section it belongs to.
    pub section: Section,
    /// The program's name.
    pub name: String,
    /// Where several take turns in its iterations: the names of all.
    pub turns: Vec<String>,
    /// The JVM.
    pub java: PathBuf,
    /// What it runs.
    pub command: Command,
}

impl Job {
    /// The programs that are measured.
    pub fn programs(&self) -> &[String] {
        if self.turns.is_empty() { std::slice::from_ref(&self.name) } else { &self.turns }
    }

    /// Runs it once; `number` counts the forks. One result for each of its programs.
    ///
    /// # Errors
    /// One line: the last of what it wrote, when it failed.
    pub fn run(&self, configuration: &Configuration, number: usize) -> Result<Vec<Fork>> {
        // Without commas, which separate an agent's options.
        let name = self.name.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        let folder = format!("{name}-{}", std::process::id());
        let scratch = tree::cache().join("bench/scratch").join(folder);
        let _ = fs::remove_dir_all(&scratch);
        fs::create_dir_all(&scratch).map_err(|e| format!("cannot make {}: {e}", scratch.display()))?;
        let outcome = self.run_in(&scratch, configuration, number);
        let _ = fs::remove_dir_all(&scratch);
        Ok(outcome?.in_turn(self.programs()))
    }

    fn run_in(&self, scratch: &Path, configuration: &Configuration, number: usize) -> Result<Fork> {
        let log = scratch.join("events.log");
        let mut java = process::command(&self.java);
        let began = Instant::now();
        java.current_dir(scratch).args(FLAGS).args(configuration.flags).args(loaded::argument(configuration, &log)?);
        let said = match &self.command {
            Command::Own { class, class_path, times, few } => {
                let class_path = class_path.iter().cloned().chain(loaded::beside(configuration));
                let class_path = std::env::join_paths(class_path).map_err(|e| format!("class path: {e}"))?;
                let times = configuration.limit.map_or(*times, |(_, most)| Times::Iterations(most.min(*few)));
                java.arg("-cp").arg(class_path).args(["bench.Main", class, &times.to_string()]);
                java.arg(scratch.join("work")).arg(jars::folder());
                parse(&to_the_end(&mut java, scratch, LIMIT)?.0)?
            }
            Command::Dacapo { jar, iterations } => {
                java.arg("-jar").arg(jar).args(["-s", "default", "-n", &iterations.to_string(), &self.name]);
                let (out, errors) = to_the_end(&mut java, scratch, DACAPO_LIMIT)?;
                said::of_dacapo(&format!("{out}\n{errors}"))?
            }
            Command::Startup { jar, class } => {
                java.arg("-cp").arg(jar).arg(class).stdin(Stdio::null()).stderr(Stdio::null());
                if configuration.name == CACHED {
                    child::first_line(&mut java, LIMIT)?;
                }
                let (line, time) = child::first_line(&mut java, LIMIT)?;
                Said { iterations: vec![time.as_secs_f64() * 1000.0], digest: line, ..Said::default() }
            }
            Command::Service { jar } => {
                java.arg("-jar").arg(jar);
                if configuration.name == CACHED {
                    to_the_end(&mut java, scratch, LIMIT)?;
                }
                answered(&to_the_end(&mut java, scratch, LIMIT)?.0)?
            }
        };
        let life = began.elapsed().as_secs_f64();
        let figures = match (number, self.section) {
            (0, Section::Sources) => [figures::of(configuration, &log), recorded::of(configuration, &self.java, &log)]
                .into_iter()
                .flatten()
                .collect(),
            (0, _) => figures::of(configuration, &log),
            _ => Default::default(),
        };
        Ok(Fork {
            section: Some(self.section),
            program: self.name.clone(),
            configuration: configuration.name.into(),
            fork: number,
            iterations: said.iterations,
            life,
            cpu: said.cpu,
            compiling: said.compiling,
            collecting: said.collecting,
            before: said.before,
            digest: said.digest,
            memory: said.memory,
            log_bytes: fs::metadata(&log).map_or(0, |data| data.len()),
            figures,
        })
    }

    /// Runs it a few times under the Java agent that counts; gives the number of calls in an
    /// iteration.
    ///
    /// # Errors
    /// As [`Job::run`]; or it is no program of ours.
    pub fn count(&self) -> Result<u64> {
        let Command::Own { class, class_path, .. } = &self.command else {
            return Err("calls are counted in programs of our own list only".into());
        };
        let scratch = tree::cache().join("bench/scratch").join(format!("count-{}", std::process::id()));
        fs::create_dir_all(&scratch).map_err(|e| format!("cannot make {}: {e}", scratch.display()))?;
        let (agent, asm) = loaded::counter();
        let class_path =
            std::env::join_paths(class_path.iter().chain([&asm])).map_err(|e| format!("class path: {e}"))?;
        let mut java = process::command(&self.java);
        java.current_dir(&scratch).args(FLAGS).arg(format!("-javaagent:{}", agent.display()));
        java.arg("-cp").arg(class_path).args(["bench.Main", class, "2"]).arg(scratch.join("work")).arg(jars::folder());
        let outcome = to_the_end(&mut java, &scratch, LIMIT).and_then(|(out, _)| parse(&out));
        let _ = fs::remove_dir_all(&scratch);
        outcome?.calls.ok_or_else(|| "it counted nothing".into())
    }
}

/// Runs to the end, with output and errors in files of `scratch`; gives both.
fn to_the_end(java: &mut std::process::Command, scratch: &Path, limit: Duration) -> Result<(String, String)> {
    let (out, errors) = (scratch.join("out"), scratch.join("errors"));
    let create = |file: &Path| File::create(file).map_err(|e| format!("cannot write {}: {e}", file.display()));
    java.stdin(Stdio::null()).stdout(create(&out)?).stderr(create(&errors)?);
    let status = child::wait(java, limit);
    let text =
        |file: &Path| fs::read(file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let errors = text(&errors);
    status.map_err(|what| format!("{what}; {}", child::complaint(&errors)))?;
    Ok((text(&out), errors))
}

/// Reads what `bench.spring.Main` prints: its answer, and the milliseconds of processor time until
/// then.
fn answered(out: &str) -> Result<Said> {
    let wrong = || format!("it said: {out}");
    let (answer, cpu) = out.trim_end().split_once("\ncpu ").ok_or_else(wrong)?;
    let cpu: f64 = cpu.parse().map_err(|_| wrong())?;
    Ok(Said { iterations: vec![cpu], digest: answer.into(), ..Said::default() })
}

/// Reads what `bench.Main` prints.
fn parse(out: &str) -> Result<Said> {
    let mut said = Said::default();
    for line in out.lines() {
        let wrong = || format!("it said: {line}");
        let time = |text: &str| text.parse().map_err(|_| format!("not a time: {line}"));
        let number = |text: &str| text.parse::<u64>().map_err(|_| wrong());
        match line.split(' ').collect::<Vec<_>>().as_slice() {
            ["iteration", _, ms, cpu, compiling, collecting, _] => {
                said.iterations.push(time(ms)?);
                said.cpu.push(time(cpu)?);
                said.compiling.push(time(compiling)?);
                said.collecting.push(time(collecting)?);
            }
            ["memory", peak, resident, native, heap] => {
                let [peak, resident, native, heap] = [number(peak)?, number(resident)?, number(native)?, number(heap)?];
                said.memory = Memory { peak, resident, native, heap };
            }
            ["calls", calls] => said.calls = Some(number(calls)?),
            ["settled", before] => said.before = before.parse().map_err(|_| wrong())?,
            ["validated", digest] => said.digest = (*digest).into(),
            _ => return Err(wrong()),
        }
    }
    if said.digest.is_empty() { Err("it ended without validation".into()) } else { Ok(said) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_fork_says_is_read() {
        let said = parse(
            "iteration 1 12.500 20.0 9.0 1.0 ab\niteration 2 10.000 10.0 2.0 0.5 ab\nmemory 4 3 2 1\ncalls 7\nsettled 1\nvalidated ab\n",
        );
        let expected = Said {
            iterations: vec![12.5, 10.0],
            cpu: vec![20.0, 10.0],
            compiling: vec![9.0, 2.0],
            collecting: vec![1.0, 0.5],
            before: 1,
            digest: "ab".into(),
            memory: Memory { peak: 4, resident: 3, native: 2, heap: 1 },
            calls: Some(7),
        };
        assert_eq!(said, Ok(expected));
    }

    #[test]
    fn the_answer_of_a_service_and_its_time_are_read() {
        let said = answered("[1]\ncpu 7600\n").unwrap();
        assert_eq!((said.digest.as_str(), said.iterations), ("[1]", vec![7600.0]));
        assert!(answered("cpu 7600\n").is_err() && answered("[1]\ncpu fast\n").is_err());
    }

    #[test]
    fn a_fork_that_ends_without_validation_has_failed() {
        assert!(parse("iteration 1 12.500 10.0 0.0 0.0 ab\n").is_err());
        assert!(parse("iteration 1 fast 10.0 0.0 0.0 ab\nvalidated ab\n").is_err());
    }
}
