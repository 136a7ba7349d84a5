//! The JVMTI functions that change loaded classes, with something done before.
//!
//! The event ClassFileLoadHook tells of such a change too. But while it is enabled, the JVM reads
//! the class file of each class that it takes from its CDS archive. All that changes classes goes
//! through these two functions: native agents, Java agents (`libinstrument`), debuggers, and the
//! JVM's own recorder. So their addresses are replaced in the JVM's own [`table`].
//! Invariant: what is to be done is done before the JVM changes anything, and cannot keep it from
//! that.
//! Source: JVMTI RedefineClasses, RetransformClasses; HotSpot's `jfrJvmtiAgent.cpp`.

use std::mem::transmute;
use std::slice;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use jvmti_bindings::sys::jni::{jclass, jint};
use jvmti_bindings::sys::jvmti::{jvmtiClassDefinition, jvmtiEnv, jvmtiError};

use super::{Jvmti, table};
use crate::support::boundary::guarded;

/// Is told of classes that are about to be changed.
type Before = fn(&[jclass]);

static BEFORE: OnceLock<Before> = OnceLock::new();

type Retransform = unsafe extern "system" fn(*mut jvmtiEnv, jint, *const jclass) -> jvmtiError;
type Redefine = unsafe extern "system" fn(*mut jvmtiEnv, jint, *const jvmtiClassDefinition) -> jvmtiError;

static RETRANSFORM: AtomicUsize = AtomicUsize::new(0);
static REDEFINE: AtomicUsize = AtomicUsize::new(0);

impl Jvmti {
    /// Tells `before` of each class that any environment is about to change, from now on. Once in a
    /// process; false where that cannot be.
    pub fn watch_redefinitions(self, before: Before) -> bool {
        if BEFORE.get().is_some() {
            return true;
        }
        let Some(table) = table::writable(self) else { return false };
        if BEFORE.set(before).is_err() {
            return true;
        }
        // SAFETY: the table may be written. The places are aligned, and others read them as one
        // word.
        let places = unsafe {
            [
                (&RETRANSFORM, &raw mut (*table).RetransformClasses as *mut usize, retransform as *const () as usize),
                (&REDEFINE, &raw mut (*table).RedefineClasses as *mut usize, redefine as *const () as usize),
            ]
        };
        for (original, place, ours) in places {
            // SAFETY: as above.
            let place = unsafe { AtomicUsize::from_ptr(place) };
            original.store(place.load(Ordering::Acquire), Ordering::Release);
            place.store(ours, Ordering::Release);
        }
        true
    }
}

/// Tells of these classes, of which a null pointer names none.
///
/// # Safety
/// There are `count` items, if the pointer is not null.
unsafe fn tell<T>(count: jint, items: *const T, class: impl Fn(&T) -> jclass) {
    let (Some(before), false, Ok(count)) = (BEFORE.get(), items.is_null(), usize::try_from(count)) else { return };
    guarded("a redefinition", (), || {
        // SAFETY: this function's contract.
        let classes: Vec<jclass> = unsafe { slice::from_raw_parts(items, count) }.iter().map(class).collect();
        before(&classes);
    });
}

unsafe extern "system" fn retransform(env: *mut jvmtiEnv, count: jint, classes: *const jclass) -> jvmtiError {
    // SAFETY: the caller's arguments, as JVMTI has them; the address was the function's before this
    // one took its place.
    unsafe {
        tell(count, classes, |class| *class);
        transmute::<usize, Retransform>(RETRANSFORM.load(Ordering::Acquire))(env, count, classes)
    }
}

unsafe extern "system" fn redefine(
    env: *mut jvmtiEnv,
    count: jint,
    definitions: *const jvmtiClassDefinition,
) -> jvmtiError {
    // SAFETY: as above.
    unsafe {
        tell(count, definitions, |definition| definition.klass);
        transmute::<usize, Redefine>(REDEFINE.load(Ordering::Acquire))(env, count, definitions)
    }
}
