//! Counters of the slow path.
//!
//! Invariant: each is counted where that happens, and only grows. The log and the report name them
//! as here.
//! Source: docs/FORMAT.md ("Counters").

use std::sync::atomic::{AtomicU64, Ordering};

/// How often the slow ways were taken.
#[derive(Default)]
#[allow(missing_docs, reason = "the fields are named as the log's counters are")]
pub struct Counters {
    pub natives: AtomicU64,
    pub callbacks: AtomicU64,
    pub slow_entries: AtomicU64,
    pub walks: AtomicU64,
    pub looks: AtomicU64,
    pub chain_repairs: AtomicU64,
    pub lost: AtomicU64,
    pub late: AtomicU64,
    pub events_outside: AtomicU64,
    pub events_stopped: AtomicU64,
    pub event_walks: AtomicU64,
    pub classes_skipped: AtomicU64,
    pub methods_skipped: AtomicU64,
    pub methods_guarded: AtomicU64,
    pub demotions: AtomicU64,
    pub abi_captures: AtomicU64,
    pub abi_events: AtomicU64,
    pub abi_given: AtomicU64,
    pub upcalls: AtomicU64,
    pub drops: AtomicU64,
    pub stops: AtomicU64,
}

/// Adds one.
pub fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}
