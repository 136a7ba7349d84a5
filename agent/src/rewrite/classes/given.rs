//! What the JVM shows of a class that it loads, and what it gets in place of that.
//!
//! Invariant: without memory the class stays as it came. Source: JVMTI ClassFileLoadHook.

use std::borrow::Cow;
use std::ffi::{CStr, c_char, c_uchar};

use jvmti_bindings::sys::jni::jint;

use crate::hook_tables::heap;
use crate::jvm::part::Jvm;
use crate::support::text;

/// The name and the bytes of a class that is loaded; `None` without bytes, and where they have no
/// name.
///
/// # Safety
/// The parameters of the running ClassFileLoadHook; the bytes are not kept.
pub unsafe fn came<'b>(name: *const c_char, length: jint, data: *const c_uchar) -> Option<(Cow<'b, str>, &'b [u8])> {
    if data.is_null() {
        return None;
    }
    // SAFETY: JVMTI passes `length` bytes of class file that live during the callback.
    let bytes = unsafe { std::slice::from_raw_parts(data, length.max(0) as usize) };
    // SAFETY: a zero-terminated name or null, live during the callback.
    let given = (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) });
    Some((name_of(given, bytes)?, bytes))
}

/// Gives the JVM a class in place of another one. False where there is no memory.
///
/// # Safety
/// `out`: the out parameters of the running ClassFileLoadHook, for length and bytes.
pub unsafe fn give(jvm: &Jvm, bytes: &[u8], code: &[u8], out: (*mut jint, *mut *mut c_uchar)) -> bool {
    // The JVM keeps the class as it came.
    heap::will_keep(bytes.len() + code.len());
    let (Ok(length), Some(memory)) = (jint::try_from(code.len()), jvm.jvmti.allocate(code)) else { return false };
    // SAFETY: as above; the memory is JVMTI's own, as the event requires.
    unsafe {
        *out.0 = length;
        *out.1 = memory;
    }
    true
}

/// The name of a class, from the hook's parameter or, where that is null, from the bytes.
fn name_of<'n>(given: Option<&'n CStr>, bytes: &'n [u8]) -> Option<Cow<'n, str>> {
    match given {
        Some(name) => Some(text::ours(name.to_bytes())),
        None => lucce_classfile::summary(bytes).ok().map(|class| text::ours(class.name)),
    }
}
