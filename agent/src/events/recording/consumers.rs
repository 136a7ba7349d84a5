//! Other agents' consumers of events.
//!
//! Invariant: a consumer is called outside every lock, on the thread of the event, and never from within a consumer. Once it is removed it is
//! not called any more: whoever calls announces it before looking whether it is removed, and whoever removes looks in the other order.

use std::cell::Cell;
use std::ptr::{null, null_mut};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use jvmti_bindings::sys::jni::{JNIEnv, jobject};
use lucce_embed::Error;
use lucce_embed::raw::{CAPTURED, Consumer, Event};
use lucce_words::Word;

use super::{Allocated, Place};
use crate::encode::capture;
use crate::jvm::jni::Jni;
use crate::state::agent::{Agent, count};
use crate::support::kinds::Kind;
use crate::support::lock::Lock;
use crate::support::text::zero_terminated;

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

struct Registered {
    id: u64,
    consumer: Consumer,
    running: AtomicU32,
    removed: AtomicBool,
}

// SAFETY: whoever registers a consumer promises that its functions and data may be used on any thread.
unsafe impl Send for Registered {}
// SAFETY: as above.
unsafe impl Sync for Registered {}

thread_local! {
    /// The consumer that runs on this thread; 0 for none.
    static INSIDE: Cell<u64> = const { Cell::new(0) };
}

/// An event that is given.
pub struct Given<'a> {
    /// Its kind.
    pub kind: Kind<'a>,
    /// Its value.
    pub value: i64,
    /// Internal name of the class that goes with it.
    pub class: Option<&'a str>,
    /// What was allocated.
    pub allocated: Option<Allocated>,
    /// When.
    pub time_ns: u64,
    /// Where.
    pub place: Place<'a>,
}

impl Consumers {
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
        let (running, removed) = (AtomicU32::new(0), AtomicBool::new(false));
        list.push(Arc::new(Registered { id, consumer, running, removed }));
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
        gone.removed.store(true, Ordering::SeqCst);
        let own = u32::from(INSIDE.get() == id);
        let began = Instant::now();
        while gone.running.load(Ordering::SeqCst) > own {
            if began.elapsed() > PATIENCE {
                return Err(Error::Busy);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    /// Gives an event to all.
    pub fn give(&self, agent: &Agent, jni: Jni, thread: jobject, given: &Given<'_>) {
        let list = self.list.load();
        if list.is_empty() || INSIDE.get() != 0 || self.closed.load(Ordering::Acquire) {
            return;
        }
        let (kind, class) = (zero_terminated(&given.kind.label()), given.class.map(zero_terminated));
        let wanted = list.iter().any(|registered| registered.consumer.flags & CAPTURED != 0);
        let (word, site, node) = match given.place {
            Place::Here(context) => {
                let node = if wanted { capture::keep(agent, jni, thread, context) } else { None };
                (context.word, context.site, node)
            }
            Place::Captured(node, site) => (Word::NONE, site, Some(node)),
        };
        let event = Event {
            size: size_of::<Event>() as u32,
            site: site.0 as i32,
            kind: kind.as_ptr(),
            value: given.value,
            word: word.0,
            captured: node.map_or(0, |node| node.0.into()),
            time_ns: given.time_ns,
            thread,
            r#type: given.allocated.map_or(null_mut(), |allocated| allocated.class),
            type_name: class.as_ref().map_or(null(), |class| class.as_ptr()),
            object: given.allocated.map_or(null_mut(), |allocated| allocated.object),
        };
        for registered in list.iter() {
            if let Some(function) = registered.consumer.event {
                let captured = if registered.consumer.flags & CAPTURED != 0 { event.captured } else { 0 };
                registered.run(|| {
                    count(&agent.counters.abi_given);
                    // SAFETY: the function it was registered with, and what that is declared for.
                    unsafe { function(jni.raw().cast(), &Event { captured, ..event }, registered.consumer.data) }
                });
            }
        }
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
    fn run(&self, body: impl FnOnce()) {
        self.running.fetch_add(1, Ordering::SeqCst);
        if !self.removed.load(Ordering::SeqCst) {
            let outer = INSIDE.replace(self.id);
            body();
            INSIDE.set(outer);
        }
        self.running.fetch_sub(1, Ordering::SeqCst);
    }
}
