//! A child process with a limit of time.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::Result;

/// Runs to the end, or to the limit and no further.
///
/// # Errors
/// One line: it did not start, did not succeed, or was stopped.
pub fn wait(command: &mut Command, limit: Duration) -> Result<()> {
    let child = command.spawn().map_err(|e| format!("cannot run java: {e}"))?;
    wait_for(child, limit)
}

fn wait_for(mut child: Child, limit: Duration) -> Result<()> {
    let began = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(status.to_string()),
            Ok(None) if began.elapsed() < limit => std::thread::sleep(Duration::from_millis(20)),
            Ok(None) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("stopped after {} s", limit.as_secs()));
            }
            Err(e) => return Err(format!("cannot wait for java: {e}")),
        }
    }
}

/// Runs to the end; gives the first line it prints, and how long that took from its start.
///
/// # Errors
/// As [`wait`], or it printed nothing.
pub fn first_line(command: &mut Command, limit: Duration) -> Result<(String, Duration)> {
    let began = Instant::now();
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(|e| format!("cannot run java: {e}"))?;
    let (tell, told) = mpsc::channel();
    if let Some(out) = child.stdout.take() {
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(std::result::Result::ok) {
                // Whoever asked may have gone.
                let _ = tell.send((line, began.elapsed()));
            }
        });
    }
    wait_for(child, limit)?;
    told.recv().map_err(|_| "it printed nothing".into())
}

/// The line of a standard error that says most: the first with an exception or error, else the
/// last.
pub fn complaint(errors: &str) -> &str {
    let lines = || errors.lines().filter(|line| !line.trim().is_empty());
    lines()
        .find(|line| line.contains("Exception") || line.contains("Error"))
        .or(lines().next_back())
        .unwrap_or("it said nothing")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_beyond_its_limit_is_stopped() {
        let error = wait(Command::new("sleep").arg("60"), Duration::from_millis(50)).unwrap_err();
        assert!(error.contains("stopped"), "{error}");
    }

    #[test]
    fn the_first_line_is_given() {
        let mut command = Command::new("sh");
        let (line, _) = first_line(command.args(["-c", "echo a; echo b"]), Duration::from_secs(60)).unwrap();
        assert_eq!(line, "a");
        assert!(first_line(&mut Command::new("true"), Duration::from_secs(60)).is_err());
    }

    #[test]
    fn the_line_with_the_exception_says_most() {
        assert_eq!(complaint("x\njava.lang.Exception: y\n\tat z\n"), "java.lang.Exception: y");
        assert_eq!(complaint("x\ny\n\n"), "y");
    }
}
