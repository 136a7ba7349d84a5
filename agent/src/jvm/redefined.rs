//! Stacks are asked for one at a time once a class was redefined, in JVMs that lose ids of methods
//! otherwise.
//!
//! When a class has new methods, HotSpot before virtual threads (JDK 11, 17) makes a larger table
//! of its methods' ids and frees the old one, which a thread may be reading: by its source
//! `InstanceKlass::get_jmethod_id` takes the table before the lock. What that thread is given is no
//! id, and the JVM ends by a signal when it is asked about it (test:
//! `retransformation_by_another_agent`, one run in some hundreds).
//! Invariant: nobody waits long. A debugger may have stopped the thread that holds the lock, so
//! others go on without it then.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::thread;
use std::time::Duration;

static ANY: AtomicBool = AtomicBool::new(false);
static ALONE: Mutex<()> = Mutex::new(());

/// How often others are let go first, and how often they are waited for after that.
const YIELDS: u32 = 1000;
const WAITS: u32 = 10;

/// A class is being redefined.
pub fn note() {
    ANY.store(true, Ordering::Relaxed);
}

/// Until this goes no other thread asks for a stack, unless this has taken too long.
pub fn alone() -> Option<MutexGuard<'static, ()>> {
    if !ANY.load(Ordering::Relaxed) {
        return None;
    }
    for turn in 0..YIELDS + WAITS {
        match ALONE.try_lock() {
            Ok(guard) => return Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) if turn < YIELDS => thread::yield_now(),
            Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(1)),
        }
    }
    None
}
