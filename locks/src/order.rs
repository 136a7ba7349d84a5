//! In test builds: whether all threads take locks in one order, and none while it calls the JVM.
//!
//! Invariant: whoever takes two locks the other way round than some thread has ever done panics,
//! whether the two threads met or not, and so does who calls the JVM with one: it may wait for what
//! another thread holds that waits for the lock, or come back into the agent. Locks are told apart
//! by what they protect; two that protect the same type are one here. In other builds nothing is
//! kept.

#[cfg(not(feature = "faults"))]
pub(super) use unseen::{HeldLock, none_held};

#[cfg(feature = "faults")]
pub(super) use seen::{HeldLock, none_held};

#[cfg(not(feature = "faults"))]
mod unseen {
    /// A lock that is held.
    #[derive(Debug)]
    pub struct HeldLock;

    impl HeldLock {
        /// One that protects such a type is about to be taken.
        pub fn taking(_: &'static str) -> Self {
            Self
        }
    }

    /// The JVM is about to be called.
    pub fn none_held() {}
}

#[cfg(feature = "faults")]
mod seen {
    use std::cell::RefCell;
    use std::collections::BTreeSet;
    use std::sync::{Mutex, PoisonError};

    /// What a lock protects.
    type Name = &'static str;

    /// Pairs of locks: the second was taken while the first was held.
    static PAIRS: Mutex<BTreeSet<(Name, Name)>> = Mutex::new(BTreeSet::new());

    thread_local! {
        static HELD: RefCell<Vec<Name>> = const { RefCell::new(Vec::new()) };
    }

    /// A lock that is held.
    #[derive(Debug)]
    pub struct HeldLock(Name);

    impl HeldLock {
        /// One that protects such a type is about to be taken.
        pub fn taking(name: Name) -> Self {
            let held = HELD.with_borrow(Clone::clone);
            let against = {
                let mut pairs = PAIRS.lock().unwrap_or_else(PoisonError::into_inner);
                let against = held.iter().copied().find(|&other| leads(&pairs, name, other));
                pairs.extend(held.iter().map(|&other| (other, name)));
                against
            };
            if let Some(other) = against {
                panic!("a lock of {name} is taken while one of {other} is held, and the other way round elsewhere");
            }
            HELD.with_borrow_mut(|held| held.push(name));
            Self(name)
        }
    }

    impl Drop for HeldLock {
        fn drop(&mut self) {
            // A thread's last locks may outlive its own list.
            let _ = HELD.try_with(|held| {
                let mut held = held.borrow_mut();
                if let Some(at) = held.iter().rposition(|&name| name == self.0) {
                    held.remove(at);
                }
            });
        }
    }

    /// The JVM is about to be called.
    pub fn none_held() {
        let held = HELD.with_borrow(Clone::clone);
        assert!(held.is_empty(), "the JVM is called while locks are held: {held:?}");
    }

    /// Was `to` taken while `from` was held, or another that was taken so?
    fn leads(pairs: &BTreeSet<(Name, Name)>, from: Name, to: Name) -> bool {
        let (mut seen, mut next) = (BTreeSet::from([from]), vec![from]);
        while let Some(name) = next.pop() {
            if name == to {
                return true;
            }
            let taken = pairs.iter().filter(|(held, _)| *held == name).map(|&(_, taken)| taken);
            next.extend(taken.filter(|&taken| seen.insert(taken)));
        }
        false
    }
}
