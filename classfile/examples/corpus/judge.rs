//! A JVM's verdict on the classes before and after.
//!
//! Invariant: both runs see the same classes, loaders and class path; only the bytes differ.
//! Source: JVMS 4.10, 5.4.1.

use crate::Arguments;
use crate::sources::Class;
use lucce_classfile::add_thread_state;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn run(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("{command:?}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}")) }
}

fn text(error: std::io::Error) -> String {
    error.to_string()
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/corpus")
}

/// Compiles the linker into `work/tool`, once for each JDK.
fn tool(java: &Path, work: &Path) -> Result<PathBuf, String> {
    let tool = work.join("tool");
    fs::create_dir_all(&tool).map_err(text)?;
    let options = ["-nowarn", "-Xlint:-options", "--release", "11", "-d"];
    run(Command::new(java.join("bin/javac")).args(options).arg(&tool).arg(sources().join("Link.java")))?;
    let manifest = work.join("manifest");
    fs::write(&manifest, "Premain-Class: Link\nCan-Redefine-Classes: true\n").map_err(text)?;
    let jar = work.join("link.jar");
    run(Command::new(java.join("bin/jar")).arg("cfm").arg(&jar).arg(&manifest).arg("-C").arg(&tool).arg("."))?;
    Ok(jar)
}

/// Writes all classes of a JDK's run-time image below `image`.
pub fn dump(java: &Path, work: &Path, image: &Path) -> Result<(), String> {
    if image.exists() {
        return Ok(());
    }
    fs::create_dir_all(work).map_err(text)?;
    let jar = tool(java, work)?;
    run(Command::new(java.join("bin/java")).arg("-cp").arg(jar).args(["Link", "dump"]).arg(image))
}

/// `java.base` with thread state and empty hooks, to be patched in.
fn patch(java: &Path, work: &Path) -> Result<PathBuf, String> {
    let patch = work.join("patch");
    let lang = patch.join("java/lang");
    fs::create_dir_all(&lang).map_err(text)?;
    let source = sources().join("LucceHooks.java");
    let options = ["-nowarn", "-Xlint:-options", "-source", "11", "-target", "11", "--patch-module"];
    let module = format!("java.base={}", sources().display());
    run(Command::new(java.join("bin/javac")).args(options).arg(module).arg("-d").arg(&patch).arg(source))?;
    let image = work.join("thread");
    if !image.exists() {
        dump(java, work, &image)?;
    }
    let thread = fs::read(image.join("java.base/java/lang/Thread.class")).map_err(text)?;
    let thread = add_thread_state(&thread).map_err(|reason| reason.to_string())?;
    fs::write(lang.join("Thread.class"), thread).map_err(text)?;
    Ok(patch)
}

/// Links both versions and prints every difference. True if there is none.
pub fn judge(
    java: &Path,
    work: &Path,
    classes: &[Class],
    rewritten: &[Option<Vec<u8>>],
    arguments: &Arguments,
) -> Result<bool, String> {
    fs::create_dir_all(work).map_err(text)?;
    let jar = tool(java, work)?;
    let patch = format!("--patch-module=java.base={}", patch(java, work)?.display());
    let verdicts = |which: &str, new: bool| -> Result<BTreeMap<String, String>, String> {
        let dir = work.join(which);
        if dir.exists() {
            fs::remove_dir_all(&dir).map_err(text)?;
        }
        for (class, rewritten) in classes.iter().zip(rewritten) {
            let path = dir.join(&class.path);
            fs::create_dir_all(path.parent().unwrap_or(&dir)).map_err(text)?;
            let bytes = rewritten.as_ref().filter(|_| new).unwrap_or(&class.bytes);
            fs::write(path, bytes).map_err(text)?;
        }
        let out = work.join(format!("{which}.txt"));
        let mut command = Command::new(java.join("bin/java"));
        command.args(["-Xverify:all", "-XX:-UsePerfData", "-Xshare:off", "-XX:TieredStopAtLevel=1", &patch]);
        if arguments.jdk {
            command.arg(format!("-javaagent:{}", jar.display())).args(["--add-modules", "ALL-SYSTEM"]);
        }
        command.arg("-cp").arg(&jar).arg("Link").arg(if arguments.jdk { "redefine" } else { "link" });
        run(command.arg(&dir).arg(&out).arg(&arguments.cp))?;
        let lines = fs::read_to_string(&out).map_err(text)?;
        let pairs = lines.lines().filter_map(|line| line.split_once('\t'));
        Ok(pairs.map(|(name, verdict)| (name.to_owned(), verdict.to_owned())).collect())
    };
    let (before, after) = (verdicts("before", false)?, verdicts("after", true)?);
    let linked = before.values().filter(|verdict| *verdict == "ok").count();
    let mut differences = 0;
    for (name, verdict) in &before {
        let new = after.get(name).map_or("missing", String::as_str);
        if new != verdict {
            differences += 1;
            if differences <= 40 {
                println!("  {name}: {verdict} -> {new}");
            }
        }
    }
    println!("  linked {linked} of {}, {differences} differences", before.len());
    Ok(differences == 0)
}
