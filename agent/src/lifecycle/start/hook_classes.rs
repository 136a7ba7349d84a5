//! The compiled hook classes, which the agent brings along.
//!
//! Invariant: each source in `java-shim/hooks` is one class here, for the build lists that folder.
//! All are defined in `java.base` before anything that was rewritten can run; those of an option
//! only with it. Where no class is rewritten there is one alone, in no module
//! ([`crate::jvm::walks_class`]). Source: JNI DefineClass; `agent/build.rs`.

use std::ffi::CStr;

use jvmti_bindings::sys::jni::jclass;

use crate::events::sources::registered;
use crate::jvm::jni::Jni;
use crate::jvm::walks_class;
use crate::state::agent::Agent;

// The table `CLASSES`: internal names and bytes.
include!(concat!(env!("OUT_DIR"), "/hook_classes.rs"));

/// Defines the classes that the options need. Could all be defined?
pub fn define_all(agent: &Agent, jni: Jni) -> bool {
    CLASSES
        .iter()
        .filter(|(name, _)| is_needed(agent, name))
        .all(|(name, bytes)| !jni.define_boot_class(name, bytes).is_null())
}

/// Defines one of the classes; null if that cannot be.
pub fn define(jni: Jni, name: &CStr) -> jclass {
    let known = CLASSES.iter().find(|(known, _)| *known == name);
    known.map_or(std::ptr::null_mut(), |(name, bytes)| jni.define_boot_class(name, bytes))
}

fn is_needed(agent: &Agent, name: &CStr) -> bool {
    match name.to_bytes() {
        b"java/lang/LucceTree" => agent.encoder.hook_class() == Some(name),
        b"java/lang/LucceClass" | b"java/lang/LucceTallies" => agent.events.tallies.is_some(),
        b"java/lang/LucceTask" | b"java/lang/LucceTasks" => agent.options.follows_tasks,
        walks if walks == walks_class::NAME.to_bytes() => false,
        // Those of event sources are defined by themselves, once the JVM is up.
        _ => registered::ALL.iter().all(|source| source.body.hook_class() != Some(name)),
    }
}
