//! What sampling needs, from Agent_OnLoad on: one in a process, for a signal handler finds it.
//!
//! Invariant: it is set once, before the first timer runs, and stays. Source: signal-safety(7).

use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use super::anchor::Anchor;
use super::classes::Classes;
use super::placing::Placing;
use super::samples::{Samples, Walk};
use super::stubs::Stubs;
use super::system::Semaphore;
use super::threads::{ThreadTimers, Tick};

/// What sampling needs.
pub(super) struct Sampling {
    pub(super) walk: Walk,
    pub(super) tick: Tick,
    pub(super) threads: ThreadTimers,
    pub(super) samples: Samples,
    pub(super) classes: Classes,
    pub(super) placing: Placing,
    pub(super) stubs: Stubs,
    pub(super) anchor: OnceLock<Option<Anchor>>,
    /// Samples wait.
    pub(super) full: Semaphore,
    /// Samples are being read.
    pub(super) is_reading: AtomicBool,
    /// Nobody reads samples any more.
    pub(super) is_over: AtomicBool,
}

/// That of the process.
pub(super) static SAMPLING: OnceLock<Sampling> = OnceLock::new();

/// What sampling needs, once it is set up.
pub(super) fn sampling() -> Option<&'static Sampling> {
    SAMPLING.get()
}
