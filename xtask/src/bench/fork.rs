//! One fork: a JVM that runs one program some times under one configuration, and what it said.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::configurations::Configuration;
use super::dacapo;
use super::results::Fork;
use crate::{Result, jars, process, tree};

/// Flags of every JVM: a heap that neither grows nor shrinks. Everything else is as the JVM chooses.
pub const FLAGS: [&str; 2] = ["-Xms1g", "-Xmx1g"];

/// A fork that takes longer has failed: slowdowns beyond any sense, or a hang. The official jar's programs are longer.
const LIMIT: Duration = Duration::from_secs(300);
const DACAPO_LIMIT: Duration = Duration::from_secs(3600);

/// What is run.
#[derive(Debug)]
pub enum Command {
    /// A program of our own list.
    Own {
        /// The class in `bench.programs`.
        class: &'static str,
        /// Its class path, ours first.
        class_path: Vec<PathBuf>,
        /// How often it is run.
        iterations: u32,
    },
    /// A program of an official jar.
    Dacapo {
        /// The jar.
        jar: PathBuf,
        /// How often it is run.
        iterations: u32,
    },
}

/// A program on a JVM, to be run under each configuration.
#[derive(Debug)]
pub struct Job {
    name: String,
    java: PathBuf,
    command: Command,
}

impl Job {
    /// A job of that name.
    pub fn new(name: &str, java: &Path, command: Command) -> Self {
        Self { name: name.into(), java: java.into(), command }
    }

    /// The program's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Runs it once; `number` counts the forks.
    ///
    /// # Errors
    /// One line: the last of what it wrote, when it failed.
    pub fn run(&self, configuration: &Configuration, number: usize) -> Result<Fork> {
        let scratch = tree::cache().join("bench/scratch").join(format!("{}-{}", self.name, std::process::id()));
        let _ = fs::remove_dir_all(&scratch);
        fs::create_dir_all(&scratch).map_err(|e| format!("cannot make {}: {e}", scratch.display()))?;
        let outcome = self.run_in(&scratch, configuration, number);
        let _ = fs::remove_dir_all(&scratch);
        outcome
    }

    fn run_in(&self, scratch: &Path, configuration: &Configuration, number: usize) -> Result<Fork> {
        let log = scratch.join("events.log");
        let mut java = process::command(&self.java);
        java.current_dir(scratch).args(FLAGS).args(agent(configuration, &log));
        match &self.command {
            Command::Own { class, class_path, iterations } => {
                let class_path = std::env::join_paths(class_path).map_err(|e| format!("class path: {e}"))?;
                java.arg("-cp").arg(class_path).args(["bench.Main", class, &iterations.to_string()]);
                java.arg(scratch.join("work")).arg(jars::folder());
            }
            Command::Dacapo { jar, iterations } => {
                java.arg("-jar").arg(jar).args(["-s", "default", "-n", &iterations.to_string(), &self.name]);
            }
        }
        let (out, errors) = (scratch.join("out"), scratch.join("errors"));
        let create = |file: &Path| File::create(file).map_err(|e| format!("cannot write {}: {e}", file.display()));
        java.stdin(Stdio::null()).stdout(create(&out)?).stderr(create(&errors)?);
        let limit = if matches!(self.command, Command::Own { .. }) { LIMIT } else { DACAPO_LIMIT };
        let status = wait(&mut java, limit);
        let text =
            |file: &Path| fs::read(file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
        let (out, errors) = (text(&out), text(&errors));
        status.map_err(|what| format!("{what}; {}", complaint(&errors)))?;
        let said = match self.command {
            Command::Own { .. } => parse(&out)?,
            Command::Dacapo { .. } => dacapo::parse(&format!("{out}\n{errors}"))?,
        };
        Ok(Fork {
            program: self.name.clone(),
            configuration: configuration.name.into(),
            fork: number,
            iterations: said.iterations,
            digest: said.digest,
            memory_kib: said.memory_kib,
            log_bytes: fs::metadata(&log).map_or(0, |data| data.len()),
        })
    }
}

/// The argument that loads the agent, if the configuration has one.
pub fn agent(configuration: &Configuration, log: &Path) -> Option<String> {
    let options = configuration.agent?;
    let comma = if options.is_empty() { "" } else { "," };
    Some(format!("-agentpath:{}=quiet,file={}{comma}{options}", tree::release("liblucce.so").display(), log.display()))
}

/// Runs to the end, or to the limit and no further.
fn wait(command: &mut std::process::Command, limit: Duration) -> Result<()> {
    let mut child = command.spawn().map_err(|e| format!("cannot run java: {e}"))?;
    let began = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(status.to_string()),
            Ok(None) if began.elapsed() < limit => std::thread::sleep(Duration::from_millis(50)),
            Ok(None) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("stopped after {} s", limit.as_secs()));
            }
            Err(e) => return Err(format!("cannot wait for java: {e}")),
        }
    }
}

/// The line of a standard error that says most: the first with an exception or error, else the last.
fn complaint(errors: &str) -> &str {
    let lines = || errors.lines().filter(|line| !line.trim().is_empty());
    lines()
        .find(|line| line.contains("Exception") || line.contains("Error"))
        .or(lines().next_back())
        .unwrap_or("it said nothing")
}

/// What a fork said.
#[derive(Debug, Default, PartialEq)]
pub struct Said {
    /// Milliseconds of each iteration.
    pub iterations: Vec<f64>,
    /// Of its output; empty where the program validates by itself.
    pub digest: String,
    /// The largest resident set; 0 if unknown.
    pub memory_kib: u64,
}

/// Reads what `bench.Main` prints.
fn parse(out: &str) -> Result<Said> {
    let mut said = Said::default();
    for line in out.lines() {
        match line.split(' ').collect::<Vec<_>>().as_slice() {
            ["iteration", _, ms, _] => said.iterations.push(ms.parse().map_err(|_| format!("not a time: {line}"))?),
            ["memory", kib] => said.memory_kib = kib.parse().map_err(|_| format!("not a size: {line}"))?,
            ["validated", digest] => said.digest = (*digest).into(),
            _ => return Err(format!("it said: {line}")),
        }
    }
    if said.digest.is_empty() { Err("it ended without validation".into()) } else { Ok(said) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_fork_says_is_read() {
        let said = parse("iteration 1 12.500 ab\niteration 2 10.000 ab\nmemory 2048\nvalidated ab\n").unwrap();
        assert_eq!(said, Said { iterations: vec![12.5, 10.0], digest: "ab".into(), memory_kib: 2048 });
    }

    #[test]
    fn a_fork_that_ends_without_validation_has_failed() {
        assert!(parse("iteration 1 12.500 ab\n").is_err());
        assert!(parse("iteration 1 fast ab\nvalidated ab\n").is_err());
    }

    #[test]
    fn the_agent_gets_the_log_and_the_options_of_the_configuration() {
        let with = |agent| Configuration { name: "x", agent, default: true, colour: "", what: "" };
        assert_eq!(agent(&with(None), Path::new("l")), None);
        assert!(agent(&with(Some("")), Path::new("l")).unwrap().ends_with("=quiet,file=l"));
        assert!(agent(&with(Some("alloc=1k")), Path::new("l")).unwrap().ends_with("=quiet,file=l,alloc=1k"));
    }
}
