//! `cargo xtask bench --service [MINUTES]`: an embedded Tomcat under load, with a profile, and the
//! memory that it holds as time goes by.
//!
//! Invariant: the Java heap has one size and is touched at the start, so what grows is native
//! memory. The last lines are the answer of the running agent to the question which contexts run
//! most.
//! Source: docs/guide/profiles.md, "Memory"; proc(5), `status`.

use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use super::inputs::JARS;
use super::programs;
use crate::{Result, build, jars, jvms, process, tree};

/// How long, unless it is said.
const MINUTES: u64 = 30;
/// What is sampled, and how many contexts are counted.
const OPTIONS: &str = "profile=10ms,hot=1e-4";
const FEATURE: u32 = 17;

/// Runs it and prints a line each minute.
///
/// # Errors
/// One line: a wrong argument, a step of the set-up that failed, or a service that ended.
pub fn run(args: &[&str]) -> Result<()> {
    let minutes = match args {
        [] => Some(MINUTES),
        [minutes] => minutes.parse().ok().filter(|minutes| *minutes > 0),
        _ => None,
    };
    let minutes = minutes.ok_or("--service wants a number of minutes, such as 30")?;
    jars::fetch(jars::tables(&JARS)?.values())?;
    build::java(&[":dacapo-harness:classes"])?;
    build::native()?;
    let runtime = jvms::matrix().find(|runtime| runtime.feature == FEATURE).ok_or("no such JVM in the matrix")?;
    runtime.fetch()?;
    let folder = tree::cache().join("bench/service");
    fs::create_dir_all(&folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
    let socket = folder.join("socket");
    let mut child = start(&runtime.java(), &folder, &socket)?;
    let printed = watch(&mut child, &socket, minutes);
    // It runs until it is told to end, and has been told enough.
    let _ = child.kill();
    let _ = child.wait();
    let _ = fs::remove_file(&socket);
    printed
}

fn start(java: &Path, folder: &Path, socket: &Path) -> Result<Child> {
    let program = programs::named(&["tomcat".to_owned()])?.into_iter().next().ok_or("no such program")?;
    let (agent, log) = (tree::release("liblucce.so"), folder.join("service.log"));
    let agent =
        format!("-agentpath:{}=quiet,file={},control={},{OPTIONS}", agent.display(), log.display(), socket.display());
    let mut java = program.java(java, folder, &["-XX:+AlwaysPreTouch".into(), agent], programs::ENDLESS)?;
    java.stdout(Stdio::null()).stderr(Stdio::null());
    java.spawn().map_err(|e| format!("cannot run java: {e}"))
}

fn watch(child: &mut Child, socket: &Path, minutes: u64) -> Result<()> {
    println!("tomcat under load, {OPTIONS}; the Java heap takes 1024 MiB of this memory");
    println!("\n| minute | resident, MiB | samples | captured contexts |\n|---|---|---|---|");
    let began = Instant::now();
    for minute in 1..=minutes {
        thread::sleep(Duration::from_secs(60 * minute).saturating_sub(began.elapsed()));
        if let Some(status) = child.try_wait().map_err(|e| format!("cannot wait: {e}"))? {
            return Err(format!("the service has ended: {status}"));
        }
        let stats = ctl(socket, "stats")?;
        let [samples, captured] = ["tally.profile", "contexts.captured"].map(|name| counter(&stats, name));
        println!("| {minute} | {} | {samples} | {captured} |", resident(child.id())? >> 10);
    }
    ctl(socket, "flush")?;
    println!("\n{}", ctl(socket, "hot 0.02")?);
    Ok(())
}

/// Resident memory that no file stands behind, in KiB.
fn resident(pid: u32) -> Result<u64> {
    let path = format!("/proc/{pid}/status");
    let text = fs::read_to_string(&path).map_err(|e| format!("cannot read {path}: {e}"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("RssAnon:")?.split_whitespace().next()?.parse().ok());
    line.ok_or_else(|| format!("no RssAnon in {path}"))
}

fn ctl(socket: &Path, command: &str) -> Result<String> {
    let mut decode = process::command(tree::release("lucce-decode"));
    process::output(decode.arg("ctl").arg(socket).args(command.split(' ')))
}

fn counter<'a>(stats: &'a str, name: &str) -> &'a str {
    let line = stats.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_is_a_number_of_minutes() {
        for wrong in [&["0"][..], &["long"], &["1", "2"]] {
            assert!(run(wrong).is_err_and(|line| line.contains("number of minutes")), "{wrong:?}");
        }
    }

    #[test]
    fn a_counter_is_found_by_its_whole_name() {
        let stats = "tally.profile.lost 3\ntally.profile 7\n";
        assert_eq!([counter(stats, "tally.profile"), counter(stats, "tally")], ["7", "-"]);
    }

    #[test]
    fn this_process_holds_something() {
        assert!(resident(std::process::id()).is_ok_and(|kib| kib > 0));
    }
}
