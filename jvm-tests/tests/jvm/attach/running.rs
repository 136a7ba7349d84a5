//! A program that runs, the agent that comes into it, and what the agent leaves behind.
//!
//! Invariant: what is told of threads, sockets and files is what the kernel says of the process,
//! not what the agent says of itself.
//! Source: proc(5).

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use lucce_jvm_tests::{Jvm, Program, Run, Scratch, place, until};

use crate::control::stats;

/// The program, without the agent at first.
pub struct Running {
    pub program: Program,
    pub scratch: Scratch,
    /// The first line that it has printed.
    pub began: String,
    /// The agent that comes.
    pub library: PathBuf,
}

impl Running {
    /// The hazard `Attached`, with these arguments behind its files.
    pub fn hazard(name: &str, jvm: &Jvm, further: &[&str]) -> Self {
        let scratch = Scratch::new(name, jvm.feature);
        Self::begun(target(jvm, &scratch, further), scratch)
    }

    /// The same in the interpreter: no memory comes from the JIT, and none stays of the monitors
    /// that the program's threads have waited for, which JDK 17 keeps until there are very many.
    pub fn interpreted(name: &str, jvm: &Jvm) -> Self {
        let scratch = Scratch::new(name, jvm.feature);
        let run = target(jvm, &scratch, &[]).option("-Xint");
        let run = run.option("-XX:+UnlockDiagnosticVMOptions").option("-XX:GuaranteedAsyncDeflationInterval=100");
        Self::begun(run, scratch)
    }

    fn begun(run: Run, scratch: Scratch) -> Self {
        let running = Self::start(&mut run.command(), scratch);
        assert_eq!(running.began, "started");
        running
    }

    /// A program, once it has printed a line.
    pub fn start(command: &mut Command, scratch: Scratch) -> Self {
        let mut program = Program::start(command.stdout(Stdio::piped()).stderr(Stdio::piped()));
        let mut began = String::new();
        // It prints no more until it ends, so nothing is read that belongs behind the line.
        let mut output = BufReader::new(program.stdout.as_mut().expect("piped"));
        output.read_line(&mut began).expect("it prints a line");
        let began = began.trim_end().to_owned();
        Self { program, scratch, began, library: place().agent.clone() }
    }

    pub fn attach(&self, options: &str) -> (i32, String) {
        self.attach_from(&self.library, options)
    }

    pub fn attach_from(&self, library: &Path, options: &str) -> (i32, String) {
        said(&attach_with(library, &self.program.id().to_string(), options).output().expect("the decoder runs"))
    }

    /// Attaches with a log and a socket of that name, which must do.
    pub fn attached(&self, name: &str, options: &str) -> PathBuf {
        let (log, socket) = (self.scratch.file(name), self.socket());
        let options = format!("file={},control={},{options}", log.display(), socket.display());
        let (status, said) = self.attach(&options);
        assert_eq!((status, &*said), (0, &*format!("log {}", log.display())));
        log
    }

    fn socket(&self) -> PathBuf {
        self.scratch.file("socket")
    }

    pub fn ctl(&self, command: &str) -> (i32, String) {
        let mut ctl = Command::new(&place().decode);
        said(&ctl.arg("ctl").arg(self.socket()).args(command.split(' ')).output().expect("the decoder runs"))
    }

    /// Waits until the agent has counted so many of each of these.
    pub fn waits_for(&self, counters: &[&str], least: i64) {
        for name in counters {
            until(&format!("{least} {name}"), || (stats(&self.socket(), [*name])[0] >= least).then_some(()));
        }
    }

    fn proc(&self, name: &str) -> PathBuf {
        PathBuf::from(format!("/proc/{}/{name}", self.program.id()))
    }

    /// Resident memory that no file stands behind, in KiB.
    pub fn memory(&self) -> u64 {
        let status = fs::read_to_string(self.proc("status")).expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
        line.and_then(|line| line.split_whitespace().next()?.parse().ok()).expect("the kernel says it")
    }

    /// Names of the agent's threads.
    pub fn threads(&self) -> Vec<String> {
        let tasks = fs::read_dir(self.proc("task")).expect("it runs");
        let names = tasks.filter_map(|task| fs::read_to_string(task.ok()?.path().join("comm")).ok());
        names.map(|name| name.trim().to_owned()).filter(|name| name.starts_with("lucce")).collect()
    }

    /// The agent is told to leave: nothing of it is left but its log.
    pub fn leaves(&self, log: &Path) {
        let (status, said) = self.ctl("kill");
        assert_eq!(status, 0, "{said}");
        until("no thread of the agent's", || self.threads().is_empty().then_some(()));
        assert!(!self.socket().exists());
        assert_eq!(self.leftovers(), Vec::<String>::new());
        let open: Vec<PathBuf> = self.open_files().into_iter().filter(|file| is_of_agent(file, log)).collect();
        assert_eq!(open, Vec::<PathBuf>::new());
        let sockets = fs::read_to_string(self.proc("net/unix")).expect("it runs");
        assert!(!sockets.contains(&*self.socket().to_string_lossy()), "{sockets}");
    }

    /// What its descriptors lead to.
    fn open_files(&self) -> Vec<PathBuf> {
        let descriptors = fs::read_dir(self.proc("fd")).expect("it runs").filter_map(Result::ok);
        descriptors.filter_map(|descriptor| fs::read_link(descriptor.path()).ok()).collect()
    }

    /// What attaching has left in folders of the JVM's.
    pub fn leftovers(&self) -> Vec<String> {
        let pid = self.program.id();
        let names = [Path::new("/tmp"), self.scratch.path()].into_iter().flat_map(|folder| {
            let files = fs::read_dir(folder).expect("a folder").filter_map(Result::ok);
            files.map(|file| file.file_name().to_string_lossy().into_owned())
        });
        names
            .filter(|name| name == &format!(".attach_pid{pid}") || name.starts_with(&format!("lucce-attach-{pid}-")))
            .collect()
    }

    /// Tells it to end, as its first argument is the file `end`: how it went, and what it
    /// complained of.
    pub fn ended(self) -> (String, String, Scratch) {
        fs::write(self.scratch.file("end"), "").expect("written");
        let (status, printed, complaints) = self.program.end();
        assert!(status.success() && printed.contains("ended"), "{status}: {printed}{complaints}");
        (printed, complaints, self.scratch)
    }

    /// The same of the hazard: the stacks that it has seen, and what it complained of.
    pub fn end(self) -> (BTreeSet<String>, String, Scratch) {
        let (_, complaints, scratch) = self.ended();
        let stacks = fs::read_to_string(scratch.file("stacks")).expect("written");
        (stacks.lines().map(str::to_owned).collect(), complaints, scratch)
    }
}

/// How the hazard is started.
pub fn attached(jvm: &Jvm, scratch: &Scratch, further: &[&str]) -> Command {
    target(jvm, scratch, further).command()
}

fn target(jvm: &Jvm, scratch: &Scratch, further: &[&str]) -> Run {
    // The heap is there from the start, so what grows is other memory.
    let run =
        Run::hazard(jvm, "Attached").within(scratch).option("-Xms64m").option("-Xmx64m").option("-XX:+AlwaysPreTouch");
    let run = run.argument(scratch.file("end")).argument(scratch.file("stacks"));
    further.iter().fold(run, |run, argument| run.argument(*argument))
}

/// Is that the log of a run, or a file that only the agent would have?
fn is_of_agent(file: &Path, log: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    // The API is on the program's class path.
    file == log || name.starts_with("lucce") && !name.ends_with(".jar")
}

pub fn attach(process: &str, options: &str) -> Command {
    attach_with(&place().agent, process, options)
}

fn attach_with(library: &Path, process: &str, options: &str) -> Command {
    let mut command = Command::new(&place().decode);
    command.arg("attach").arg("--agent").arg(library).args([process, options]);
    command
}

/// The status, and all that was said.
pub fn said(output: &Output) -> (i32, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().expect("it was not killed"), (text(&output.stdout) + &text(&output.stderr)).trim().to_owned())
}
