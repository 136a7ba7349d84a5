//! A leak detector: which allocation contexts have live objects from ever more generations.
//!
//! A generation is what was allocated between two collections of the old objects. Live sampled
//! objects are held weakly, each with its exact context and the generation of its birth; where the
//! number of generations among the live objects of one context grows without bound, the context is
//! a suspect. Source: generational leak detection as in V. Šor, N. Salnikov-Tarnovski et al.,
//! "Memory leak detection in Plumbr" (2015).
//!
//! Invariants: this crate knows Lucce by its public ABI only, and might as well be an agent of its
//! own. No object is kept alive: there are weak global references and nothing else. Memory is
//! bounded by [`samples::MOST`] objects. No lock that an allocating thread takes is held during a
//! call of JNI.

#![warn(missing_docs)]
// They end the program where standard error takes nothing.
#![deny(clippy::print_stderr, clippy::print_stdout)]

mod cycles;
mod detector;
mod growth;
mod jvm;
mod samples;

use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

use jvmti_bindings::sys::jni::{JNIEnv, JavaVM, jobject};
use jvmti_bindings::sys::jvmti::jvmtiEnv;
use lucce_embed::{Consumer, Env, Event, Lucce};

use detector::Detector;
use jvm::{Jni, Jvmti};

/// The detector of the run, which is never freed: some thread may still be in a callback of one
/// that is over.
static DETECTOR: AtomicPtr<Detector> = AtomicPtr::new(null_mut());

fn detector() -> Option<&'static Detector> {
    // SAFETY: null, or what `start` has leaked.
    unsafe { DETECTOR.load(Ordering::Acquire).as_ref() }
}

/// Starts it, in Agent_OnLoad or Agent_OnAttach, when Lucce is set up. `lucce` logs its kinds as
/// the agent's own; `interval`: mean bytes between two sampled allocations.
///
/// # Errors
/// One line that says what is in the way.
///
/// # Safety
/// `vm` is the JVM's own pointer.
pub unsafe fn start(vm: *mut JavaVM, lucce: Lucce, interval: u32) -> Result<(), String> {
    // SAFETY: the caller's promise.
    let new = || unsafe { Jvmti::of(vm) }.ok_or("leaks: this JVM gives no second JVMTI environment");
    let jvmti = match detector() {
        Some(before) if !before.is_over() => return Err("leaks: started twice".into()),
        // The JVM keeps each environment that it has given.
        Some(before) => before.jvmti,
        None => new()?,
    };
    DETECTOR.store(Box::into_raw(Box::new(Detector::new(lucce, jvmti, interval))), Ordering::Release);
    jvmti.listen(on_init, on_collected).map_err(|what| format!("leaks: {what}"))?;
    let _ = lucce.consume(Allocations).map_err(|error| format!("leaks: {error}"))?;
    Ok(())
}

/// Begins in a JVM that runs, where no VMInit will come. `thread`: a `java.lang.Thread`.
///
/// # Safety
/// The environment is that of the running thread.
pub unsafe fn begin(env: *mut JNIEnv, thread: jobject) {
    if let Some(detector) = detector() {
        // SAFETY: the caller's promise.
        detector.jvmti.run(unsafe { Jni::new(env) }, thread, c"lucce-leaks", watch);
    }
}

/// Collections of old objects that it has seen so far.
pub fn old_collections() -> u64 {
    detector().map_or(0, Detector::generation)
}

/// Sees the sampled allocations.
struct Allocations;

impl Consumer for Allocations {
    fn event(&self, env: Env, event: &Event<'_>) {
        if let (Some(detector), false) = (detector(), event.object.is_null()) {
            // SAFETY: the environment of the event's thread.
            detector.allocated(unsafe { Jni::new(env.cast()) }, event);
        }
    }

    fn closing(&self, env: Env) {
        if let (Some(detector), false) = (detector(), env.is_null()) {
            // SAFETY: the environment of the thread that ends the run.
            let jni = unsafe { Jni::new(env.cast()) };
            detector.finish(jni);
            detector.leave(jni);
        }
    }
}

unsafe extern "system" fn on_init(_: *mut jvmtiEnv, env: *mut JNIEnv, thread: jobject) {
    // SAFETY: the callback's own environment.
    jvm::contained(|| unsafe { begin(env, thread) });
}

/// On a thread of the collector, while the JVM stands still: no JNI.
unsafe extern "system" fn on_collected(_: *mut jvmtiEnv) {
    jvm::contained(|| {
        if let Some(detector) = detector() {
            detector.collected();
        }
    });
}

/// The detector's own thread.
unsafe extern "system" fn watch(_: *mut jvmtiEnv, env: *mut JNIEnv, _: *mut std::ffi::c_void) {
    jvm::contained(|| {
        if let Some(detector) = detector() {
            // SAFETY: the environment of the thread that runs this.
            detector.watch(unsafe { Jni::new(env) });
        }
    });
}
