//! A JVM's verdict on the classes before and after.
//!
//! Invariant: both runs see the same classes, loaders and class path; only the bytes differ.
//! Source: JVMS 4.10, 5.4.1.

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

/// Where the classes of a source are linked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In the JDK whose run-time image they are of.
    Image,
    /// In a class loader of their own.
    Loader,
}

/// What a JVM made of the classes.
pub struct Verdict {
    /// Classes that link as they were.
    pub linked: usize,
    /// Classes that link otherwise when rewritten.
    pub differences: usize,
}

/// A JDK with the linker compiled and `java.base` patched for it.
pub struct JudgingJvm {
    home: PathBuf,
    /// The linker.
    jar: PathBuf,
    /// Thread state, empty hooks and counts.
    patch: PathBuf,
}

impl JudgingJvm {
    /// Prepares a JDK below `work`.
    pub fn prepare(home: &Path, work: &Path) -> Result<Self, String> {
        let name = home.file_name().map_or("jdk".into(), |name| name.to_string_lossy().into_owned());
        let work = work.join(format!("{name}.tool"));
        let classes = work.join("classes");
        fs::create_dir_all(&classes).map_err(text)?;
        let jar = work.join("link.jar");
        let jvm = Self { home: home.to_owned(), jar, patch: work.join("patch") };
        let options = ["-nowarn", "-Xlint:-options", "--release", "11", "-d"];
        run(jvm.command("javac").args(options).arg(&classes).arg(sources().join("Link.java")))?;
        let manifest = work.join("manifest");
        fs::write(&manifest, "Premain-Class: Link\nCan-Redefine-Classes: true\n").map_err(text)?;
        run(jvm.command("jar").arg("cfm").arg(&jvm.jar).arg(&manifest).arg("-C").arg(&classes).arg("."))?;
        jvm.compile_patch(&work)?;
        Ok(jvm)
    }

    fn command(&self, tool: &str) -> Command {
        Command::new(self.home.join("bin").join(tool))
    }

    /// Writes the classes of the run-time image whose path contains `part` below `to`.
    pub fn dump(&self, part: &str, to: &Path) -> Result<(), String> {
        run(self.command("java").arg("-cp").arg(&self.jar).args(["Link", "dump"]).arg(to).arg(part))
    }

    /// The folder with every class of the run-time image: below `work`, and written anew when the
    /// JDK is another one.
    pub fn image(&self, work: &Path) -> Result<PathBuf, String> {
        let work = work.join(self.home.file_name().unwrap_or_default());
        let (image, stamp) = (work.join("image"), work.join("image-is-of"));
        let release = fs::read(self.home.join("release")).map_err(text)?;
        if fs::read(&stamp).ok().as_ref() != Some(&release) {
            if image.exists() {
                fs::remove_dir_all(&image).map_err(text)?;
            }
            self.dump("", &image)?;
            fs::write(&stamp, release).map_err(text)?;
        }
        Ok(image)
    }

    fn compile_patch(&self, work: &Path) -> Result<(), String> {
        let lang = self.patch.join("java/lang");
        fs::create_dir_all(&lang).map_err(text)?;
        let options = ["-nowarn", "-Xlint:-options", "-source", "11", "-target", "11", "--patch-module"];
        let module = format!("java.base={}", sources().display());
        let hooks = ["LucceHooks", "LucceLazyEntry", "LucceShadowStack", "LucceOrigins", "LucceTallies"];
        let hooks = hooks.map(|class| sources().join(format!("{class}.java")));
        run(self.command("javac").args(options).arg(module).arg("-d").arg(&self.patch).args(hooks))?;
        self.dump("java/lang/Thread.class", &work.join("image"))?;
        let thread = fs::read(work.join("image/java.base/java/lang/Thread.class")).map_err(text)?;
        let thread = add_thread_state(&thread).map_err(|reason| reason.to_string())?;
        fs::write(lang.join("Thread.class"), thread.bytes).map_err(text)
    }
}

/// Links both versions and prints the differences. If there are any, the classes stay for a closer
/// look.
pub fn judge(
    jvm: &JudgingJvm,
    place: Place,
    work: &Path,
    classes: &[Class],
    rewritten: &[Option<Vec<u8>>],
    cp: &str,
) -> Result<Verdict, String> {
    fs::create_dir_all(work).map_err(text)?;
    let patch = format!("--patch-module=java.base={}", jvm.patch.display());
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
        let mut command = jvm.command("java");
        command.args(["-Xverify:all", "-XX:-UsePerfData", "-Xshare:off", "-XX:TieredStopAtLevel=1", &patch]);
        if place == Place::Image {
            command.arg(format!("-javaagent:{}", jvm.jar.display())).args(["--add-modules", "ALL-SYSTEM"]);
        }
        command.arg("-cp").arg(&jvm.jar).arg("Link").arg(if place == Place::Image { "redefine" } else { "link" });
        run(command.arg(&dir).arg(&out).arg(cp))?;
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
    if differences == 0 {
        for which in ["before", "after"] {
            fs::remove_dir_all(work.join(which)).map_err(text)?;
        }
    }
    Ok(Verdict { linked, differences })
}
