//! `ctl`: one command to a running agent, through its socket.
//!
//! Invariant: exit status 0 if the agent has done it, 1 if it says why not, 2 if there is no agent to ask.
//! Source: README, "In production".

use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;

use crate::plain::plain;

/// How long an answer may take: a large program's classes are restored in seconds.
const PATIENCE: Duration = Duration::from_secs(120);

/// Controls a running agent.
#[derive(Debug, Parser)]
#[command(
    name = "lucce-decode ctl",
    bin_name = "lucce-decode ctl",
    after_help = "Commands:
  status         what runs, and where its log is
  stats          all counters
  flush          everything recorded so far is on the disk
  rotate         go on in the next file
  start          rewrite what is loaded (start=off), or take events again
  start SOURCE   take the events of one source again: alloc, exceptions, locks, cpu, events
  stop [SOURCE]  take no events
  kill           give all classes back as they were; final

Exit status: 0 done, 1 not done, 2 no agent there."
)]
struct Args {
    /// The process, or its socket
    #[arg(value_name = "PID|SOCKET")]
    target: String,
    /// The command and its argument
    #[arg(value_name = "COMMAND", required = true)]
    command: Vec<String>,
}

/// Parses the command line behind `ctl`, asks, and prints the answer.
pub fn run() -> ExitCode {
    let mut line: Vec<_> = std::env::args_os().collect();
    line.remove(1);
    let args = Args::parse_from(line);
    let path = match args.target.parse::<u32>() {
        Ok(pid) => of_process(pid),
        Err(_) => PathBuf::from(&args.target),
    };
    let answer = match ask(&path, &args.command.join(" ")) {
        Ok(answer) => answer,
        Err(error) => return crate::fail(2, &format!("cannot ask at {}: {error}", path.display())),
    };
    let (lines, last) = answer.trim_end().rsplit_once('\n').unwrap_or(("", answer.trim_end()));
    if lines.lines().any(|line| writeln!(io::stdout(), "{}", plain(line)).is_err()) {
        return ExitCode::SUCCESS;
    }
    match last {
        "ok" => ExitCode::SUCCESS,
        why => crate::fail(1, why.strip_prefix("error: ").unwrap_or("the agent has not answered")),
    }
}

fn ask(path: &Path, command: &str) -> io::Result<String> {
    let mut stream = UnixStream::connect(path)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    writeln!(stream, "{command}")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

/// The socket of a process: in its own file system and under the number that it knows itself by, should it run in a container.
fn of_process(pid: u32) -> PathBuf {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let inner = status.lines().find_map(|line| line.strip_prefix("NSpid:")?.split_whitespace().last()?.parse().ok());
    let name = format!("tmp/lucce-{}.sock", inner.unwrap_or(pid));
    let within = Path::new("/proc").join(pid.to_string()).join("root").join(&name);
    let (own, here) = (fs::metadata(&within), Path::new("/").join(&name));
    match (own, fs::metadata(&here)) {
        // A path that is short, where both are the same.
        (Ok(own), Ok(same)) if (own.dev(), own.ino()) == (same.dev(), same.ino()) => here,
        (Ok(_), _) => within,
        (Err(_), _) => here,
    }
}
