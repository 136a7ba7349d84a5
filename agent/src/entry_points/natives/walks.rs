//! The natives of `org.lucce.walks.LucceWalks`: captures, events and traces for the Java API, where
//! no class is rewritten.
//!
//! Invariant: as in `natives.rs`. What a call learns is learned before the end of the run takes it
//! away ([`crate::support::stays`]), and outside a run there are no contexts and no events.
//! Source: `java-shim/hooks`, whose signatures these mirror.

use std::ffi::c_void;
use std::ptr::null_mut;

use jvmti_bindings::sys::jni::{JNIEnv, jboolean, jclass, jlong, jobject};

use super::api;
use crate::encode::capture;
use crate::jvm::jni::Native;
use crate::jvm::thread::JavaThread;
use crate::jvm::walks_class;
use crate::state::agent::Agent;
use crate::state::native_call::{java_thread, jni, with};

/// For RegisterNatives.
pub fn table() -> Vec<Native> {
    vec![
        Native::new(c"capture", c"(Ljava/lang/Thread;)J", captured as *mut c_void),
        Native::new(c"event", c"(Ljava/lang/Thread;Ljava/lang/String;JLjava/lang/Class;J)Z", event as *mut c_void),
        Native::new(c"trace", c"(J)[Ljava/lang/StackTraceElement;", trace as *mut c_void),
        Native::new(c"run", c"()J", run as *mut c_void),
    ]
}

/// Runs `body` with the agent as long as its run goes on, which does not end meanwhile.
fn within_run<T: Copy>(place: &'static str, fallback: T, body: impl FnOnce(&'static Agent) -> T) -> T {
    with(place, fallback, |agent| match agent.run.stays.enter() {
        Some(_stay) if walks_class::is_open() => body(agent),
        _ => fallback,
    })
}

extern "system" fn captured(env: *mut JNIEnv, _: jclass, thread: jobject) -> jlong {
    within_run("walks.capture", 0, |agent| capture::capture(agent, java_thread(env, thread)))
}

extern "system" fn event(
    env: *mut JNIEnv,
    _: jclass,
    thread: jobject,
    kind: jobject,
    value: jlong,
    class: jclass,
    at: jlong,
) -> jboolean {
    let taken = within_run("walks.event", false, |agent| {
        let jni = jni(env);
        let happened = |kind: String| api::happened(agent, JavaThread::new(jni, thread), (&kind, value, class), at);
        jni.text(kind).is_some_and(happened)
    });
    jboolean::from(taken)
}

extern "system" fn trace(env: *mut JNIEnv, _: jclass, captured: jlong) -> jobject {
    within_run("walks.trace", null_mut(), |agent| api::frames(agent, env, captured))
}

extern "system" fn run(_: *mut JNIEnv, _: jclass) -> jlong {
    within_run("walks.run", 0, |agent| agent.run.id as jlong)
}
