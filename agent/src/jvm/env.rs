//! Both interfaces of the JVM, as the current thread may ask by them.
//!
//! Invariant: the environment is the current thread's, and nothing here outlives the native or
//! callback that was given it. Source: JNI specification; JVMTI specification.

use crate::jvm::jni::Jni;
use crate::jvm::jvmti::Jvmti;

/// How the current thread asks the JVM.
#[derive(Clone, Copy)]
pub struct Env {
    /// The JVMTI environment, the same on all threads.
    pub jvmti: Jvmti,
    /// The environment of the current thread.
    pub jni: Jni,
}
