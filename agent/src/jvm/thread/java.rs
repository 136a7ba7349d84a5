//! A thread of Java, with the environment by which its fields are read.
//!
//! Invariant: the environment is the current thread's, and nothing here outlives the native or
//! callback that was given both. The object is the current thread's own but where another agent
//! asks about one that it names (`embed/include/lucce.h`). Source: JNI specification.

use jvmti_bindings::sys::jni::{jclass, jfieldID, jobject};

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

    /// Its field, of type `int`.
    pub fn int(self, field: jfieldID) -> i32 {
        self.jni.int(self.object, field)
    }

    /// Stores there.
    pub fn set_int(self, field: jfieldID, value: i32) {
        self.jni.set_int(self.object, field, value);
    }

    /// Its field, of type `long`.
    pub fn long(self, field: jfieldID) -> i64 {
        self.jni.long(self.object, field)
    }

    /// Stores there.
    pub fn set_long(self, field: jfieldID, value: i64) {
        self.jni.set_long(self.object, field, value);
    }

    /// What its field refers to: a local reference, or null.
    pub fn object(self, field: jfieldID) -> jobject {
        self.jni.object(self.object, field)
    }

    /// Stores there.
    pub fn set_object(self, field: jfieldID, value: jobject) {
        self.jni.set_object(self.object, field, value);
    }

    /// Its class: a local reference.
    pub fn class(self) -> jclass {
        self.jni.class_of(self.object)
    }

    /// Releases the reference to it.
    pub fn release(self) {
        self.jni.release(self.object);
    }
}
