//! What the writer thread tells the others.
//!
//! Invariant: whoever reads it waits for nothing, so a writer that is stuck in the kernel can be
//! told from one that works.
//! Source: docs/design/log-files.md ("Files of a run").

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use lucce_locks::Lock;

use super::message::Load;
use super::{Host, SOURCES, SourceId};

/// In place of a time: the writer has nothing to do.
const RESTS: u64 = u64::MAX;

/// The writer thread writes it, all others read it.
#[derive(Debug)]
pub(super) struct Status {
    path: Lock<PathBuf>,
    /// Definitions are being repeated: the queue may be full for longer.
    pub(super) busy: AtomicBool,
    /// The disk takes no more: events are dropped.
    pub(super) full: AtomicBool,
    /// That was so at some time.
    pub(super) refused: AtomicBool,
    /// Events that were queued and then dropped, by source.
    discarded: [AtomicU64; SOURCES],
    /// Counted events whose sums were queued and then dropped.
    lost_sums: AtomicU64,
    /// Lots of sums in the queue.
    pub(super) sums: AtomicU64,
    /// Files deleted.
    deleted: AtomicU64,
    began: Instant,
    /// When the writer last got on, in nanoseconds since it began, or [`RESTS`].
    moved: AtomicU64,
}

impl Status {
    pub(super) fn new(path: PathBuf) -> Self {
        Self {
            path: Lock::new(path),
            busy: AtomicBool::new(false),
            full: AtomicBool::new(false),
            refused: AtomicBool::new(false),
            discarded: Default::default(),
            lost_sums: AtomicU64::new(0),
            sums: AtomicU64::new(0),
            deleted: AtomicU64::new(0),
            began: Instant::now(),
            moved: AtomicU64::new(RESTS),
        }
    }

    pub(super) fn path(&self) -> PathBuf {
        self.path.lock().clone()
    }

    pub(super) fn set_path(&self, path: PathBuf) {
        *self.path.lock() = path;
    }

    /// The writer gets on.
    pub(super) fn moves(&self) {
        self.moved.store(self.began.elapsed().as_nanos() as u64, Ordering::Relaxed);
    }

    /// It has nothing to do until a message comes.
    pub(super) fn rests(&self) {
        self.moved.store(RESTS, Ordering::Relaxed);
    }

    /// How long it has not got on with what it has to do.
    pub(super) fn still(&self) -> Duration {
        self.began.elapsed().saturating_sub(Duration::from_nanos(self.moved.load(Ordering::Relaxed)))
    }

    /// So much was queued and is not written.
    pub(super) fn discard(&self, load: Load) {
        for (discarded, count) in self.discarded.iter().zip(load.events) {
            discarded.fetch_add(count.into(), Ordering::Release);
        }
        self.lost_sums.fetch_add(load.counted, Ordering::Release);
    }

    pub(super) fn lost_sums(&self) -> u64 {
        self.lost_sums.load(Ordering::Acquire)
    }

    pub(super) fn discarded(&self, source: SourceId) -> u64 {
        self.discarded[source.index()].load(Ordering::Acquire)
    }

    pub(super) fn all_discarded(&self) -> u64 {
        self.discarded.iter().map(|discarded| discarded.load(Ordering::Acquire)).sum()
    }

    /// A file was deleted, the oldest one.
    pub(super) fn dropped(&self, oldest: &Path, host: Host) {
        if self.deleted.fetch_add(1, Ordering::Relaxed) == 0 {
            (host.say)(format_args!(
                "the log is full: {} was deleted, and others will be; raise rotate=<bytes> or keep=<n> to keep more",
                oldest.display()
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_rests_is_not_stuck() {
        let status = Status::new("log".into());
        let pause = Duration::from_millis(20);
        std::thread::sleep(pause);
        assert_eq!(status.still(), Duration::ZERO);
        status.moves();
        std::thread::sleep(pause);
        assert!(status.still() >= pause);
        status.rests();
        assert_eq!(status.still(), Duration::ZERO);
    }
}
