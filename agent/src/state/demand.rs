//! Hooks on demand: methods sleep until contexts are asked for often below them.
//!
//! A walk costs microseconds, a context that is kept costs nanoseconds at every call. So every method sleeps at first, and what is asked for below
//! it is told by walks; only when those come often, the methods they found asleep are woken, each by a byte that its entries look at.
//!
//! Invariant: whether a method sleeps decides what a context costs, and never what it says. Whoever has made a walk necessary is woken: the
//! sleepers on the stack, and the one that has published last. A method whose own entries are then walked for, and for more than was asked below
//! it (a loop of the JDK's calls it back below an activation that sleeps), is put back (`demand/books.rs`).
//! Source: docs/design/lazy-hooks.md.

mod books;

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use books::Books;
use lucce_words::MethodId;
use rustc_hash::FxHashSet;

use crate::hook_tables::sparse::Sparse;
use crate::hook_tables::values::MAX_METHODS;
use crate::options::Options;
use crate::support::dead::Dead;
use crate::support::lock::Lock;

/// The byte of a method that sleeps, of one that never does, and of one that was woken. Entries ask whether it is 0.
const ASLEEP: u8 = 0;
const SLEEPLESS: u8 = 1;
const WOKEN: u8 = 2;

/// A walk of a stack.
pub struct Passed {
    /// The method whose entry made it necessary, below a caller without a word.
    pub entered: Option<MethodId>,
    /// All frames that were walked over, the JDK's too.
    pub frames: usize,
}

/// Which methods are awake, and which were found asleep.
pub struct Demand {
    /// A byte for each rewriting of a method, not 0 if it is awake, and that of the thread base if any was ever woken; none where none sleeps.
    bytes: Option<Sparse>,
    /// Frames walked in a window that are too few to wake anything.
    few: usize,
    books: Lock<Books>,
    /// How many were asleep at first.
    pub sleepers: AtomicU64,
    /// How often one was woken.
    pub woken: AtomicU64,
    /// How often one was put back to sleep.
    pub put_back: AtomicU64,
}

impl Demand {
    /// None sleeps unless the options allow it.
    pub fn new(options: &Options) -> Self {
        // Without the bytes none sleeps.
        let bytes = if options.on_demand() { Sparse::reserve(MAX_METHODS as usize) } else { None };
        let none = || AtomicU64::new(0);
        let books = Lock::new(Books::from_now_on());
        Self { bytes, few: options.few_frames(), books, sleepers: none(), woken: none(), put_back: none() }
    }

    /// The address of the byte of method 0, or 0.
    pub fn address(&self) -> i64 {
        self.bytes.as_ref().map_or(0, Sparse::address) as i64
    }

    /// May methods sleep?
    pub fn is_on(&self) -> bool {
        self.bytes.is_some()
    }

    /// Methods of a class that is about to be defined, and whether each may sleep.
    pub fn file(&self, methods: impl Iterator<Item = (MethodId, bool)>) {
        if self.is_on() {
            for (method, sleeps) in methods {
                if sleeps {
                    self.sleepers.fetch_add(1, Ordering::Relaxed);
                } else if let Some(byte) = self.opened(method) {
                    byte.store(SLEEPLESS, Ordering::Release);
                }
            }
        }
    }

    /// A walk has passed these frames' methods, which may be asleep, and found the place that a sleeper has published, `left`, in the thread.
    pub fn found(&self, methods: impl Iterator<Item = MethodId>, left: Option<MethodId>, passed: &Passed) {
        // A method counts once, however deep it recurs: the walk is one.
        let is_asleep = |byte: &AtomicU8| byte.load(Ordering::Relaxed) == ASLEEP;
        let asleep = |method: &MethodId| self.byte(*method).is_some_and(is_asleep);
        let asleep: FxHashSet<MethodId> = methods.chain(left).filter(asleep).collect();
        let mut books = self.books.lock();
        books.turn();
        books.asked(asleep.into_iter(), passed);
        books.worth_waking(self.few, |method| self.turn(method, ASLEEP, WOKEN, &self.woken));
        if let Some(method) = passed.entered.filter(|&method| books.is_dear(method, self.few)) {
            self.turn(method, WOKEN, ASLEEP, &self.put_back);
        }
    }

    /// Was a method ever woken? Then threads look who is awake, from their next walk on, and new ones at once.
    pub fn has_woken(&self) -> bool {
        self.byte(MethodId::ROOT).is_some_and(|byte| byte.load(Ordering::Relaxed) != ASLEEP)
    }

    /// Forgets methods of unloaded classes.
    pub fn forget(&self, dead: &Dead) {
        self.books.lock().forget(dead);
    }

    fn turn(&self, method: MethodId, from: u8, to: u8, times: &AtomicU64) {
        let turned = |byte: &AtomicU8| byte.compare_exchange(from, to, Ordering::Release, Ordering::Relaxed).is_ok();
        if self.opened(method).is_some_and(turned) {
            times.fetch_add(1, Ordering::Relaxed);
            if let Some(anybody) = self.opened(MethodId::ROOT) {
                anybody.store(WOKEN, Ordering::Relaxed);
            }
        }
    }

    /// The byte of a method, to be written; `None` without memory, and where none sleeps.
    fn opened(&self, method: MethodId) -> Option<&AtomicU8> {
        self.bytes.as_ref().filter(|bytes| bytes.opens(method.index())).and_then(|_| self.byte(method))
    }

    /// The byte of a method, to be read; `None` where none sleeps.
    fn byte(&self, method: MethodId) -> Option<&AtomicU8> {
        assert!(method.0 < MAX_METHODS, "method ids are limited when they are given");
        // SAFETY: within the reservation, which is never unmapped.
        self.bytes.as_ref().map(|bytes| unsafe { &*((bytes.address() + method.index()) as *const AtomicU8) })
    }
}
