//! The process that writes a log which is followed: is it still there?
//!
//! Invariant: a process is gone only if it was seen on this host before. In a container processes have other numbers, or the host another
//! name; then nothing is said.
//! Source: proc(5); docs/FORMAT.md, "Header" (`pid`, `host`).

use std::fs;
use std::path::PathBuf;

use lucce_decoder::Header;

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
        self.seen.as_ref().is_some_and(|folder| !folder.exists())
    }
}

#[cfg(test)]
mod tests {
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
}
