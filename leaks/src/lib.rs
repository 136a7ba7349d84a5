//! A leak detector: which allocation contexts have live objects from ever more generations.
//!
//! A generation is what was allocated between two collections of the old objects. Live sampled objects are held weakly, each with its exact context
//! and the generation of its birth; where the number of generations among the live objects of one context grows without bound, the
//! context is a suspect. Source: generational leak detection as in V. Šor, N. Salnikov-Tarnovski et al., "Memory leak detection in
//! Plumbr" (2015).
//!
//! Invariants: this crate knows Lucce by its public ABI only, and might as well be an agent of its own. No object is kept alive: there are weak
//! global references and nothing else. Memory is bounded by [`samples::MOST`] objects. No lock that an
//! allocating thread takes is held during a call of JNI.

#![warn(missing_docs)]
// They end the program where standard error takes nothing.
#![deny(clippy::print_stderr, clippy::print_stdout)]

mod cycles;
mod detector;
mod growth;
mod jvm;
mod samples;

use std::sync::OnceLock;

use jvmti_bindings::sys::jni::{JNIEnv, JavaVM, jobject};
use jvmti_bindings::sys::jvmti::jvmtiEnv;
use lucce_embed::{Consumer, Env, Event, Lucce};

use detector::Detector;
use jvm::{Jni, Jvmti};

static DETECTOR: OnceLock<Detector> = OnceLock::new();

/// Starts it, in Agent_OnLoad, when Lucce is set up. `lucce` logs its kinds as the agent's own; `interval`: mean bytes between two sampled
/// allocations.
///
/// # Errors
/// One line that says what is in the way.
///
/// # Safety
/// `vm` is the JVM's own pointer.
pub unsafe fn start(vm: *mut JavaVM, lucce: Lucce, interval: u32) -> Result<(), String> {
    // SAFETY: the caller's promise.
    let jvmti = unsafe { Jvmti::of(vm) }.ok_or("leaks: this JVM gives no second JVMTI environment")?;
    if DETECTOR.set(Detector::new(lucce, jvmti, interval)).is_err() {
        return Err("leaks: started twice".into());
    }
    jvmti.listen(on_init, on_collected).map_err(|what| format!("leaks: {what}"))?;
    let _ = lucce.consume(Allocations).map_err(|error| format!("leaks: {error}"))?;
    Ok(())
}

/// Collections of old objects that it has seen so far.
pub fn old_collections() -> u64 {
    DETECTOR.get().map_or(0, Detector::generation)
}

/// Sees the sampled allocations.
struct Allocations;

impl Consumer for Allocations {
    fn event(&self, env: Env, event: &Event<'_>) {
        if let (Some(detector), false) = (DETECTOR.get(), event.object.is_null()) {
            // SAFETY: the environment of the event's thread.
            detector.allocated(unsafe { Jni::new(env.cast()) }, event);
        }
    }

    fn closing(&self, env: Env) {
        if let (Some(detector), false) = (DETECTOR.get(), env.is_null()) {
            // SAFETY: the environment of the thread that VMDeath is posted on.
            detector.finish(unsafe { Jni::new(env.cast()) });
        }
    }
}

unsafe extern "system" fn on_init(_: *mut jvmtiEnv, env: *mut JNIEnv, thread: jobject) {
    jvm::contained(|| {
        if let Some(detector) = DETECTOR.get() {
            // SAFETY: the callback's own environment.
            detector.jvmti.run(unsafe { Jni::new(env) }, thread, c"lucce-leaks", watch);
        }
    });
}

/// On a thread of the collector, while the JVM stands still: no JNI.
unsafe extern "system" fn on_collected(_: *mut jvmtiEnv) {
    jvm::contained(|| {
        if let Some(detector) = DETECTOR.get() {
            detector.collected();
        }
    });
}

/// The detector's own thread.
unsafe extern "system" fn watch(_: *mut jvmtiEnv, env: *mut JNIEnv, _: *mut std::ffi::c_void) {
    jvm::contained(|| {
        if let Some(detector) = DETECTOR.get() {
            // SAFETY: the environment of the thread that runs this.
            detector.watch(unsafe { Jni::new(env) });
        }
    });
}
