//! Hooks on demand: methods are inactive until contexts are asked for often below them.
//!
//! A walk costs microseconds, a context that is kept costs nanoseconds at every call. So every
//! method is inactive at first, and what is asked for below it is told by walks; only when those
//! come often, the methods they found inactive are activated, each by a byte that its entries look
//! at.
//!
//! Invariant: whether a method is inactive decides what a context costs, and never what it says.
//! Whoever has made a walk necessary is activated: the inactive ones on the stack, and the one that
//! has published last. A method whose own entries are then walked for, and for more than was asked
//! below it (a loop of the JDK's calls it back below an activation that is inactive), is put back
//! (`demand/walk_costs.rs`).
//! Source: docs/design/lazy-hooks.md.

mod walk_costs;

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use lucce_words::MethodId;
use rustc_hash::FxHashSet;
use walk_costs::WalkCosts;

use crate::hook_tables::sparse::Sparse;
use crate::hook_tables::values::MAX_METHODS;
use crate::options::Options;
use crate::support::dead::Dead;
use crate::support::lock::Lock;

/// The byte of a method that is inactive, of one that never is, and of one that was activated.
/// Entries ask whether it is 0.
const INACTIVE: u8 = 0;
const ALWAYS_ACTIVE: u8 = 1;
const ACTIVATED: u8 = 2;

/// A walk of a stack.
pub struct Passed {
    /// The method whose entry made it necessary, below a caller without a word.
    pub entered: Option<MethodId>,
    /// All frames that were walked over, the JDK's too.
    pub frames: usize,
}

/// Which methods are active, and which were found inactive.
pub struct Demand {
    /// A byte for each rewriting of a method, not 0 if it is active, and that of the thread base if
    /// any was ever activated; none where none is ever inactive.
    bytes: Option<Sparse>,
    /// Frames walked in a window that are too few to activate anything.
    few: usize,
    costs: Lock<WalkCosts>,
    /// How many were inactive at first.
    pub lazy: AtomicU64,
    /// How often one was activated.
    pub activated: AtomicU64,
    /// How often one was put back.
    pub put_back: AtomicU64,
}

impl Demand {
    /// None is ever inactive unless the options allow it.
    pub fn new(options: &Options) -> Self {
        // Without the bytes none is ever inactive.
        let bytes = if options.on_demand() { Sparse::reserve(MAX_METHODS as usize) } else { None };
        let none = || AtomicU64::new(0);
        let costs = Lock::new(WalkCosts::from_now_on());
        Self { bytes, few: options.few_frames(), costs, lazy: none(), activated: none(), put_back: none() }
    }

    /// The address of the byte of method 0, or 0.
    pub fn address(&self) -> i64 {
        self.bytes.as_ref().map_or(0, Sparse::address) as i64
    }

    /// May methods be inactive?
    pub fn is_on(&self) -> bool {
        self.bytes.is_some()
    }

    /// Methods of a class that is about to be defined, and whether each may be inactive.
    pub fn file(&self, methods: impl Iterator<Item = (MethodId, bool)>) {
        if self.is_on() {
            for (method, is_lazy) in methods {
                if is_lazy {
                    self.lazy.fetch_add(1, Ordering::Relaxed);
                } else if let Some(byte) = self.opened(method) {
                    byte.store(ALWAYS_ACTIVE, Ordering::Release);
                }
            }
        }
    }

    /// A walk has passed these frames' methods, which may be inactive, and found the place that an
    /// inactive one has published, `left`, in the thread.
    pub fn found(&self, methods: impl Iterator<Item = MethodId>, left: Option<MethodId>, passed: &Passed) {
        // A method counts once, however deep it recurs: the walk is one.
        let is_inactive = |byte: &AtomicU8| byte.load(Ordering::Relaxed) == INACTIVE;
        let inactive = |method: &MethodId| self.byte(*method).is_some_and(is_inactive);
        let inactive: FxHashSet<MethodId> = methods.chain(left).filter(inactive).collect();
        let mut costs = self.costs.lock();
        costs.turn();
        costs.asked(inactive.into_iter(), passed);
        costs.worth_activating(self.few, |method| self.turn(method, INACTIVE, ACTIVATED, &self.activated));
        if let Some(method) = passed.entered.filter(|&method| costs.is_dear(method, self.few)) {
            self.turn(method, ACTIVATED, INACTIVE, &self.put_back);
        }
    }

    /// Was a method ever activated? Then threads look who is active, from their next walk on, and
    /// new ones at once.
    pub fn has_activated(&self) -> bool {
        self.byte(MethodId::ROOT).is_some_and(|byte| byte.load(Ordering::Relaxed) != INACTIVE)
    }

    /// Forgets methods of unloaded classes.
    pub fn forget(&self, dead: &Dead) {
        self.costs.lock().forget(dead);
    }

    fn turn(&self, method: MethodId, from: u8, to: u8, times: &AtomicU64) {
        let turned = |byte: &AtomicU8| byte.compare_exchange(from, to, Ordering::Release, Ordering::Relaxed).is_ok();
        if self.opened(method).is_some_and(turned) {
            times.fetch_add(1, Ordering::Relaxed);
            if let Some(anybody) = self.opened(MethodId::ROOT) {
                anybody.store(ACTIVATED, Ordering::Relaxed);
            }
        }
    }

    /// The byte of a method, to be written; `None` without memory, and where none is ever inactive.
    fn opened(&self, method: MethodId) -> Option<&AtomicU8> {
        self.bytes.as_ref().filter(|bytes| bytes.opens(method.index())).and_then(|_| self.byte(method))
    }

    /// The byte of a method, to be read; `None` where none is ever inactive.
    fn byte(&self, method: MethodId) -> Option<&AtomicU8> {
        assert!(method.0 < MAX_METHODS, "method ids are limited when they are given");
        // SAFETY: within the reservation, which is never unmapped.
        self.bytes.as_ref().map(|bytes| unsafe { &*((bytes.address() + method.index()) as *const AtomicU8) })
    }
}
