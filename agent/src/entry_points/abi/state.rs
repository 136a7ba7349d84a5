//! What the ABI keeps. Invariant: the class of threads is known before any function of the ABI
//! needs it.

use std::sync::OnceLock;

use jvmti_bindings::sys::jni::jclass;

use crate::events::recording::Consumers;
use crate::jvm::jni::Jni;

/// What the ABI needs beside the agent.
#[derive(Default)]
pub struct Abi {
    /// `java.lang.Thread`, a global reference, from VMStart on.
    pub(super) thread_class: OnceLock<Global>,
    /// Who wants events.
    pub consumers: Consumers,
}

/// A global reference.
pub(super) struct Global(pub(super) jclass);

// SAFETY: global references are valid on all threads.
unsafe impl Send for Global {}
// SAFETY: as above.
unsafe impl Sync for Global {}

impl Abi {
    /// VMStart: the class of threads.
    pub fn knows_threads(&self, jni: Jni, class: jclass) {
        // Set once: VMStart is posted once.
        let _ = self.thread_class.set(Global(jni.global(class)));
    }
}
