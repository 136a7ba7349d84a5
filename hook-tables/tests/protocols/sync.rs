//! Loom's atomics under the names of the crate's own, with orderings that can be left out.
//!
//! Invariant: what is left out is what a writer orders, its release stores and its fences; readers
//! keep all of theirs. The threads of a model run in turn on one thread of the system, so one flag
//! for it serves them all.

use std::cell::Cell;

pub(crate) use loom::sync::atomic::Ordering;

thread_local!(static WEAK: Cell<bool> = const { Cell::new(false) });

/// Does something, but none of its stores and fences orders anything.
pub(crate) fn weakly<R>(act: impl FnOnce() -> R) -> R {
    WEAK.set(true);
    let done = act();
    WEAK.set(false);
    done
}

/// A fence; none, if it is a writer's that is left out.
pub(crate) fn fence(order: Ordering) {
    if order == Ordering::Acquire || !WEAK.get() {
        loom::sync::atomic::fence(order);
    }
}

fn kept(order: Ordering) -> Ordering {
    if WEAK.get() { Ordering::Relaxed } else { order }
}

macro_rules! atomics {
    ($($name:ident: $value:ty),*) => {$(
        #[derive(Debug)]
        #[repr(transparent)]
        pub(crate) struct $name(loom::sync::atomic::$name);

        impl $name {
            pub(crate) fn new(value: $value) -> Self {
                Self(loom::sync::atomic::$name::new(value))
            }

            pub(crate) fn load(&self, order: Ordering) -> $value {
                self.0.load(order)
            }

            pub(crate) fn store(&self, value: $value, order: Ordering) {
                self.0.store(value, kept(order));
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::new(Default::default())
            }
        }
    )*};
}

impl AtomicU64 {
    pub(crate) fn fetch_or(&self, bits: u64, order: Ordering) -> u64 {
        self.0.fetch_or(bits, kept(order))
    }

    pub(crate) fn compare_exchange_weak(
        &self,
        current: u64,
        new: u64,
        success: Ordering,
        failure: Ordering,
    ) -> Result<u64, u64> {
        self.0.compare_exchange_weak(current, new, kept(success), failure)
    }
}

atomics!(AtomicBool: bool, AtomicI32: i32, AtomicI64: i64, AtomicU32: u32, AtomicU64: u64);
