//! `liblucce.so`: the JVMTI agent. Agent_OnLoad, Agent_OnAttach or a Java agent's `premain` sets
//! everything up; afterwards the JVM calls back into `callbacks` and `natives`.
//!
//! Invariant: start-up is the only place where the agent may stop anything; later it can only leave
//! things as they are.
//! Source: JVMTI "Agent Start-Up"; ARCHITECTURE ("The contract", "The agent, by room").

// They end the program where standard error takes nothing: `say!` does not.
#![deny(clippy::print_stderr, clippy::print_stdout)]

#[macro_use]
mod registry;
#[macro_use]
mod support;

mod control;
mod encode;
mod entry_points;
mod events;
mod jvm;
mod lifecycle;
mod options;
mod rewrite;
mod stack;
mod state;
mod verify;

use std::ffi::{CStr, c_char, c_void};

use jvmti_bindings::sys::jni::{JNIEnv, JavaVM, jclass, jint, jobject};
use lucce_hook_tables as hook_tables;
use lucce_log_writer as writer;

/// Start with the JVM: `-agentpath:liblucce.so=options`.
///
/// # Safety
/// Called by the JVM once, with its own pointer and a zero-terminated string or null.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Agent_OnLoad(vm: *mut JavaVM, options: *const c_char, _reserved: *mut c_void) -> jint {
    // SAFETY: as this function's own contract.
    unsafe {
        enter(("Agent_OnLoad", 0), options, |options, entrances| lifecycle::start::on_load(vm, options, entrances))
    }
}

/// Into a running JVM: `lucce-decode attach`, or `jcmd <pid> JVMTI.agent_load <path of liblucce.so>
/// '"<options>"'`.
///
/// # Safety
/// As [`Agent_OnLoad`].
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Agent_OnAttach(vm: *mut JavaVM, options: *const c_char, _reserved: *mut c_void) -> jint {
    // SAFETY: as this function's own contract.
    unsafe {
        enter(("Agent_OnAttach", 1), options, |options, entrances| lifecycle::start::on_attach(vm, options, entrances))
    }
}

/// From Java: `-javaagent:lucce-agent.jar=options`, whose `premain` has loaded this library
/// (`java-shim/agent`). As if attached.
///
/// # Safety
/// Called by the JVM.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_org_lucce_agent_JavaAgent_begin(
    env: *mut JNIEnv,
    _class: jclass,
    options: jobject,
) -> jint {
    begin(("premain", 1), |entrances| {
        let jni = state::native_call::jni(env);
        let Some(vm) = jni.vm() else { return 1 };
        lifecycle::start::on_attach(vm, &jni.text(options).unwrap_or_default(), entrances)
    })
}

/// Begins with the options of the JVM's.
///
/// # Safety
/// A zero-terminated string or null.
unsafe fn enter(
    (place, fallback): (&'static str, jint),
    options: *const c_char,
    start: impl FnOnce(&str, &lifecycle::start::Entrances) -> jint,
) -> jint {
    // SAFETY: as this function's own contract.
    let options = (!options.is_null()).then(|| unsafe { CStr::from_ptr(options) }.to_string_lossy().into_owned());
    begin((place, fallback), |entrances| start(options.as_deref().unwrap_or(""), entrances))
}

/// Begins inside the boundary; behind a panic with this result.
fn begin((place, fallback): (&'static str, jint), start: impl FnOnce(&lifecycle::start::Entrances) -> jint) -> jint {
    support::boundary::watch();
    support::boundary::guarded(place, fallback, || {
        start(&lifecycle::start::Entrances {
            callbacks: entry_points::callbacks::table(),
            own: entry_points::abi::own(),
            walks: entry_points::natives::walks,
        })
    })
}
