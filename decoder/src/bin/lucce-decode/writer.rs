//! The process that writes a log which is followed: is it still there?
//!
//! Invariant: a process is gone only if it was seen on this host before. In a container processes
//! have other numbers, or the host another name; then nothing is said.
//! Source: proc(5); docs/FORMAT.md, "Header" (`pid`, `host`).

use std::fs;
use std::path::PathBuf;

use lucce_decoder::Header;

/// Fields of `/proc/<pid>/stat` between the state and the number of threads.
const THREADS: usize = 16;

/// What is known of it.
pub struct Writer {
    /// Its folder in /proc, if it was seen.
    seen: Option<PathBuf>,
}

impl Writer {
    /// The process that the header names.
    pub fn of(header: Option<&Header>) -> Self {
        let here = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let seen = header.filter(|header| !header.host.is_empty() && header.host == here.trim_end());
        let seen = seen.map(|header| PathBuf::from(format!("/proc/{}", header.pid)));
        Self { seen: seen.filter(|folder| folder.exists()) }
    }

    /// It was there, and is no more. Another process with its number is taken for it.
    pub fn is_gone(&self) -> bool {
        self.seen.as_ref().is_some_and(|folder| match fs::read(folder.join("stat")) {
            // Its name may be no text.
            Ok(stat) => has_ended(&String::from_utf8_lossy(&stat)),
            Err(_) => !folder.exists(),
        })
    }
}

/// A process that has ended keeps its number until its parent asks for it. One whose first thread
/// alone has ended looks the same, but for the number of its threads.
fn has_ended(stat: &str) -> bool {
    // The name stands in brackets and may have any in it.
    let mut fields = stat.rsplit_once(')').map_or("", |(_, behind)| behind).split_whitespace();
    let ended = fields.next().is_some_and(|state| matches!(state, "Z" | "X" | "x"));
    ended && fields.nth(THREADS).and_then(|threads| threads.parse().ok()).is_none_or(|threads: u32| threads <= 1)
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_process_is_gone_if_it_was_seen_here_and_has_ended() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().expect("it starts");
        let here = fs::read_to_string("/proc/sys/kernel/hostname").expect("a name").trim_end().to_owned();
        let of = |host: &str| Writer::of(Some(&Header { pid: child.id(), host: host.into(), ..Header::default() }));
        let (known, elsewhere, unnamed) = (of(&here), of("elsewhere"), Writer::of(None));
        assert!(!known.is_gone());
        drop(child.stdin.take());
        child.wait().expect("it ends");
        let late = Writer::of(Some(&Header { pid: child.id(), host: here, ..Header::default() }));
        assert!(known.is_gone());
        assert!(!elsewhere.is_gone() && !unnamed.is_gone() && !late.is_gone());
    }

    #[test]
    fn a_process_is_gone_if_it_was_killed_and_nobody_has_waited_for_it() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().expect("it starts");
        let host = fs::read_to_string("/proc/sys/kernel/hostname").expect("a name").trim_end().to_owned();
        let writer = Writer::of(Some(&Header { pid: child.id(), host, ..Header::default() }));
        assert!(!writer.is_gone());
        child.kill().expect("killed");
        let gone = (0..400).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(5));
            writer.is_gone()
        });
        assert!(gone && Path::new(&format!("/proc/{}", child.id())).exists());
        child.wait().expect("it has ended");
    }

    #[test]
    fn a_process_whose_first_thread_alone_has_ended_is_there() {
        let stat = |state: &str, threads: u32| {
            format!("4711 (a) Z (b) {state} 1 4711 4711 0 -1 4228100 1 2 3 4 5 6 7 8 20 0 {threads} 0 1 2 3\n")
        };
        for (state, threads, ended) in
            [("S", 1, false), ("R", 9, false), ("Z", 1, true), ("X", 0, true), ("Z", 9, false)]
        {
            assert_eq!(has_ended(&stat(state, threads)), ended, "{state} {threads}");
        }
        assert!(!has_ended(""));
    }
}
