//! `cpu=<interval>`: each running thread logs its context at the first entry of a method after a tick, with the CPU time it has used since.
//!
//! Invariant: the sum of all values is CPU time that threads have used, each nanosecond once: a thread that sleeps weighs nothing. The context is
//! exact; the place is the next entry of a method with hooks (which may stand behind its early returns), not where the tick struck. A virtual thread is charged with what its carrier has
//! used, one event for each carrier and tick.
//! Source: clock_gettime(2), CLOCK_THREAD_CPUTIME_ID.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use jvmti_bindings::sys::jni::jobject;
use lucce_words::{Bci, MethodId, Version, Word};

use super::Scene;
use crate::agent::Agent;
use crate::capture::Context;
use crate::events::{self, Happening};
use crate::jvm::jni::Jni;
use crate::kinds::Kind;
use crate::{here, walk};

const KIND: Kind<'_> = Kind::own("cpu");

/// Counts the ticks; the hooks read it.
static TICKS: AtomicU32 = AtomicU32::new(1);

thread_local! {
    /// The tick of the last event of this thread of the system's, and the CPU time it had used then; none before its first.
    static LAST: Cell<Option<(u32, u64)>> = const { Cell::new(None) };
}

/// Where the ticks are counted; 0 if nobody wants them.
pub fn address(agent: &Agent) -> i64 {
    if agent.options.cpu.is_some() { std::ptr::from_ref(&TICKS) as i64 } else { 0 }
}

/// Starts the ticks. The thread is no Java thread, and calls nothing of the JVM.
pub fn start(agent: &'static Agent) {
    let Some(interval) = agent.options.cpu else { return };
    let tick = move || {
        while !agent.is_dead() {
            std::thread::sleep(interval);
            // 0 is what a new thread has seen.
            if TICKS.fetch_add(1, Ordering::Relaxed) == u32::MAX {
                TICKS.fetch_add(1, Ordering::Relaxed);
            }
        }
    };
    if let Err(error) = std::thread::Builder::new().name("lucce-ticker".into()).spawn(tick) {
        say!("no thread for cpu: {error}; it is ignored");
    }
}

/// `LucceHooks.tick`: `method` was entered with `word`, for the first time in its thread since a tick.
pub fn ticked(agent: &Agent, jni: Jni, thread: jobject, method: MethodId, word: Word) {
    if agent.is_dead() {
        return;
    }
    let (tick, used) = (TICKS.load(Ordering::Relaxed), used());
    let Some(last) = LAST.replace(Some((tick, used))) else { return };
    if last.0 == tick {
        // Another virtual thread of this carrier was first.
        LAST.set(Some(last));
        return;
    }
    if !agent.switch.takes(KIND) {
        return;
    }
    let scene = Scene { agent, jni, thread, figures: &agent.sources.cpu };
    let Some(context) = at_entry(scene, method, word) else {
        agent.count_lost(Some(&scene.figures.lost));
        return;
    };
    let value = used.saturating_sub(last.1) as i64;
    events::log(
        scene,
        &Happening { kind: KIND, value, class: None, allocated: None, walked: Vec::new(), above: 0, location: None },
        &context,
    );
}

fn at_entry(scene: Scene<'_>, method: MethodId, word: Word) -> Option<Context> {
    let Scene { agent, jni, thread, .. } = scene;
    let entry = agent.catalog.method(method).filter(|_| word.version().0 != 0)?;
    let site = if entry.map.is_entered_late() {
        let frame = here::innermost(agent, jni).filter(|frame| frame.method == Some(method))?;
        walk::standing(agent, &frame)?.site
    } else {
        agent.catalog.site_at(method, &entry, Bci(0))?
    };
    let chain = if word.chained() { agent.fields.get()?.chain(jni, thread) } else { Vec::new() };
    Some(Context { word, site, version: Version(0), chain, published: true })
}

/// CPU time of the running thread, in nanoseconds.
fn used() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is ours; the clock exists on Linux, and without it the time stays 0.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32).as_nanos() as u64
}
