//! Compiles the driver of a program against its jars.

use std::fs;
use std::path::{Path, PathBuf};

use super::program::Program;
use crate::{Result, build, jdk, process, tree};

/// The class path of the program: its driver's classes, which are compiled here, then its jars.
///
/// # Errors
/// One line when the compiler finds something; what that is stands above it.
pub fn compiled(program: &Program, jars: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let classes = tree::cache().join("programs").join(&program.name).join("classes");
    let _ = fs::remove_dir_all(&classes);
    fs::create_dir_all(&classes).map_err(|e| format!("cannot make {}: {e}", classes.display()))?;
    let class_path: Vec<PathBuf> =
        [classes.clone()].into_iter().chain(jars.iter().cloned()).chain([tree::root().join(build::API_JAR)]).collect();
    let sources = sources(&program.sources);
    if !sources.is_empty() {
        let mut javac = process::command(compiler(program.release)?);
        javac.args(["-g", "-nowarn", "-encoding", "UTF-8", "--release", &program.release.to_string()]);
        if !program.processors {
            javac.arg("-proc:none");
        }
        javac.arg("-cp").arg(joined(&class_path)?).arg("-d").arg(&classes).args(&sources);
        process::run(&mut javac).map_err(|_| format!("the driver of {} does not compile: see above", program.name))?;
    }
    copy_resources(&program.sources, &classes)?;
    Ok(class_path)
}

/// The `javac` of the default JDK, or of the first that knows this release.
fn compiler(release: u32) -> Result<PathBuf> {
    let default = jdk::default()?;
    let jdk = jdk::all().into_iter().find(|jdk| jdk.feature >= release);
    let jdk = [default].into_iter().filter(|jdk| jdk.feature >= release).chain(jdk).next();
    jdk.map(|jdk| jdk.home.join("bin/javac")).ok_or_else(|| format!("a JDK {release} or later is needed to compile"))
}

/// As the JVM wants it.
///
/// # Errors
/// One line: a path holds a colon.
pub fn joined(class_path: &[PathBuf]) -> Result<std::ffi::OsString> {
    std::env::join_paths(class_path).map_err(|e| format!("no class path: {e}"))
}

/// Those of a folder, or the one file.
fn sources(folder: &Path) -> Vec<PathBuf> {
    if folder.is_file() {
        return vec![folder.into()];
    }
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut sources: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|e| e == "java")).collect();
    sources.sort();
    sources
}

/// Copies the folder `META-INF`, where there is one: what agents and libraries look for on the
/// class path.
fn copy_resources(folder: &Path, classes: &Path) -> Result<()> {
    let from = folder.join("META-INF");
    if from.is_dir() { tree::copy_folder(&from, &classes.join("META-INF"), &[]) } else { Ok(()) }
}
