//! The one way in: every callback and native of the agent runs inside [`guarded`].
//!
//! Invariant: no panic crosses into the JVM. A panic is counted, reported once, and answered with the caller's fallback,
//! which is always a value that keeps the application right (a LOST word, an untouched class).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

static PANICS: AtomicU64 = AtomicU64::new(0);

/// Runs `body`; a panic gives `fallback` in its place.
pub fn guarded<T>(place: &'static str, fallback: T, body: impl FnOnce() -> T) -> T {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(value) => value,
        Err(_) => {
            if PANICS.fetch_add(1, Ordering::Relaxed) == 0 {
                say!("internal error in {place}; contexts may be lost, the application is not affected");
            }
            fallback
        }
    }
}

/// How many panics were caught in this run.
pub fn panics() -> u64 {
    PANICS.load(Ordering::Relaxed)
}
