//! What threads that wait ask about holders, and how often.
//!
//! Invariant: a question is handed over, or refused while a look goes on. Source:
//! docs/design/event-sources.md.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crossbeam_channel::{Receiver, Sender};
use jvmti_bindings::sys::jni::jobject;
use lucce_words::Lost;

use super::held::Holder;
use super::owner::Owned;

/// Looks at holders.
#[derive(Default)]
pub struct Looks {
    pub(super) requests: OnceLock<(Sender<Request>, Receiver<Request>)>,
    /// The thread is to end.
    pub(super) over: OnceLock<(Sender<()>, Receiver<()>)>,
    /// When the next look is due, in nanoseconds since the start.
    pub(super) due: AtomicU64,
    /// Looks so far, and those that have found a holder and its stack.
    pub(super) looked: AtomicU64,
    pub(super) found: AtomicU64,
    /// Nanoseconds that threads have waited for looks.
    pub(super) nanos: AtomicU64,
}

/// A question: the lock is a global reference, which the thread that looks deletes.
pub(super) struct Request {
    pub(super) lock: jobject,
    pub(super) owned: Owned,
    pub(super) answer: Sender<Result<Holder, Lost>>,
}

// SAFETY: a global reference, which all threads may use.
unsafe impl Send for Request {}

impl Looks {
    /// Ends the thread. No look is due any more.
    pub fn end(&self) {
        self.due.store(u64::MAX, Ordering::Relaxed);
        if let Some((over, _)) = self.over.get() {
            // Said before, where there is no room.
            let _ = over.try_send(());
        }
    }

    /// Counters by name.
    pub fn figures(&self, mut told: impl FnMut(&'static str, u64)) {
        told("locks.holders_looked", self.looked.load(Ordering::Relaxed));
        told("locks.holders_found", self.found.load(Ordering::Relaxed));
        told("locks.holders_ns", self.nanos.load(Ordering::Relaxed));
    }
}
