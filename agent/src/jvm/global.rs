//! A class that stays at hand on every thread.
//!
//! Invariant: the reference is never given back: what holds one lives as long as the JVM.
//! Source: JNI specification, "Global and Local References".

use jvmti_bindings::sys::jni::jclass;

use super::jni::Jni;

/// A global reference to a class.
pub struct GlobalClass(jclass);

// SAFETY: global references are valid on all threads.
unsafe impl Send for GlobalClass {}
// SAFETY: as above.
unsafe impl Sync for GlobalClass {}

impl GlobalClass {
    /// Keeps the class.
    pub fn of(jni: Jni, class: jclass) -> Self {
        Self(jni.global(class))
    }

    /// The class, for any thread.
    pub fn raw(&self) -> jclass {
        self.0
    }
}
