//! `cargo xtask demo`: a database under the agent, the contexts that allocated most, and a report
//! to look at.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{Result, build, jars, jdk, jvms, process, tree};

/// A check by the oracle at every so many entries, beside those at first uses.
const VERIFY_INTERVAL: u32 = 1000;

/// Of how many contexts the full traces are shown, below the screen that shortens them.
const FULL_TRACES: &str = "3";

/// Runs H2 on the default JDK, or on the runtime of that feature release, and decodes the log.
///
/// # Errors
/// One line for the first step that failed.
pub fn run(feature: Option<&str>) -> Result<()> {
    let (log, page) = (tree::cache().join("demo/events.log"), tree::cache().join("demo/report.html"));
    shop(feature, &format!("alloc=512k,cpu=10ms,async=on,verify={VERIFY_INTERVAL}"), &log)?;
    let decode = tree::release("lucce-decode");
    println!("\n$ lucce-decode {}", tree::shown(&log));
    process::run(process::command(&decode).arg(&log))?;
    println!("\n$ lucce-decode top -n {FULL_TRACES} {}", tree::shown(&log));
    process::run(process::command(&decode).args(["top", "-n"]).arg(FULL_TRACES).arg(&log))?;
    println!("\n$ lucce-decode report {} -o {}", tree::shown(&log), tree::shown(&page));
    process::run(process::command(&decode).arg("report").arg(&log).arg("-o").arg(&page))?;

    let size = fs::metadata(&log).map_err(|e| format!("no log at {}: {e}", log.display()))?.len();
    println!("\nlog      {} ({} KiB)", tree::shown(&log), size.div_ceil(1024));
    for (what, file) in [
        ("agent", tree::release("liblucce.so")),
        ("decoder", decode),
        ("program", tree::root().join("xtask/demo/src/main/java/demo/Shop.java")),
    ] {
        println!("{what:8} {}", tree::shown(&file));
    }
    println!("report   open it in a browser: file://{}", page.display());
    Ok(())
}

/// Builds what is needed, and runs H2 under the agent with these options; what it logs is in `log`
/// then.
///
/// # Errors
/// One line for the first step that failed.
pub fn shop(feature: Option<&str>, options: &str, log: &Path) -> Result<()> {
    let java = java(feature)?;
    let h2 = jars::named("h2")?;
    build::java(&[":demo:classes"])?;
    build::native()?;
    let folder = log.parent().unwrap_or(log);
    fs::create_dir_all(folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
    let _ = fs::remove_file(log);
    let classes = tree::root().join("xtask/demo/build/classes/java/main");
    let agent = tree::release("liblucce.so");
    let agent_path = format!("-agentpath:{}=file={},{options}", agent.display(), log.display());
    let class_path = format!("{}:{}", h2.display(), classes.display());
    let mut program = process::command(&java);
    program.arg(&agent_path).args(["-cp", &class_path, "demo.Shop"]);
    println!("\n$ {} {} -cp h2.jar:demo demo.Shop", java.display(), agent_path);
    process::run(&mut program)
}

/// The `java` to run on.
fn java(feature: Option<&str>) -> Result<PathBuf> {
    let Some(feature) = feature else { return Ok(jdk::default()?.java()) };
    let runtime = jvms::matrix().find(|runtime| runtime.feature.to_string() == feature);
    let known = || jvms::matrix().map(|runtime| runtime.feature.to_string()).collect::<Vec<_>>().join(", ");
    let runtime = runtime.ok_or_else(|| format!("no runtime {feature} for this machine: there are {}", known()))?;
    runtime.fetch()?;
    Ok(runtime.java())
}
