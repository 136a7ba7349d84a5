//! The list of other agents' consumers of events.
//!
//! Invariant: once a consumer is removed it is not called any more, and removing waits for those
//! that call it.
//! Source: `embed/include/lucce.h`; `agent/src/support/stays.rs`.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use arc_swap::{ArcSwap, Guard};
use jvmti_bindings::sys::jni::JNIEnv;
use lucce_embed::Error;
use lucce_embed::raw::Consumer;

use crate::support::lock::Lock;
use crate::support::stays::Stays;

/// Most of them.
const MOST: usize = 16;
/// How long a removal waits for a consumer that runs.
const PATIENCE: Duration = Duration::from_secs(1);

/// The list.
#[derive(Default)]
pub struct Consumers {
    list: ArcSwap<Vec<Arc<Registered>>>,
    /// Taken to change the list.
    change: Lock<()>,
    last: AtomicU64,
    closed: AtomicBool,
}

/// A consumer, with its number.
pub(super) struct Registered {
    id: u64,
    pub(super) consumer: Consumer,
    /// Who is in it; closed once it is removed.
    stays: Stays,
}

// SAFETY: whoever registers a consumer promises that its functions and data may be used on any
// thread.
unsafe impl Send for Registered {}
// SAFETY: as above.
unsafe impl Sync for Registered {}

thread_local! {
    /// The consumer that runs on this thread; 0 for none.
    static INSIDE: Cell<u64> = const { Cell::new(0) };
}

impl Consumers {
    /// Those that are to get an event of this thread, if there are any: none within a consumer, or
    /// once all is over.
    pub(super) fn listening(&self) -> Option<Guard<Arc<Vec<Arc<Registered>>>>> {
        let list = self.list.load();
        (!list.is_empty() && INSIDE.get() == 0 && !self.closed.load(Ordering::Acquire)).then_some(list)
    }

    /// Registers one; its number.
    pub fn add(&self, consumer: Consumer) -> Result<u64, Error> {
        let _change = self.change.lock();
        if self.closed.load(Ordering::Acquire) {
            return Err(Error::Over);
        }
        let mut list = Vec::clone(&self.list.load());
        if list.len() >= MOST {
            return Err(Error::Full);
        }
        let id = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        list.push(Arc::new(Registered { id, consumer, stays: Stays::of(true) }));
        self.list.store(Arc::new(list));
        Ok(id)
    }

    /// Takes one away, and waits until it runs nowhere but on this thread.
    pub fn remove(&self, id: u64) -> Result<(), Error> {
        let gone = {
            let _change = self.change.lock();
            let mut list = Vec::clone(&self.list.load());
            let at = list.iter().position(|known| known.id == id).ok_or(Error::Unknown)?;
            let gone = list.remove(at);
            self.list.store(Arc::new(list));
            gone
        };
        let own = usize::from(INSIDE.get() == id);
        if gone.stays.close(own, PATIENCE) { Ok(()) } else { Err(Error::Busy) }
    }

    /// VMDeath: tells all, once, and takes no more.
    pub fn close(&self, env: *mut JNIEnv) {
        if self.closed.swap(true, Ordering::AcqRel) {
            return;
        }
        for registered in self.list.load().iter() {
            if let Some(function) = registered.consumer.closing {
                // SAFETY: the function it was registered with, and what that is declared for.
                registered.run(|| unsafe { function(env.cast(), registered.consumer.data) });
            }
        }
    }
}

impl Registered {
    /// Runs `body` unless the consumer is removed.
    pub(super) fn run(&self, body: impl FnOnce()) {
        if let Some(_stay) = self.stays.enter() {
            let outer = INSIDE.replace(self.id);
            body();
            INSIDE.set(outer);
        }
    }
}
