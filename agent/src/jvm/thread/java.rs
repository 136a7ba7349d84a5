//! A thread of Java, with the environment by which its fields are read.
//!
//! Invariant: the environment is the current thread's, and nothing here outlives the native or
//! callback that was given both. The object is the current thread's own but where another agent
//! asks about one that it names (`embed/include/lucce.h`). Source: JNI specification.

use jvmti_bindings::sys::jni::jobject;

use crate::jvm::jni::Jni;

/// A thread, and how to ask the JVM about it.
#[derive(Clone, Copy)]
pub struct JavaThread {
    /// The environment of the current thread.
    pub jni: Jni,
    /// The `java.lang.Thread`: a local reference.
    pub object: jobject,
}

impl JavaThread {
    /// That thread, asked about in this environment.
    pub fn new(jni: Jni, object: jobject) -> Self {
        Self { jni, object }
    }
}
