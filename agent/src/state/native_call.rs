//! What each native of the hooks' classes, and each callback of the JVM's, begins with.
//!
//! Invariant: no panic reaches Java; where the agent cannot answer, the caller gets what it said.
//! Source: `crate::support::boundary`.

use jvmti_bindings::sys::jni::{JNIEnv, jobject};

use crate::jvm::jni::Jni;
use crate::jvm::thread::JavaThread;
use crate::state::agent::{Agent, count};
use crate::support::boundary::guarded;

/// Runs `body` with the agent, inside the boundary; counted.
pub fn with<T: Copy>(place: &'static str, fallback: T, body: impl FnOnce(&'static Agent) -> T) -> T {
    guarded(place, fallback, || {
        Agent::get().map_or(fallback, |agent| {
            count(&agent.run.counters.natives);
            body(agent)
        })
    })
}

/// The environment that the JVM passed to the native which is running.
pub fn jni(env: *mut JNIEnv) -> Jni {
    // SAFETY: only called with the parameter of the running native, and not kept.
    unsafe { Jni::new(env) }
}

/// The running thread, as a native was given it.
pub fn java_thread(env: *mut JNIEnv, thread: jobject) -> JavaThread {
    JavaThread::new(jni(env), thread)
}

/// The same for a callback of the JVM's, which has no answer.
pub fn called_back(place: &'static str, body: impl FnOnce(&'static Agent)) {
    guarded(place, (), || {
        if let Some(agent) = Agent::get() {
            count(&agent.run.counters.callbacks);
            // Behind the end of a run that has left, nothing is told.
            if let Some(_stay) = agent.run.stays.enter() {
                body(agent);
            }
        }
    });
}

/// The same for an event that the JVM tells on the thread with that environment.
pub fn told(place: &'static str, env: *mut JNIEnv, body: impl FnOnce(&'static Agent, Jni)) {
    called_back(place, |agent| {
        if !env.is_null() {
            body(agent, jni(env));
        }
    });
}
