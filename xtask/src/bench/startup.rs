//! Start-up: a generated application of 5 000 classes, from the start of its JVM to its first
//! result.
//!
//! Behind it a service as people write them ([`spring`]), by its processor time.
//!
//! Against no agent with the JVM's archive of classes, and without: an agent that sees classes
//! early switches the archive off.

use std::path::{Path, PathBuf};

use super::configurations::{self, ALL_HOOKS, BASE, BASE_WITHOUT_CDS, CACHED, CACHING, Configuration, LUCCE, WALKED};
use super::fork::{Command, Job};
use super::section::Section;
use super::spring;
use crate::{Result, jars, process, tree};

/// Classes of the application.
const CLASSES: &str = "5000";

/// What it is run under.
///
/// # Errors
/// None but a list that lacks one.
pub fn configurations() -> Result<Vec<&'static Configuration>> {
    configurations::named(&[
        BASE,
        BASE_WITHOUT_CDS,
        "encoder=none",
        LUCCE,
        CACHED,
        CACHING,
        ALL_HOOKS,
        "encoder=pcc",
        "encoder=cct",
        "lucce,alloc=512k",
        WALKED,
        "lucce,exceptions",
        "lucce,locks",
    ])
}

/// Its job, and those of the service; makes their jars first.
///
/// # Errors
/// One line: the generator failed.
pub fn jobs(java: &Path, feature: u32) -> Result<Vec<Job>> {
    let jar = tree::cache().join("bench/application.jar");
    let part = jar.with_extension("part");
    process::run(
        process::command(java).arg("-cp").arg(class_path()?).arg("bench.startup.Generate").arg(&part).arg(CLASSES),
    )?;
    std::fs::rename(&part, &jar).map_err(|e| format!("cannot write {}: {e}", jar.display()))?;
    let name = format!("{CLASSES} classes");
    let generated = Job {
        section: Section::Startup,
        name,
        turns: Vec::new(),
        java: java.into(),
        command: Command::Startup { jar, class: "app.Main" },
    };
    let mut jobs = spring::jobs(java, feature)?;
    jobs.insert(0, generated);
    Ok(jobs)
}

/// The harness with ASM.
///
/// # Errors
/// One line: a folder whose name cannot stand in a class path.
pub fn class_path() -> Result<std::ffi::OsString> {
    let jar = |name: &str| jars::folder().join(format!("{name}.jar"));
    let parts: [PathBuf; 3] =
        [tree::root().join("dacapo-harness/build/classes/java/main"), jar("asm-9.7.1"), jar("asm-commons-9.7.1")];
    std::env::join_paths(parts).map_err(|e| format!("class path: {e}"))
}
