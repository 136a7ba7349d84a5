//! Rewriting ahead: while the program starts, a thread of the agent's rewrites the classes that it will probably load next.
//!
//! A class that is being loaded is rewritten between two of the JVM's own doings, with caches that hold other code, and the program waits for it.
//! A thread that rewrites one class after the other has neither. It finds them on the class path, and guesses from what loaded classes name.
//!
//! Invariant: a class that was rewritten ahead is taken only for a class of the same bytes, and only if whatever the rewriter was told then is what
//! it would be told now. So what the JVM gets is what the loading thread would have made but for ids, and a wrong guess costs time alone. The
//! thread calls no JVM, and holds no lock while it reads or rewrites.
//! Source: ARCHITECTURE, "Rewriting ahead".

mod archived;
mod class_path;
mod guesses;
mod manifest;
mod ready;
mod shelf;
mod worker;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crossbeam_channel::Sender;

pub use ready::Ready;
use shelf::Shelf;
use worker::Loaded;

use crate::agent::{Agent, count};
use crate::lock::Lock;
use crate::origin::Loader;

/// So many class files, of so many bytes at most, may wait to be read by the thread for what they name: some 16 MiB, for threads that load at the
/// same moment may each add one more. Others it finds by itself, but then it inflates them once more.
const COPIES: usize = 256;
const LONGEST: usize = 64 << 10;

/// What was rewritten ahead, and where the thread that does it is told what was loaded.
#[derive(Default)]
pub struct Ahead {
    shelf: Lock<Shelf>,
    loaded: OnceLock<Sender<Loaded>>,
    /// Has somebody found that the thread has ended? Then nothing waits, and nobody hears of loaded classes.
    ended: AtomicBool,
    /// Classes that were rewritten ahead.
    pub made: AtomicU64,
    /// How many of them were loaded so.
    pub taken: AtomicU64,
    /// How many were loaded, and rewritten once more, for something was different.
    pub refused: AtomicU64,
}

/// Starts the thread, where there is a processor for it and something to find.
pub fn start(agent: &'static Agent) {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    if !agent.options.ahead || !agent.options.start || processors < 2 {
        return;
    }
    let property = |name| agent.jvmti.property(name).unwrap_or_default();
    let (classes, modules) = (property("java.class.path"), property("jdk.module.path"));
    if let Some(sender) = worker::start(agent, classes, modules) {
        // Set once: an agent starts once.
        let _ = agent.ahead.loaded.set(sender);
    }
}

/// A class of this name is being defined for the first time, by this loader if that is known: what was made of it ahead, if that still holds.
pub fn take(agent: &Agent, loader: Option<Loader>, name: &str, bytes: &[u8]) -> Option<Ready> {
    let Ahead { shelf, loaded, ended, .. } = &agent.ahead;
    let loaded = loaded.get().filter(|_| !ended.load(Ordering::Relaxed))?;
    let mut found = shelf.lock().take(name);
    let holds = found.as_ref().is_some_and(|ready| ready.holds(agent, loader, bytes));
    let class_file = (bytes.len() <= LONGEST && loaded.len() < COPIES)
        .then(|| found.as_mut().map_or_else(|| bytes.to_vec(), Ready::take_bytes));
    if loaded.send(Loaded { name: name.into(), bytes: class_file }).is_err() {
        // What is left on the shelf it has thrown away, or is about to.
        ended.store(true, Ordering::Relaxed);
    }
    let ready = found?;
    if !holds {
        count(&agent.ahead.refused);
        agent.ahead.shelf.lock().waste(&ready);
        return None;
    }
    count(&agent.ahead.taken);
    Some(ready)
}

/// How many classes, methods and sites have ids and were never loaded.
pub fn unused(agent: &Agent) -> (u32, u32, u32) {
    agent.ahead.shelf.lock().unused()
}

/// Has guessing proved to be of no use here?
fn is_useless(agent: &Agent) -> bool {
    let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    load(&agent.ahead.made) > 1024 + 4 * load(&agent.ahead.taken)
}
