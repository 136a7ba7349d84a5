//! One run of a program under this agent's `cpu` and async-profiler at once.

use std::path::{Path, PathBuf};

use super::inputs::JARS;
use super::{loaded, programs};
use crate::{Result, build, jars, tree};

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
    let theirs = loaded::ctimer("1ms", &collapsed)?;
    program.finish(java, folder, &[ours, theirs], program.iterations.0)?;
    Ok(Profiled { log, collapsed })
}
