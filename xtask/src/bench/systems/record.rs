//! Records a program's trace, with `encoder=cct,trace=<file>`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use super::super::fork::FLAGS;
use super::{Options, Program};
use crate::{Result, jars, process, tree};

/// A trace that was recorded.
pub struct Recorded {
    pub file: PathBuf,
    pub bytes: u64,
}

/// Runs the program a few times under the agent, unless its trace was kept.
///
/// # Errors
/// One line: the program failed, or the trace is not whole.
pub fn record(program: &Program, java: &Path, options: &Options, scratch: &Path) -> Result<Recorded> {
    let folder = options.traces.as_deref().unwrap_or(scratch);
    fs::create_dir_all(folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
    let file = folder.join(format!("{}.trace", program.name));
    if options.traces.is_some()
        && let Ok(kept) = fs::metadata(&file)
    {
        return Ok(Recorded { file, bytes: kept.len() });
    }
    let _ = fs::remove_file(&file);
    let agent = format!(
        "-agentpath:{}=file={},encoder=cct,cct-memory=2047m,trace={}",
        tree::release("liblucce.so").display(),
        scratch.join(format!("{}.log", program.name)).display(),
        file.display()
    );
    let class_path = std::env::join_paths(program.class_path()).map_err(|e| format!("class path: {e}"))?;
    let mut run = process::command(java);
    run.current_dir(scratch).args(FLAGS).arg(agent).arg("-cp").arg(class_path);
    run.args(["bench.Main", program.class, &options.iterations.to_string()]);
    run.arg(scratch.join("work")).arg(jars::folder()).stdin(Stdio::null());
    let out = run.output().map_err(|e| format!("cannot run java: {e}"))?;
    let errors = String::from_utf8_lossy(&out.stderr).into_owned();
    if !out.status.success() {
        return Err(format!("{} fails: {}", program.name, errors.lines().last().unwrap_or("it said nothing")));
    }
    if let Some(line) = errors.lines().find(|line| line.contains("the trace") && line.contains("ends here")) {
        return Err(format!("{}: {line}", program.name));
    }
    let bytes = fs::metadata(&file).map_err(|e| format!("{}: no trace: {e}", program.name))?.len();
    let _ = fs::remove_dir_all(scratch.join("work"));
    Ok(Recorded { file, bytes })
}
