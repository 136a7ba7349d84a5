//! One run of a program in a JVM of its own, and what came of it.
//!
//! Invariant: what a run prints goes to files, so that it never waits for a reader; a run that does
//! not end is ended.

use std::fmt::{self, Display, Formatter};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::compile;
use super::program::Program;
use super::results::Sums;
use crate::{Result, jars, jdk, jvms, process, tree};

/// How long a run may take, unless somebody says.
pub const LIMIT: Duration = Duration::from_secs(600);
/// How often the run is looked at.
const LOOK: Duration = Duration::from_millis(50);
/// The log of a run, in its folder.
const LOG: &str = "run.log";

/// Which `java` runs it.
pub struct Jvm(PathBuf);

impl Jvm {
    /// That of a feature release.
    ///
    /// # Errors
    /// One line: this machine has none.
    pub fn of(program: &Program, feature: u32) -> Result<Self> {
        if program.needs_jdk {
            let found = jdk::all().into_iter().find(|jdk| jdk.feature == feature);
            return found.map(|jdk| Self(jdk.java())).ok_or_else(|| format!("{} needs a JDK {feature}", program.name));
        }
        let runtime = jvms::matrix().find(|runtime| runtime.feature == feature);
        let runtime = runtime.ok_or_else(|| format!("no runtime {feature} for this machine"))?;
        runtime.fetch()?;
        Ok(Self(runtime.java()))
    }
}

/// How a run has ended.
pub struct Ended {
    /// `None`: it had to be ended.
    status: Option<ExitStatus>,
    limit: Duration,
    folder: PathBuf,
    seconds: f64,
}

/// Runs it in `folder`, which is emptied before, under the agent with these options, or without.
///
/// # Errors
/// One line: the JVM cannot be started.
pub fn run(
    program: &Program,
    jvm: &Jvm,
    class_path: &[PathBuf],
    folder: &Path,
    options: Option<&str>,
    limit: Duration,
) -> Result<Ended> {
    let io = |e| format!("cannot use {}: {e}", folder.display());
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).map_err(io)?;
    let mut java = process::command(&jvm.0);
    java.current_dir(folder).stdin(Stdio::null());
    java.stdout(File::create(folder.join("stdout")).map_err(io)?);
    java.stderr(File::create(folder.join("stderr")).map_err(io)?);
    if let Some(options) = options {
        java.arg(format!("-agentpath:{}=file={LOG},control=off,{options}", tree::release("liblucce.so").display()));
    }
    let placed = |text: &String| place(program, &class_path[0], text);
    java.args(program.flags.iter().map(placed)).arg("-cp").arg(compile::joined(class_path)?);
    java.arg(&program.main).args(program.args.iter().map(placed));
    let begun = Instant::now();
    let child = java.spawn().map_err(|e| format!("cannot run {}: {e}", jvm.0.display()))?;
    let status = wait(child, limit).map_err(|e| format!("cannot wait for {}: {e}", jvm.0.display()))?;
    Ok(Ended { status, limit, folder: folder.into(), seconds: begun.elapsed().as_secs_f64() })
}

/// `None` if it was ended here.
fn wait(mut child: Child, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if begun.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(LOOK);
    }
}

/// Puts paths where names stand in braces.
fn place(program: &Program, classes: &Path, text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, (name, after))) = rest.split_once('{').and_then(|(b, r)| Some((b, r.split_once('}')?))) {
        out.push_str(before);
        let path = match name {
            "folder" => program.folder.clone(),
            "classes" => classes.into(),
            jar => jars::folder().join(format!("{jar}.jar")),
        };
        out.push_str(&path.display().to_string());
        rest = after;
    }
    out + rest
}

impl Ended {
    /// Why it is no success.
    pub fn trouble(&self) -> Option<String> {
        match self.status {
            None => Some(format!("did not end in {} s", self.limit.as_secs())),
            Some(status) if !status.success() => Some(status.to_string()),
            Some(_) => None,
        }
    }

    fn stdout(&self) -> Vec<u8> {
        fs::read(self.folder.join("stdout")).unwrap_or_default()
    }
}

/// A row of the table.
#[derive(Serialize, Deserialize)]
pub struct Outcome {
    /// Options of the agent.
    pub options: String,
    /// What was checked, and what came of it.
    pub sums: Sums,
    /// What else is not as it should be.
    pub troubles: Vec<String>,
    /// How long it took without the agent, and with it.
    pub seconds: (f64, f64),
}

impl Outcome {
    /// What the run under the agent came to, beside the one without.
    pub fn of(plain: &Ended, agent: &Ended, options: String, folder: &Path) -> Self {
        let mut troubles: Vec<String> = agent.trouble().into_iter().collect();
        if agent.stdout() != plain.stdout() {
            troubles.push("prints something else".into());
        }
        let stats = stats(&folder.join(LOG));
        if stats["complete"] != true {
            troubles.push("the log has no end".into());
        }
        let counter = |name: &str| stats["counters"][name].as_u64().unwrap_or_default();
        if counter("verify.checks") == 0 {
            troubles.push("nothing was checked".into());
        }
        if counter("panics") > 0 {
            troubles.push(format!("{} panics", counter("panics")));
        }
        if stats["undecodable_events"].as_u64().is_none_or(|events| events > 0) {
            troubles.push("events that cannot be decoded".into());
        }
        Self { options, sums: Sums::of(&stats), troubles, seconds: (plain.seconds, agent.seconds) }
    }

    /// Was every context the JVM's own, and the program undisturbed?
    pub fn is_exact(&self) -> bool {
        self.sums.mismatches == 0 && self.sums.lost == 0 && self.troubles.is_empty()
    }
}

impl Display for Outcome {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { options, sums, troubles, seconds: (plain, agent) } = self;
        write!(f, "{options}: {sums}")?;
        troubles.iter().try_for_each(|trouble| write!(f, "; {trouble}"))?;
        write!(f, " ({agent:.0} s, without agent {plain:.0} s)")
    }
}

/// What `lucce-decode --stats` says of a log; null where it says nothing.
fn stats(log: &Path) -> Value {
    let mut decode = process::command(tree::release("lucce-decode"));
    let out = decode.args(["--stats", "--format", "json"]).arg(log).output();
    out.ok().and_then(|out| serde_json::from_slice(&out.stdout).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stand_where_names_stood() {
        let program = Program { folder: "/p/one".into(), ..Program::default() };
        let placed = place(&program, Path::new("/c"), "-javaagent:{byteman}=script:{folder}/a.btm,{classes}{");
        let jar = jars::folder().join("byteman.jar");
        assert_eq!(placed, format!("-javaagent:{}=script:/p/one/a.btm,/c{{", jar.display()));
    }
}
