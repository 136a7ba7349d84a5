//! How a log stands: complete, damaged, still being written, or without its end, and why.
//!
//! Invariant: only a lock that is seen held, or seen free on the very file and host of the writer,
//! says whether the JVM still writes. Of a copy, of another host's file and of a log whose writer
//! held no lock nothing is said but that it is unknown.
//! Source: docs/FORMAT.md, "Is it still written?"; flock(2).

use std::fs::{self, File, Metadata, TryLockError};
use std::os::unix::fs::MetadataExt;
use std::time::UNIX_EPOCH;

use lucce_decoder::{Header, Log, Loss, What};

/// What the lock of a file says, looked at before the file was read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lock {
    held: Option<bool>,
    inode: u64,
    born: u64,
}

/// How a log stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// With its end, and nothing missing.
    Complete,
    /// With something that cannot be read.
    Damaged,
    /// The JVM runs and writes it.
    Written,
    /// The run has ended, and the disk took no more.
    Full,
    /// The JVM was killed.
    Killed,
    /// Without its end, and nothing says why.
    Cut,
}

impl Lock {
    /// Looks at the lock of an open file, and leaves it as it is.
    pub fn of(file: &File) -> Self {
        let Ok(there) = file.metadata() else { return Self::default() };
        if !there.is_file() {
            return Self::default();
        }
        let held = match file.try_lock_shared() {
            Ok(()) => {
                // Closing the file gives it back as well.
                let _ = file.unlock();
                Some(false)
            }
            Err(TryLockError::WouldBlock) => Some(true),
            Err(TryLockError::Error(_)) => None,
        };
        Self { held, inode: there.ino(), born: born(&there) }
    }

    /// Does the JVM that wrote this header still write the file? `None` where that is unknown.
    pub fn is_written(&self, header: Option<&Header>) -> Option<bool> {
        let header = header.filter(|header| header.inode != 0 && header.inode == self.inode)?;
        if header.born != 0 && self.born != 0 && header.born != self.born {
            return None;
        }
        // A lock of another host may not be seen here.
        self.held.filter(|held| *held || header.host == host())
    }
}

/// When the file came to be, as the writer of a log says it.
fn born(file: &Metadata) -> u64 {
    let born = file.created().ok().and_then(|born| born.duration_since(UNIX_EPOCH).ok());
    born.map_or(0, |born| born.as_nanos() as u64)
}

fn host() -> String {
    fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim_end().into()
}

impl State {
    /// How this log stands, with what its lock said before it was read.
    pub fn of(log: &Log, lock: Lock) -> Self {
        if log.is_complete() {
            return Self::Complete;
        }
        let written = lock.is_written(log.header());
        let unfinished = match log.damage() {
            [] => true,
            // A block that is just being written.
            [last] => {
                written == Some(true)
                    && matches!(last.what, What::Cut | What::Block)
                    && last.offset + last.len == log.bytes()
            }
            _ => false,
        };
        match written {
            _ if !unfinished || log.ended() || log.loss() != &Loss::default() => Self::Damaged,
            Some(true) => Self::Written,
            _ if log.refusal().is_some_and(|refusal| refusal.ended) => Self::Full,
            Some(false) => Self::Killed,
            None => Self::Cut,
        }
    }

    /// As JSON names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Damaged => "damaged",
            Self::Written => "still being written",
            Self::Full => "disk full",
            Self::Killed => "killed",
            Self::Cut => "cut",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_tells_of_its_own_file_on_its_own_host_alone() {
        let path = std::env::temp_dir().join(format!("lucce-state-{}", std::process::id()));
        let writer = File::create(&path).expect("a file");
        let reader = File::open(&path).expect("it opens");
        let there = writer.metadata().expect("it is there");
        let own = Header { inode: there.ino(), born: born(&there), host: host(), ..Header::default() };
        let elsewhere = Header { host: "elsewhere".into(), ..own.clone() };
        let copied = Header { inode: own.inode + 1, ..own.clone() };
        let older = Header { born: 1, ..own.clone() };
        let said = |lock: Lock| [&own, &elsewhere, &copied, &older].map(|header| lock.is_written(Some(header)));
        let other = if own.born == 0 { Some(true) } else { None };
        writer.lock().expect("locked");
        // Two that look at once do not take each other for the writer.
        let held = [Lock::of(&reader), Lock::of(&File::open(&path).expect("it opens"))];
        assert_eq!(held.map(said), [[Some(true), Some(true), None, other]; 2]);
        assert_eq!(held[0].is_written(Some(&Header::default())), None);
        drop(writer);
        assert_eq!(said(Lock::of(&reader)), [Some(false), None, None, other.map(|_| false)]);
        fs::remove_file(path).expect("removed");
    }
}
