//! `liblucce.so`: the JVMTI agent. Agent_OnLoad sets everything up; afterwards the JVM calls back into `callbacks` and `natives`.
//!
//! Invariant: start-up is the only place where the agent may stop anything; later it can only leave things as they are.
//! Source: JVMTI "Agent Start-Up"; ARCHITECTURE ("The contract", "The agent, by file").

// They end the program where standard error takes nothing: `say!` does not.
#![deny(clippy::print_stderr, clippy::print_stdout)]

#[macro_use]
mod say;

mod abi;
mod agent;
mod algorithm1;
mod boundary;
mod cache;
mod callbacks;
mod calls;
mod capture;
mod catalog;
mod cct;
mod changed;
mod classes;
mod closed;
mod context_table;
mod continuations;
mod control;
mod core;
mod dead;
mod demand;
mod dropped;
mod end;
mod entered;
mod entry;
mod events;
mod faults;
mod frames;
mod here;
mod identity;
mod jdk;
mod jvm;
mod kinds;
mod links;
mod lock;
mod memory;
mod methods;
mod names;
mod native_call;
mod natives;
mod options;
mod oracle;
mod origin;
mod origins;
mod pcc;
mod quiet;
mod report;
mod restore;
mod risk;
mod sources;
mod sparse;
mod start;
mod stopped;
mod supers;
mod switch;
mod tallies;
mod tasks;
mod text;
mod threads;
mod unload;
mod upcalls;
mod values;
mod via;
mod walk;
mod writer;

use std::ffi::{CStr, c_char, c_void};

use jvmti_bindings::sys::jni::{JavaVM, jint};

/// Start with the JVM: `-agentpath:liblucce.so=options`.
///
/// # Safety
/// Called by the JVM once, with its own pointer and a zero-terminated string or null.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Agent_OnLoad(vm: *mut JavaVM, options: *const c_char, _reserved: *mut c_void) -> jint {
    // SAFETY: as this function's own contract.
    let options = (!options.is_null()).then(|| unsafe { CStr::from_ptr(options) }.to_string_lossy().into_owned());
    boundary::guarded("Agent_OnLoad", 0, || {
        let entrances = start::Entrances { callbacks: callbacks::table(), own: abi::own() };
        start::on_load(vm, options.as_deref().unwrap_or(""), &entrances)
    })
}

/// Late attach: not supported, said in one line.
///
/// # Safety
/// Called by the JVM.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Agent_OnAttach(_vm: *mut JavaVM, _options: *const c_char, _: *mut c_void) -> jint {
    boundary::guarded("Agent_OnAttach", 0, || {
        say!(
            "late attach is not supported, for fields can only be added at first load; start with -agentpath; nothing is recorded"
        );
        0
    })
}
