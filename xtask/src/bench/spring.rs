//! The second program of start-up: a Spring Boot application (web, JPA, H2) that asks itself for
//! one page.
//!
//! As Spring Boot packs it, a *fat* jar whose libraries are jars within it, loaded by
//! `spring-boot-loader`; and *extracted*, the libraries beside the program, as
//! `java -Djarmode=tools extract` lays them out. Invariant: both are made of pinned jars and the
//! sources here.
//! Source: docs.spring.io, "The Executable Jar Format".

use std::fs;
use std::path::{Path, PathBuf};

use super::fork::{Command, Job};
use super::section::Section;
use crate::{Result, jars, jdk, process, tree};

const FOLDER: &str = "dacapo-harness/spring";
const TABLE: &str = "dacapo-harness/spring/jars.txt";
/// The one that loads the others, and whose classes lie in the fat jar itself.
const LOADER: &str = "spring-boot-loader-";
/// What Spring Boot 3 needs.
const OLDEST: u32 = 17;

/// Its two jobs; makes the jars first. None on a JVM that is too old.
///
/// # Errors
/// One line: a jar cannot be had, or the JDK's tools failed.
pub fn jobs(java: &Path, feature: u32) -> Result<Vec<Job>> {
    if feature < OLDEST {
        return Ok(Vec::new());
    }
    let (fat, extracted) = make()?;
    let job = |name: &str, jar| Job {
        section: Section::Startup,
        name: format!("Spring Boot, {name} (CPU)"),
        turns: Vec::new(),
        java: java.into(),
        command: Command::Service { jar },
    };
    Ok(vec![job("fat jar", fat), job("extracted", extracted)])
}

/// The fat jar, and that of the extracted layout.
fn make() -> Result<(PathBuf, PathBuf)> {
    let table = jars::tables(&[TABLE])?;
    jars::fetch(table.values())?;
    let folder = tree::cache().join("bench/spring");
    let _ = fs::remove_dir_all(&folder);
    let (classes, packed, libraries) = (folder.join("classes"), folder.join("packed"), folder.join("extracted/lib"));
    let inner = packed.join("BOOT-INF/lib");
    for made in [&classes, &inner, &libraries] {
        fs::create_dir_all(made).map_err(|e| format!("cannot make {}: {e}", made.display()))?;
    }
    let bin = jdk::default()?.home.join("bin");
    let class_path =
        std::env::join_paths(table.values().map(jars::Jar::file)).map_err(|e| format!("class path: {e}"))?;
    let sources = tree::root().join(FOLDER).join("java/bench/spring");
    let sources = ["Item", "Items", "Main", "Pages"].map(|name| sources.join(format!("{name}.java")));
    let mut compiler = process::command(bin.join("javac"));
    compiler.args(["--release", "17", "-g", "-parameters", "-proc:none", "-cp"]).arg(class_path);
    process::run(compiler.arg("-d").arg(&classes).args(sources))?;
    tree::copy(&tree::root().join(FOLDER).join("application.properties"), &classes.join("application.properties"))?;

    let mut listed = String::new();
    for (name, jar) in &table {
        if name.starts_with(LOADER) {
            process::run(process::command(bin.join("jar")).current_dir(&packed).arg("-xf").arg(jar.file()).arg("org"))?;
            continue;
        }
        let file = format!("{name}.jar");
        tree::copy(&jar.file(), &inner.join(&file))?;
        tree::copy(&jar.file(), &libraries.join(&file))?;
        // A line has 72 bytes at most, and goes on behind a blank, which is none of its text.
        listed += &format!("\n  lib/{file}");
    }
    let manifest = folder.join("manifest");
    let write =
        |text: &str| fs::write(&manifest, text).map_err(|e| format!("cannot write {}: {e}", manifest.display()));
    let tool = |mode: &[&str], jar: &Path| {
        let mut tool = process::command(bin.join("jar"));
        tool.args(mode).arg("-f").arg(jar);
        tool
    };

    write(
        "Main-Class: org.springframework.boot.loader.launch.JarLauncher\nStart-Class: bench.spring.Main\n\
         Spring-Boot-Classes: BOOT-INF/classes/\nSpring-Boot-Lib: BOOT-INF/lib/\n",
    )?;
    tree::copy_folder(&classes, &packed.join("BOOT-INF/classes"), &[])?;
    let fat = folder.join("fat.jar");
    let mut pack = tool(&["-c"], &fat);
    process::run(
        pack.arg("-m").arg(&manifest).arg("-C").arg(&packed).arg("org").arg("-C").arg(&packed).arg("BOOT-INF/classes"),
    )?;
    // The loader reads jars within the jar only where they are stored.
    process::run(tool(&["-u", "-0"], &fat).arg("-C").arg(&packed).arg("BOOT-INF/lib"))?;

    write(&format!("Main-Class: bench.spring.Main\nClass-Path: {listed}\n"))?;
    let extracted = folder.join("extracted/application.jar");
    process::run(tool(&["-c"], &extracted).arg("-m").arg(&manifest).arg("-C").arg(&classes).arg("."))?;
    Ok((fat, extracted))
}
