//! `liblucce.so`: the JVMTI agent. Agent_OnLoad sets everything up; afterwards the JVM calls back into `callbacks` and `natives`.
//!
//! Invariant: start-up is the only place where the agent may stop anything; later it can only leave things as they are.
//! Source: JVMTI "Agent Start-Up"; ARCHITECTURE ("The contract", "The agent, by room").

// They end the program where standard error takes nothing: `say!` does not.
#![deny(clippy::print_stderr, clippy::print_stdout)]

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

use jvmti_bindings::sys::jni::{JavaVM, jint};
use lucce_hook_tables as hook_tables;
use lucce_log_writer as writer;

/// Start with the JVM: `-agentpath:liblucce.so=options`.
///
/// # Safety
/// Called by the JVM once, with its own pointer and a zero-terminated string or null.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Agent_OnLoad(vm: *mut JavaVM, options: *const c_char, _reserved: *mut c_void) -> jint {
    // SAFETY: as this function's own contract.
    let options = (!options.is_null()).then(|| unsafe { CStr::from_ptr(options) }.to_string_lossy().into_owned());
    support::boundary::watch();
    support::boundary::guarded("Agent_OnLoad", 0, || {
        let entrances =
            lifecycle::start::Entrances { callbacks: entry_points::callbacks::table(), own: entry_points::abi::own() };
        lifecycle::start::on_load(vm, options.as_deref().unwrap_or(""), &entrances)
    })
}

/// Late attach: not supported, said in one line.
///
/// # Safety
/// Called by the JVM.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Agent_OnAttach(_vm: *mut JavaVM, _options: *const c_char, _: *mut c_void) -> jint {
    support::boundary::guarded("Agent_OnAttach", 0, || {
        say!(
            "late attach is not supported, for fields can only be added at first load; start with -agentpath; nothing is recorded"
        );
        0
    })
}
