//! Records a program's trace, with `encoder=cct,trace=<file>`.

use std::fs;
use std::path::{Path, PathBuf};

use super::{BenchProgram, SystemsOptions};
use crate::{Result, tree};

/// Of a program, where no number was named.
const ITERATIONS: u32 = 2;

/// A trace that was recorded.
pub struct Recorded {
    pub file: PathBuf,
    pub bytes: u64,
}

/// Runs the program a few times under the agent, unless its trace was kept.
///
/// # Errors
/// One line: the program failed, or the trace is not whole.
pub fn record(program: &BenchProgram, java: &Path, options: &SystemsOptions, scratch: &Path) -> Result<Recorded> {
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
    let errors = program.finish(java, scratch, &[agent], options.iterations.unwrap_or(ITERATIONS))?;
    if let Some(line) = errors.lines().find(|line| line.contains("the trace") && line.contains("ends here")) {
        return Err(format!("{}: {line}", program.name));
    }
    let bytes = fs::metadata(&file).map_err(|e| format!("{}: no trace: {e}", program.name))?.len();
    Ok(Recorded { file, bytes })
}
