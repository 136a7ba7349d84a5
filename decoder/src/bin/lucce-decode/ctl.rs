//! `ctl`: one command to a running agent, through its socket.
//!
//! Invariant: exit status 0 if the agent has done it, 1 if it says why not or does not answer, 2 if
//! there is no agent to ask. The agent that is asked is that of the process that was named, or
//! none.
//! Source: docs/guide/production.md.

use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;

use crate::plain::plain;

/// How long an answer may take: a large program's classes are restored in seconds.
const PATIENCE: Duration = Duration::from_secs(120);
/// And that of what is known at once.
const QUICK: Duration = Duration::from_secs(5);

/// Controls a running agent.
#[derive(Debug, Parser)]
#[command(after_help = "Commands:
  status         what runs, and where its log is
  stats          all counters
  flush          everything recorded so far is on the disk
  hot [SHARE]    with profile: the contexts that run most right now, with bounds
  rotate         go on in the next file
  start          rewrite what is loaded (start=off), or take events again
  start SOURCE   take the events of one source again: alloc, exceptions, locks, cpu, entries,
                 profile, events, leaks
  stop [SOURCE]  take no events
  kill           give all classes back as they were; final

Exit status: 0 done, 1 not done (or not known, or not printed), 2 no agent there.")]
pub struct CtlArgs {
    /// The process, or its socket
    #[arg(value_name = "PID|SOCKET")]
    target: String,
    /// The command and its argument
    #[arg(value_name = "COMMAND", required = true)]
    command: Vec<String>,
}

/// Asks, and prints the answer.
pub fn run(args: &CtlArgs) -> ExitCode {
    let path = match args.target.parse::<u32>() {
        Ok(pid) => of_process(pid, Path::new("/")),
        Err(_) => PathBuf::from(&args.target),
    };
    let answer = match ask(&path, &args.command.join(" "), PATIENCE) {
        Ok(answer) => answer,
        Err(error) => {
            let (status, line) = unanswered(&error, &path, &args.target);
            return crate::failure::fail(status, &line);
        }
    };
    let (lines, last) = answer.trim_end().rsplit_once('\n').unwrap_or(("", answer.trim_end()));
    match lines.lines().try_for_each(|line| writeln!(io::stdout(), "{}", plain(line))) {
        // Whoever read the pipe has seen enough.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            return crate::failure::fail(1, &format!("cannot write: {error}"));
        }
        _ => {}
    }
    match last {
        "ok" => ExitCode::SUCCESS,
        why => crate::failure::fail(1, why.strip_prefix("error: ").unwrap_or("the agent has not answered")),
    }
}

fn ask(path: &Path, command: &str, patience: Duration) -> io::Result<String> {
    let mut stream = UnixStream::connect(path)?;
    stream.set_read_timeout(Some(patience))?;
    writeln!(stream, "{command}")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

/// Exit status and line where there is no answer.
fn unanswered(error: &io::Error, path: &Path, target: &str) -> (u8, String) {
    let path = path.display();
    match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => {
            let seconds = PATIENCE.as_secs();
            let what = "and may still be doing it";
            (1, format!("the agent has not answered for {seconds} s, {what}: ask `lucce-decode ctl {target} status`"))
        }
        ErrorKind::NotFound | ErrorKind::ConnectionRefused => {
            let why = "the JVM may have ended, or has control=off or control=<path>; then name the socket";
            (2, format!("no agent listens at {path}: {why}"))
        }
        _ => (2, format!("cannot ask at {path}: {error}")),
    }
}

/// The socket of a process: in its own file system and under the number that it knows itself by,
/// should it run in a container.
fn of_process(pid: u32, root: &Path) -> PathBuf {
    let process = root.join("proc").join(pid.to_string());
    let status = fs::read_to_string(process.join("status")).unwrap_or_default();
    let inner = number_within(&status).unwrap_or(pid);
    let name = format!("tmp/lucce-{inner}.sock");
    let (within, here) = (process.join("root").join(&name), root.join(&name));
    match (fs::metadata(&within), fs::metadata(&here)) {
        // A path that is short, where both are the same.
        (Ok(own), Ok(same)) if (own.dev(), own.ino()) == (same.dev(), same.ino()) => here,
        // Its folder may not be ours to look into, and this one the same.
        (Err(_), _) if inner == pid => here,
        // The one here is that of the process with the inner number here, which is another.
        _ => within,
    }
}

/// The number that a process knows itself by, in what the kernel says of it.
pub fn number_within(status: &str) -> Option<u32> {
    status.lines().find_map(|line| line.strip_prefix("NSpid:")?.split_whitespace().last()?.parse().ok())
}

/// Where the log of an agent of that process is, if one is there and at work.
pub fn log_of(pid: u32) -> Option<String> {
    let answer = ask(&of_process(pid, Path::new("/")), "status", QUICK).ok()?;
    let value = |name: &str| answer.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let is_at_work = value("state ").is_some_and(|state| state != "killed");
    is_at_work.then(|| value("log ").unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;

    /// A folder for a test alone.
    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("lucce-ctl-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        folder
    }

    #[test]
    fn a_process_with_another_number_inside_is_asked_in_its_own_file_system_or_not_at_all() {
        let root = folder("inner");
        let process = root.join("proc/4242");
        for folder in [root.join("tmp"), process.join("root/tmp")] {
            fs::create_dir_all(folder).expect("a folder");
        }
        for (inner, own, expected) in [
            ("4242\t1", false, process.join("root/tmp/lucce-1.sock")),
            ("4242\t1", true, process.join("root/tmp/lucce-1.sock")),
            ("4242", false, root.join("tmp/lucce-4242.sock")),
        ] {
            fs::write(process.join("status"), format!("Name:\tjava\nNSpid:\t{inner}\n")).expect("written");
            for name in ["lucce-1.sock", "lucce-4242.sock"] {
                fs::write(root.join("tmp").join(name), "").expect("written");
                let within = process.join("root/tmp").join(name);
                if own {
                    fs::write(&within, "").expect("written");
                } else {
                    let _ = fs::remove_file(&within);
                }
            }
            assert_eq!(of_process(4242, &root), expected, "{inner:?} {own}");
        }
        fs::remove_dir_all(root).expect("removed");
    }

    #[test]
    fn an_agent_that_takes_its_time_is_said_to_be_there() {
        let folder = folder("slow");
        let path = folder.join("sock");
        let listener = UnixListener::bind(&path).expect("bound");
        let error = ask(&path, "start", Duration::from_millis(10)).expect_err("nobody answers");
        drop(listener);
        let (status, line) = unanswered(&error, &path, "4711");
        assert_eq!(status, 1, "{line}");
        assert!(line.starts_with("the agent has not answered for 120 s, and may still be doing it: "), "{line}");
        assert!(line.ends_with("ask `lucce-decode ctl 4711 status`"), "{line}");
        fs::remove_dir_all(folder).expect("removed");
    }
}
