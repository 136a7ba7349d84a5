//! `cargo xtask corpus`: the class-file rewriter over every class of the JDKs at hand and of well-known jars.
//!
//! The runner (`classfile/examples/corpus`) judges: identity gives the same bytes, and each class links under `-Xverify:all` exactly
//! when it did before.

use std::path::PathBuf;

use crate::{Result, jars, jdk, process};

const TABLE: &str = "xtask/corpus.txt";

/// Runs each JDK's own modules on that JDK, then all jars of the table on the default one; `args` go to the runner (`--alloc`, `--guard`).
///
/// # Errors
/// One line saying how many runs found something; the findings are above it.
pub fn run(args: &[&str]) -> Result<()> {
    let default = jdk::default()?;
    let table = jars::tables(&[TABLE])?;
    jars::fetch(table.values())?;
    let jars: Vec<PathBuf> = table.values().map(jars::Jar::file).collect();
    let mut failed = Vec::new();
    for jdk in jdk::all() {
        println!("\nmodules of JDK {} ({})", jdk.feature, jdk.home.display());
        failed.extend(runner(&jdk, &["--jdk"], args, std::slice::from_ref(&jdk.home)).err());
    }
    println!("\n{} jars on JDK {}", jars.len(), default.feature);
    failed.extend(runner(&default, &[], args, &jars).err());
    failed.into_iter().reduce(|all, one| format!("{all}; {one}")).map_or(Ok(()), Err)
}

fn runner(jdk: &jdk::Jdk, kind: &[&str], args: &[&str], sources: &[PathBuf]) -> Result<()> {
    process::run(
        process::cargo()
            .args(["run", "--quiet", "--release", "-p", "lucce-classfile", "--example", "corpus", "--"])
            .args(kind)
            .arg("--java")
            .arg(&jdk.home)
            .args(args)
            .args(sources),
    )
    .map_err(|_| format!("the corpus runner found something on JDK {}", jdk.feature))
}
