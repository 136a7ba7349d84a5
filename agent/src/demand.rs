//! Hooks on demand: methods sleep until contexts are asked for often below them.
//!
//! A walk costs microseconds, a context that is kept costs nanoseconds at every call. So every method sleeps at first, and what is asked for below
//! it is told by walks; only when those come often, the methods they found asleep are woken, each by a byte that its entries look at.
//!
//! Invariant: whether a method sleeps decides what a context costs, and never what it says. A method that was woken stays awake.
//! Whoever has made a walk necessary is woken: the sleepers on the stack, and the one whose entry has replaced what was published.
//! Source: DESIGN section 8, "Speculative elision"; ARCHITECTURE, "Hooks on demand".

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use lucce_words::{MethodId, SiteId};
use rustc_hash::FxHashSet;

use crate::jvm::thread::ThreadState;
use crate::lock::Lock;
use crate::memory::reserve_low;
use crate::options::Options;
use crate::values::MAX_METHODS;

/// How long walked frames are counted together.
const WINDOW: Duration = Duration::from_secs(1);

/// Which methods are awake, and which were found asleep.
pub struct Demand {
    /// A byte for each rewriting of a method, not 0 if it is awake; 0 where none sleeps.
    bytes: usize,
    /// Frames walked in a window that are too few to wake anything.
    few: usize,
    found: Lock<Found>,
    /// How many were asleep at first.
    pub sleepers: AtomicU64,
    /// How many were woken.
    pub woken: AtomicU64,
}

/// What the walks of a window found asleep.
struct Found {
    since: Instant,
    frames: usize,
    asleep: FxHashSet<MethodId>,
}

impl Found {
    fn from_now_on() -> Self {
        Self { since: Instant::now(), frames: 0, asleep: FxHashSet::default() }
    }
}

impl Demand {
    /// None sleeps unless the options allow it.
    pub fn new(options: &Options) -> Self {
        // Without the bytes none sleeps.
        let bytes = if options.on_demand() { reserve_low(MAX_METHODS as usize).unwrap_or(0) } else { 0 };
        let found = Lock::new(Found::from_now_on());
        Self { bytes, few: options.few_frames(), found, sleepers: AtomicU64::new(0), woken: AtomicU64::new(0) }
    }

    /// The address of the byte of method 0, or 0.
    pub fn address(&self) -> i64 {
        self.bytes as i64
    }

    /// May methods sleep?
    pub fn is_on(&self) -> bool {
        self.bytes != 0
    }

    /// Methods of a class that is about to be defined, and whether each may sleep.
    pub fn file(&self, methods: impl Iterator<Item = (MethodId, bool)>) {
        if self.is_on() {
            for (method, sleeps) in methods {
                if sleeps {
                    self.sleepers.fetch_add(1, Ordering::Relaxed);
                } else {
                    self.byte(method).store(1, Ordering::Release);
                }
            }
        }
    }

    /// A walk has passed these frames, of methods that may be asleep, because of what a sleeper has left in the thread, if it was one.
    pub fn found(&self, methods: impl ExactSizeIterator<Item = MethodId>, left: &ThreadState) {
        let mut found = self.found.lock();
        if found.since.elapsed() > WINDOW {
            *found = Found::from_now_on();
        }
        // What a walk costs beside its frames is about that of one more.
        found.frames = found.frames.saturating_add(methods.len() + 1);
        let asleep = methods.chain(sleeper(left)).filter(|&method| self.byte(method).load(Ordering::Relaxed) == 0);
        found.asleep.extend(asleep);
        if found.frames > self.few {
            found.asleep.drain().for_each(|method| self.wake(method));
        }
    }

    fn wake(&self, method: MethodId) {
        if self.byte(method).swap(1, Ordering::Release) == 0 {
            self.woken.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn byte(&self, method: MethodId) -> &AtomicU8 {
        assert!(self.is_on() && method.0 < MAX_METHODS, "method ids are limited when they are given");
        // SAFETY: within the reservation, which is never unmapped.
        unsafe { &*((self.bytes + method.index()) as *const AtomicU8) }
    }
}

/// The sleeper whose entry has replaced what was published; it may have returned since, to code of the JDK's that calls others.
fn sleeper(state: &ThreadState) -> Option<MethodId> {
    let method = u32::try_from(!(state.ctx.0 as i64)).ok().map(MethodId);
    method.filter(|method| state.site == SiteId::UNKNOWN && method.0 < MAX_METHODS)
}
