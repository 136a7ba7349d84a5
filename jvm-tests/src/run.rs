//! One run of a JVM: its command line, its output, and its end, within a time limit.
//!
//! Invariant: a child that passes its limit is killed and reported as hung; no child outlives its
//! test.

use std::ffi::OsString;
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::shell::without_options;
use crate::{Counters, Jvm, Scratch, decode, place, wait};

/// A command line in the making.
pub struct Run {
    java: PathBuf,
    options: Vec<OsString>,
    class_path: Vec<PathBuf>,
    main: String,
    arguments: Vec<OsString>,
    folder: PathBuf,
    log: Option<PathBuf>,
    limit: Duration,
    file_size: Option<u64>,
    plain: bool,
}

/// How a run ended.
#[derive(Debug)]
pub struct Outcome {
    /// None when it was killed at its limit.
    pub status: Option<ExitStatus>,
    /// What it printed.
    pub stdout: String,
    /// What it and the agent complained about.
    pub stderr: String,
    /// Where the agent was told to write.
    pub log: Option<PathBuf>,
    /// How long it took.
    pub time: Duration,
}

impl Run {
    /// A main class on that class path.
    pub fn new(jvm: &Jvm, main: &str, class_path: Vec<PathBuf>) -> Self {
        Self {
            java: jvm.java.clone(),
            options: Vec::new(),
            class_path,
            main: main.into(),
            arguments: Vec::new(),
            folder: std::env::temp_dir(),
            log: None,
            limit: wait::LIMIT,
            file_size: None,
            plain: jvm.quick,
        }
    }

    /// A target of the package `hazards`, every class verified by the JVM.
    pub fn hazard(jvm: &Jvm, target: &str) -> Self {
        Self::target(jvm, &format!("hazards.{target}")).option("-Xverify:all")
    }

    /// A main class of this crate's targets.
    pub fn target(jvm: &Jvm, main: &str) -> Self {
        let place = place();
        let mut class_path = vec![place.set("main"), place.source("java/resources"), place.api.clone()];
        if jvm.feature >= 17 {
            class_path.push(place.set("java17"));
        }
        Self::new(jvm, main, class_path)
    }

    /// The folder it runs in, where its log goes too.
    pub fn within(mut self, scratch: &Scratch) -> Self {
        self.folder = scratch.path().into();
        self
    }

    /// An option of the JVM.
    pub fn option(mut self, option: impl Into<OsString>) -> Self {
        self.options.push(option.into());
        self
    }

    /// With one compiler, C1, and the collector that has one thread, unless another is named. Both
    /// take less time: for a run of which only the output counts, and where it is not C2's turn.
    pub fn plain(self) -> Self {
        Self { plain: true, ..self }
    }

    /// What [`Self::plain`] adds. It stands first, so that other options have the last word.
    fn plainly(&self) -> impl Iterator<Item = &'static str> {
        let names_collector = |option: &OsString| {
            let option = option.to_string_lossy();
            option.starts_with("-XX:+Use") && option.ends_with("GC")
        };
        let collector = (!self.options.iter().any(names_collector)).then_some("-XX:+UseSerialGC");
        ["-XX:TieredStopAtLevel=1"].into_iter().chain(collector).filter(|_| self.plain)
    }

    /// A jar of `jars.txt` on the class path.
    pub fn library(mut self, name: &str) -> Self {
        self.class_path.push(place().jar(name));
        self
    }

    /// An argument of the program.
    pub fn argument(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// The time after which it counts as hung, if it uses no processor by then.
    pub fn limit(mut self, seconds: u64) -> Self {
        self.limit = Duration::from_secs(seconds);
        self
    }

    /// Lets no file grow beyond that many bytes (rounded to 512): every write past it fails, as on
    /// a full disk. `prlimit` may raise it.
    pub fn file_size(mut self, bytes: u64) -> Self {
        self.file_size = Some(bytes);
        self.option("-XX:-UsePerfData")
    }

    /// Runs under the agent, which writes `events.log` in the folder of the run.
    pub fn agent(self, options: &str) -> Self {
        self.agent_from(&place().agent, options)
    }

    /// Runs under the agent with exactly these options.
    pub fn raw_agent(self, options: &str) -> Self {
        self.agent_at(&place().agent, options)
    }

    /// As [`Self::agent`], under the agent in that library.
    pub fn agent_from(self, library: &Path, options: &str) -> Self {
        let log = self.folder.join("events.log");
        let mut run = self.agent_at(library, &format!("file={},{options}", log.display()));
        run.log = Some(log);
        run
    }

    /// Runs under the agent of a test build, with the named mechanism of exactness switched off.
    pub fn without(self, mechanisms: &[&str], options: &str) -> Self {
        let faults: Vec<String> = mechanisms.iter().map(|name| format!(",fault={name}")).collect();
        self.agent_from(&place().faulty_agent, &format!("{options}{}", faults.concat()))
    }

    fn agent_at(self, agent: &Path, options: &str) -> Self {
        let agent = format!("-agentpath:{}={options}", agent.display());
        self.option(agent.trim_end_matches('='))
    }

    /// The command, for who wants to hold the child itself.
    pub fn command(&self) -> Command {
        let mut command = match self.file_size {
            None => Command::new(&self.java),
            Some(bytes) => {
                let mut shell = Command::new("sh");
                shell
                    .arg("-c")
                    .arg(format!("ulimit -S -f {}; exec \"$0\" \"$@\"", bytes.div_ceil(512)))
                    .arg(&self.java);
                shell
            }
        };
        let class_path = std::env::join_paths(&self.class_path).expect("no path has a colon");
        command
            .args(self.plainly())
            .args(&self.options)
            .arg("-cp")
            .arg(class_path)
            .arg(&self.main)
            .args(&self.arguments);
        command.current_dir(&self.folder).stdin(Stdio::null());
        without_options(&mut command);
        command
    }

    /// Runs it to its end.
    ///
    /// # Panics
    /// When the JVM cannot be started at all.
    pub fn go(self) -> Outcome {
        let start = Instant::now();
        let mut child = self.command().stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("java starts");
        let stdout = drain(child.stdout.take().expect("piped"));
        let stderr = drain(child.stderr.take().expect("piped"));
        let status = wait::end(&mut child, &self.java, self.limit);
        let text = |reader: thread::JoinHandle<String>| reader.join().expect("readers do not panic");
        Outcome { status, stdout: text(stdout), stderr: text(stderr), log: self.log, time: start.elapsed() }
    }
}

fn drain(mut pipe: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

impl Outcome {
    /// Did it end by itself with status 0?
    pub fn success(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }

    /// The agent's own lines on standard error.
    pub fn said(&self) -> Vec<&str> {
        self.stderr.lines().filter(|line| line.starts_with("lucce:")).collect()
    }

    /// The log's counters.
    ///
    /// # Panics
    /// When the run had no log, or the decoder does not read it.
    pub fn counters(&self) -> Counters {
        decode(self.log()).counters()
    }

    /// Where the log is.
    ///
    /// # Panics
    /// When the run had none.
    pub fn log(&self) -> &Path {
        self.log.as_deref().expect("the run was under the agent")
    }

    /// Asserts that the oracle was at work and found nothing: checks above 0, no mismatch, nothing
    /// lost.
    ///
    /// # Panics
    /// Otherwise.
    pub fn verified(&self) -> Counters {
        let counters = self.counters();
        let (checks, wrong, lost) = (counters.checks(), counters.mismatches(), counters.lost());
        assert!(checks > 0, "no checks\n{self}\n{counters}");
        assert_eq!((wrong, lost), (0, 0), "mismatches and lost contexts\n{self}\n{counters}");
        counters
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.status {
            Some(status) => writeln!(out, "ended with {status} after {:?}", self.time)?,
            None => writeln!(out, "hung: killed after {:?}", self.time)?,
        }
        if let Some(log) = &self.log {
            writeln!(out, "log: {}", log.display())?;
        }
        for (name, text) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            let shown: Vec<&str> = text.lines().take(60).collect();
            writeln!(out, "--- {name} ({} lines)\n{}", text.lines().count(), shown.join("\n"))?;
        }
        Ok(())
    }
}
