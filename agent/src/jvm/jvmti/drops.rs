//! The JVMTI functions that end a frame without running its exit, or may do so, with something done
//! around them.
//!
//! No event tells of a frame that was dropped, so the addresses of these functions are replaced in
//! the JVM's own [`table`].
//! Invariant: where the memory may not be written, nothing is.
//! Source: JVMTI PopFrame, ForceEarlyReturn, StopThread; `JvmtiEnvBase::JvmtiEnvBase` of HotSpot.

use std::mem::transmute;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use jvmti_bindings::sys::jni::{jdouble, jfloat, jint, jlong, jobject};
use jvmti_bindings::sys::jvmti::{jvmtiEnv, jvmtiError, jvmtiInterface_1_};

use super::{Jvmti, table};
use crate::support::boundary::guarded;

/// What is done around a drop.
pub struct Drops {
    /// May the top frame of that thread be dropped?
    pub may: fn(jobject) -> bool,
    /// It will be as soon as the thread goes on.
    pub done: fn(jobject),
    /// An exception is about to strike that thread, wherever it is.
    pub stops: fn(jobject),
}

static DROPS: OnceLock<Drops> = OnceLock::new();

impl Jvmti {
    /// Does this around the functions of all environments from now on; once in a run. False where
    /// that cannot be.
    pub fn watch_drops(self, drops: Drops) -> bool {
        let Some(table) = table::writable(self) else { return false };
        // The new functions find it before the first is called.
        let _ = DROPS.set(drops);
        replace(table);
        true
    }
}

/// Calls one of the functions, if it may be called.
fn call(thread: jobject, call: impl FnOnce() -> jvmtiError) -> jvmtiError {
    let Some(Drops { may, done, .. }) = DROPS.get() else { return call() };
    if !guarded("a drop", true, || may(thread)) {
        // "... the implementation is unable to provide this functionality on this frame."
        return jvmtiError::OPAQUE_FRAME;
    }
    let code = call();
    if code == jvmtiError::NONE {
        guarded("a drop", (), || done(thread));
    }
    code
}

/// Calls StopThread.
fn stop(thread: jobject, call: impl FnOnce() -> jvmtiError) -> jvmtiError {
    if let Some(Drops { stops, .. }) = DROPS.get() {
        guarded("a stop", (), || stops(thread));
    }
    call()
}

macro_rules! functions {
    ($table:ident, $around:ident: $($field:ident($($value:ident: $type:ty)?);)*) => { $({
        static ORIGINAL: AtomicUsize = AtomicUsize::new(0);
        type Function = unsafe extern "system" fn(*mut jvmtiEnv, jobject $(, $type)?) -> jvmtiError;
        unsafe extern "system" fn dropping(env: *mut jvmtiEnv, thread: jobject $(, $value: $type)?) -> jvmtiError {
            // SAFETY: it was the function's address before this one took its place.
            let original = unsafe { transmute::<usize, Function>(ORIGINAL.load(Ordering::Acquire)) };
            // SAFETY: the JVM's own function, with the arguments that it was called with.
            $around(thread, || unsafe { original(env, thread $(, $value)?) })
        }
        // SAFETY: an aligned address in memory that may be written, and that others read as one
        // word.
        let place = unsafe { AtomicUsize::from_ptr((&raw mut (*$table).$field).cast()) };
        let original = place.load(Ordering::Acquire);
        if original != 0 {
            ORIGINAL.store(original, Ordering::Release);
            place.store(dropping as *const () as usize, Ordering::Release);
        }
    })* };
}

fn replace(table: *mut jvmtiInterface_1_) {
    functions! { table, stop:
        StopThread(exception: jobject);
    }
    functions! { table, call:
        PopFrame();
        ForceEarlyReturnObject(value: jobject);
        ForceEarlyReturnInt(value: jint);
        ForceEarlyReturnLong(value: jlong);
        ForceEarlyReturnFloat(value: jfloat);
        ForceEarlyReturnDouble(value: jdouble);
        ForceEarlyReturnVoid();
    }
}
