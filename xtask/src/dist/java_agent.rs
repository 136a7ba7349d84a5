//! The packed jar `lucce-agent`, as a Java agent and as a program, in each JVM of the test matrix.
//!
//! Invariant: only the jar is used, no other file of the archive. Source: docs/guide/install.md.

use std::fs;
use std::path::Path;

use crate::{Result, build, jvms, process, tree};

/// The program of the tests that is the user's.
const MAIN: &str = "leaks.SessionCache";
/// A method of it that allocates most.
const HOT: &str = "leaks.Service.garbage(Service.java:";

/// Records a program with the jar as its agent, every check of `verify=1` at work, and has the
/// jar's own decoder read the log.
///
/// # Errors
/// One line: the JVM or the decoder fails, the log does not name what allocates, or a file is left.
pub fn try_out(jar: &Path) -> Result<()> {
    let classes = tree::root().join("jvm-tests/build/classes/java/main");
    if !classes.join("leaks/SessionCache.class").is_file() {
        build::test_programs(&[])?;
    }
    let folder = std::env::temp_dir().join(format!("lucce-java-agent-{}", std::process::id()));
    let temporary = folder.join("tmp");
    fs::create_dir_all(&temporary).map_err(|e| format!("cannot make {}: {e}", temporary.display()))?;
    let done = jvms::matrix().try_for_each(|jvm| record(jar, &jvm.java(), &classes, (&folder, &temporary)));
    let _ = fs::remove_dir_all(&folder);
    done
}

fn record(jar: &Path, java: &Path, classes: &Path, (folder, temporary): (&Path, &Path)) -> Result<()> {
    let log = folder.join("app.log");
    let java = || {
        let mut command = process::command(java);
        command.arg(format!("-Djava.io.tmpdir={}", temporary.display()));
        command
    };
    let agent = format!("-javaagent:{}=file={},alloc=64k,verify=1,quiet", jar.display(), log.display());
    process::run(java().arg(agent).arg("-cp").arg(classes).arg(MAIN))?;
    let decoded = |command: &str| process::output(java().arg("-jar").arg(jar).arg(command).arg(&log));
    let (stats, top) = (decoded("stats")?, decoded("top")?);
    let agree = stats.lines().any(|line| line.split_whitespace().eq(["verify.mismatches", "0"]));
    if !agree || !top.contains(HOT) {
        return Err(format!("the log of {} does not name {HOT}, or has mismatches:\n{top}\n{stats}", tree::shown(jar)));
    }
    match fs::read_dir(temporary).map(|mut left| left.next().is_some()) {
        Ok(false) => Ok(()),
        _ => Err(format!("{} has left files in {}", tree::shown(jar), temporary.display())),
    }
}
