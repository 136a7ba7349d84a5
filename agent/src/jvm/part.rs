//! The JVM that the agent is in: how it is asked, and what is known of it for the whole run.
//!
//! Invariant: the fields and the class of threads are found once, at VMStart; where the agent comes
//! into a JVM that runs, it adds no fields, and finds the class as it begins.
//! Source: JVMTI "Agent Start-Up"; docs/design/thread-state.md.

use std::sync::OnceLock;

use jvmti_bindings::sys::jni::{JavaVM, jclass};

use crate::jvm::attached::Invocation;
use crate::jvm::env::Env;
use crate::jvm::global::GlobalClass;
use crate::jvm::image::Image;
use crate::jvm::jni::Jni;
use crate::jvm::jvmti::Jvmti;
use crate::jvm::thread::ThreadFields;

/// The JVM of this process.
pub struct Jvm {
    /// The JVMTI environment.
    pub jvmti: Jvmti,
    /// The way to attach a thread, and to the environment of the current one.
    pub invocation: Invocation,
    /// Has it virtual threads (JEP 444)?
    pub has_virtual_threads: bool,
    /// The JDK's classes as they came.
    pub image: Image,
    /// The thread state, from VMStart on.
    pub fields: OnceLock<ThreadFields>,
    /// `java.lang.Thread`.
    thread_class: OnceLock<GlobalClass>,
}

impl Jvm {
    /// The JVM whose JDK is in the folder `home`.
    ///
    /// # Safety
    /// `vm` is the pointer that the JVM passed to Agent_OnLoad.
    pub unsafe fn new(vm: *mut JavaVM, jvmti: Jvmti, has_virtual_threads: bool, home: Option<&str>) -> Self {
        Self {
            jvmti,
            // SAFETY: as this function's own contract.
            invocation: unsafe { Invocation::new(vm) },
            has_virtual_threads,
            image: Image::of(home),
            fields: OnceLock::new(),
            thread_class: OnceLock::new(),
        }
    }

    /// How the thread of this environment asks it.
    pub fn env(&self, jni: Jni) -> Env {
        Env { jvmti: self.jvmti, jni }
    }

    /// The class of threads is found.
    pub fn knows_threads(&self, jni: Jni, class: jclass) {
        // Set once: VMStart is posted once.
        let _ = self.thread_class.set(GlobalClass::of(jni, class));
    }

    /// `java.lang.Thread`, from VMStart on.
    pub fn thread_class(&self) -> Option<jclass> {
        self.thread_class.get().map(GlobalClass::raw)
    }
}
