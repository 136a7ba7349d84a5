//! `--java`: a JVM is asked who it is, and then runs a tiny job of its own under the agent, whose
//! oracle checks every entry.
//!
//! Invariant: no child outlives its limit, and its folder goes with it; a JVM that Lucce does not
//! support never sees the agent.
//! Source: the java command's `-XshowSettings:properties` (since 7) and `--list-modules` (since 9);
//! docs/guide/limitations.md.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::finding::Finding;
use super::run::{OLDEST, feature};
use crate::agent::{self, CLibrary};
use crate::plain::plain;
use crate::text;

/// Far more than a JVM needs to say its version, on a slow machine too.
const ASKING: Duration = Duration::from_secs(30);
/// Far more than the job needs; it takes some two seconds.
const WORKING: Duration = Duration::from_secs(120);
/// How often an end is looked for.
const POLL: Duration = Duration::from_millis(20);
/// Lines of what was printed that are shown.
const LINES: usize = 20;
/// `--list-modules` runs code of the JDK alone, and much of it: each entry is checked, and some
/// allocations are sampled.
const OPTIONS: &str = "file=doctor.log,jdk=on,alloc=16k,verify=1";
const LOG: &str = "doctor.log";
const JOB: &str = "--list-modules";
/// They bring options and agents of the user's, which are not what is asked about.
const VARIABLES: [&str; 3] = ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"];

/// Why there is no log to check: one line, and the exit status.
pub struct Problem {
    /// 1: the JVM or the agent does not do; 2: what was named is not there.
    pub status: u8,
    /// The line.
    pub line: String,
}

fn missing(line: String) -> Problem {
    Problem { status: 2, line }
}

fn unfit(line: String) -> Problem {
    Problem { status: 1, line }
}

/// What has come of it.
#[derive(Debug, Serialize)]
pub struct Trial {
    path: String,
    vm: String,
    version: String,
    feature: u32,
    agent: String,
    /// The job ended as it does without the agent.
    ended: bool,
    /// How it ended, in words.
    end: String,
    /// What the agent and the JVM printed.
    printed: Vec<String>,
}

/// A folder that goes when nobody needs it any more.
struct Folder(PathBuf);

impl Folder {
    fn new() -> io::Result<Self> {
        // It must be new: nobody else's folder or link is taken.
        let path = std::env::temp_dir().join(format!("lucce-doctor-{}", std::process::id()));
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left over lies among temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Runs the job in this JVM under the agent; gives the bytes of its log, too.
pub fn attempt(java: &Path, agent: Option<&Path>) -> Result<(Trial, Vec<u8>), Problem> {
    let java = find_java(java)?;
    let given = agent.map(agent::named).transpose().map_err(missing)?;
    let shown = java.display();
    let folder = Folder::new().map_err(|error| missing(format!("cannot make a temporary folder: {error}")))?;
    let asked = run(&java, &["-XshowSettings:properties".into(), "-version".into()], &folder, ASKING);
    let (_, answer) = asked.map_err(|error| missing(format!("cannot start {shown}: {error}")))?;
    let property = |name: &str| {
        let values = answer.iter().filter_map(|line| line.trim().split_once(" = "));
        values.filter(|(key, _)| *key == name).map(|(_, value)| value.trim().to_owned()).next()
    };
    let Some(vm) = property("java.vm.name") else {
        return Err(missing(format!("{shown} is no JVM: it does not say its java.vm.name")));
    };
    let version = property("java.vm.version").unwrap_or_default();
    let specification = property("java.specification.version").unwrap_or_default();
    // 1.8 is 8 (JEP 223).
    let feature = feature(specification.strip_prefix("1.").unwrap_or(&specification)).unwrap_or(0);
    if !is_hotspot(&vm) {
        return Err(unfit(format!("{shown} is {vm}, not HotSpot: Lucce needs HotSpot {OLDEST} or newer")));
    }
    if feature < OLDEST {
        return Err(unfit(format!(
            "{shown} is {vm} {version} (Java {feature}): Lucce needs HotSpot {OLDEST} or newer"
        )));
    }
    let home = PathBuf::from(property("java.home").unwrap_or_default());
    let own = || agent::own(CLibrary::of(&home.join("bin/java")));
    let agent = given.map_or_else(own, Ok).map_err(missing)?;
    let under = format!("-agentpath:{}={OPTIONS}", agent.display());
    let ran = run(&java, &[under, JOB.into()], &folder, WORKING);
    let (status, printed) = ran.map_err(|error| missing(format!("cannot start {shown}: {error}")))?;
    let end = match status {
        Some(status) => status.to_string(),
        None => format!("killed after {} seconds", WORKING.as_secs()),
    };
    let Ok(log) = fs::read(folder.0.join(LOG)) else {
        let printed = printed.iter().take(LINES).map(String::as_str).collect::<Vec<_>>().join("; ");
        return Err(unfit(format!("{shown} ({vm} {version}): the agent does not work here ({end}): {printed}")));
    };
    let ended = status.is_some_and(|status| status.success());
    let (path, agent) = (shown.to_string(), agent.display().to_string());
    let printed = printed.into_iter().take(LINES).collect();
    Ok((Trial { path, vm, version, feature, agent, ended, end, printed }, log))
}

/// HotSpot's name for itself has its variant in it (`Abstract_VM_Version::vm_name`), whoever builds
/// it; OpenJ9's and others' do not.
fn is_hotspot(vm: &str) -> bool {
    ["Server VM", "Client VM", "Minimal VM", "Zero VM"].iter().any(|variant| vm.ends_with(variant))
        && !vm.contains("J9")
}

/// The command, or the one of the home; a bare name is looked for as the shell does.
fn find_java(given: &Path) -> Result<PathBuf, Problem> {
    let path = if given.is_dir() { given.join("bin/java") } else { given.to_owned() };
    if path.components().count() == 1 && !path.is_file() {
        return Ok(path);
    }
    if !path.is_file() {
        return Err(missing(format!("no java at {}", path.display())));
    }
    // The job runs in another folder.
    std::path::absolute(&path).map_err(|error| missing(format!("{}: {error}", path.display())))
}

/// Runs to the end or the limit: the status, if it ended, and what it printed on standard error,
/// which is a file, so that nobody waits for a pipe.
fn run(
    java: &Path,
    arguments: &[String],
    folder: &Folder,
    limit: Duration,
) -> io::Result<(Option<ExitStatus>, Vec<String>)> {
    let errors = folder.0.join("stderr");
    let mut command = Command::new(java);
    command.args(arguments).current_dir(&folder.0);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(&errors)?);
    VARIABLES.iter().for_each(|variable| {
        command.env_remove(variable);
    });
    let mut child = command.spawn()?;
    let began = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if began.elapsed() >= limit {
            child.kill()?;
            child.wait()?;
            break None;
        }
        thread::sleep(POLL);
    };
    let printed = fs::read(&errors)?;
    Ok((status, String::from_utf8_lossy(&printed).lines().map(str::to_owned).collect()))
}

impl Trial {
    /// What the log of the job cannot tell.
    pub fn findings(&self) -> Option<Finding> {
        (!self.ended).then(|| {
            let what = format!("java {JOB} ended otherwise under the agent ({})", self.end);
            let why = "without it, it ends with 0";
            Finding::change("java.end", 1, what, why, super::finding::REPORT)
        })
    }

    /// Who the JVM is, and what was printed.
    pub fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let Self { path, vm, version, feature, .. } = self;
        writeln!(out, "{}", plain(&format!("{path}: {vm} {version} (Java {feature})")))?;
        writeln!(out, "  {}", plain(&format!("ran {JOB} under {}: {}", self.agent, self.end)))?;
        for line in &self.printed {
            writeln!(out, "    {}", text::cut(&plain(&line.replace('\t', "    ")), 200))?;
        }
        Ok(())
    }
}
