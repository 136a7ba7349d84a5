//! The agent's locks. Each taking is counted, so that a test can show that a warm program takes none.
//!
//! Invariant: a panic under a lock (caught in `boundary.rs`) does not close it for the others: each protects tables that only grow by
//! whole entries.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

static TAKEN: AtomicU64 = AtomicU64::new(0);

/// How often a lock was taken in this run, for reading or writing.
pub fn taken() -> u64 {
    TAKEN.load(Ordering::Relaxed)
}

/// A lock is about to be taken.
pub fn count() {
    TAKEN.fetch_add(1, Ordering::Relaxed);
}

/// For one at a time.
#[derive(Debug, Default)]
pub struct Lock<T>(Mutex<T>);

impl<T> Lock<T> {
    /// Protects `value`.
    pub fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    /// Waits for it.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        count();
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// For many readers or one writer.
#[derive(Debug, Default)]
pub struct Shared<T>(RwLock<T>);

impl<T> Shared<T> {
    /// To read.
    pub fn read(&self) -> RwLockReadGuard<'_, T> {
        count();
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// To change.
    pub fn write(&self) -> RwLockWriteGuard<'_, T> {
        count();
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}
