//! What the JVM gets in place of a class's bytes.
//!
//! Invariant: without memory the class stays as it came. Source: JVMTI ClassFileLoadHook.

use jvmti_bindings::sys::jni::jint;
use std::ffi::c_uchar;

use crate::hook_tables::memory;
use crate::state::agent::Agent;

/// Gives the JVM a class in place of another one. False where there is no memory.
///
/// # Safety
/// `out`: the out parameters of the running ClassFileLoadHook, for length and bytes.
pub unsafe fn give(agent: &Agent, bytes: &[u8], code: &[u8], out: (*mut jint, *mut *mut c_uchar)) -> bool {
    // The JVM keeps the class as it came.
    memory::will_keep(bytes.len() + code.len());
    let (Ok(length), Some(memory)) = (jint::try_from(code.len()), agent.jvmti.allocate(code)) else { return false };
    // SAFETY: as above; the memory is JVMTI's own, as the event requires.
    unsafe {
        *out.0 = length;
        *out.1 = memory;
    }
    true
}
