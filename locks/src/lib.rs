//! Locks of what the agent is made of. Each taking is counted, so that a test can show that a warm
//! program takes none.
//!
//! Invariant: a panic under a lock (which the agent's boundary catches) does not close it for the
//! others: each protects tables that only grow by whole entries. All threads take locks in one
//! order and hold none while they call the JVM; test builds watch it ([`order`]).

#![forbid(unsafe_code)]

mod order;

use std::any::type_name;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

static TAKEN: AtomicU64 = AtomicU64::new(0);

/// How often a lock was taken in this run, for reading or writing.
pub fn taken() -> u64 {
    TAKEN.load(Ordering::Relaxed)
}

/// A lock is about to be taken.
#[inline]
pub fn count() {
    TAKEN.fetch_add(1, Ordering::Relaxed);
}

/// The JVM is about to be called: the thread must hold none of the locks.
pub fn none_held() {
    order::none_held();
}

/// A lock that is held, until this goes.
#[derive(Debug)]
pub struct Guard<G> {
    guard: G,
    _held: order::HeldLock,
}

/// A [`Lock`] that is held.
pub type Locked<'l, T> = Guard<MutexGuard<'l, T>>;

impl<G: Deref> Deref for Guard<G> {
    type Target = G::Target;

    fn deref(&self) -> &G::Target {
        &self.guard
    }
}

impl<G: DerefMut> DerefMut for Guard<G> {
    fn deref_mut(&mut self) -> &mut G::Target {
        &mut self.guard
    }
}

/// For one at a time.
#[derive(Debug, Default)]
pub struct Lock<T>(Mutex<T>);

impl<T> Lock<T> {
    /// Protects `value`.
    pub const fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    /// Waits for it.
    pub fn lock(&self) -> Locked<'_, T> {
        taken_by(|| self.0.lock().unwrap_or_else(PoisonError::into_inner), type_name::<T>())
    }
}

/// For many readers or one writer.
#[derive(Debug, Default)]
pub struct Shared<T>(RwLock<T>);

impl<T> Shared<T> {
    /// To read.
    pub fn read(&self) -> Guard<RwLockReadGuard<'_, T>> {
        taken_by(|| self.0.read().unwrap_or_else(PoisonError::into_inner), type_name::<T>())
    }

    /// To change.
    pub fn write(&self) -> Guard<RwLockWriteGuard<'_, T>> {
        taken_by(|| self.0.write().unwrap_or_else(PoisonError::into_inner), type_name::<T>())
    }
}

fn taken_by<G>(take: impl FnOnce() -> G, protected: &'static str) -> Guard<G> {
    count();
    let held = order::HeldLock::taking(protected);
    Guard { guard: take(), _held: held }
}
