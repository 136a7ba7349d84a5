//! One run of a program under this agent's `cpu` and async-profiler at once.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use super::fork::FLAGS;
use super::inputs::JARS;
use super::{loaded, programs};
use crate::{Result, build, jars, process, tree};

/// What the two have written.
#[derive(Debug)]
pub struct Profiled {
    /// Our log.
    pub log: PathBuf,
    /// Collapsed stacks of the other.
    pub collapsed: PathBuf,
}

/// Runs a program of the list in `folder`.
///
/// # Errors
/// One line: a step of the set-up, or the program, that failed.
pub fn run(name: &str, java: &Path, folder: &Path) -> Result<Profiled> {
    jars::fetch(jars::tables(&JARS)?.values())?;
    build::java(&[":dacapo-harness:classes"])?;
    let program = programs::named(&[name.to_owned()])?.into_iter().next().ok_or("no such program")?;
    let (log, collapsed) = (folder.join(format!("{name}.log")), folder.join(format!("{name}.collapsed")));
    let ours = format!("-agentpath:{}=quiet,file={},cpu=1ms", tree::release("liblucce.so").display(), log.display());
    let theirs = format!(
        "-agentpath:{}=start,event=ctimer,interval=1ms,jstackdepth=2048,collapsed,dot,file={}",
        loaded::profiler()?.display(),
        collapsed.display()
    );
    let class_path = std::env::join_paths(program.class_path()).map_err(|e| format!("class path: {e}"))?;
    let mut run = process::command(java);
    run.current_dir(folder).args(FLAGS).args([ours, theirs]).arg("-cp").arg(class_path);
    run.args(["bench.Main", program.class, &program.iterations.0.to_string()]);
    run.arg(folder.join("work")).arg(jars::folder()).stdin(Stdio::null());
    let out = run.output().map_err(|e| format!("cannot run java: {e}"))?;
    if !out.status.success() {
        let errors = String::from_utf8_lossy(&out.stderr).into_owned();
        return Err(format!("{name} fails: {}", errors.lines().last().unwrap_or("it said nothing")));
    }
    Ok(Profiled { log, collapsed })
}
