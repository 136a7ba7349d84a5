//! The loaders that may die, with what they have defined, and those that have died.
//!
//! Invariant: a loader is among the living from its first class that is rewritten until its death
//! is handled. Source: JVMTI SetTag, ObjectFree.

use std::sync::atomic::AtomicU64;

use crossbeam_channel::{Receiver, Sender, unbounded};
use lucce_words::{ClassId, MethodId};
use rustc_hash::FxHashMap;

use crate::support::lock::Lock;

/// The loaders that may die, and those that have.
pub struct Unloading {
    pub(super) living: Lock<Living>,
    pub(super) died: Sender<i64>,
    /// Until the thread that forgets has it.
    pub(super) deaths: Lock<Option<Receiver<i64>>>,
    /// Classes forgotten so far.
    pub classes: AtomicU64,
}

/// What each tagged loader has defined.
pub(super) type Living = FxHashMap<i64, Defined>;

#[derive(Default)]
pub(super) struct Defined {
    pub(super) classes: Vec<ClassId>,
    pub(super) methods: Vec<MethodId>,
}

impl Default for Unloading {
    fn default() -> Self {
        let (died, deaths) = unbounded();
        Self { living: Lock::default(), died, deaths: Lock::new(Some(deaths)), classes: AtomicU64::new(0) }
    }
}
