//! Continuations of the JDK's own (`jdk.internal.vm.Continuation`) that are no virtual threads': a
//! program that has opened the package runs them on whatever thread it likes.
//!
//! Such a continuation takes its frames from the stack and puts them back later, below other
//! callers, while the thread's state and shadow stack go on. So no activation in one has a word,
//! and none pushes: what it calls walks, and so do its events, which are exact.
//! Invariant: where one goes on, what the thread has published is UNKNOWN. The thread names the
//! continuation that it carries, which tells natives where they are.
//! Source: `Continuation.run` of JDK 21 and 25, which sets `Thread.cont` of its carrier;
//! docs/design/mechanisms.md ("Continuations").

use std::sync::atomic::{AtomicBool, Ordering};

use jvmti_bindings::sys::jni::{JNIEnv, jclass, jobject};

use crate::jvm::jni::Jni;
use crate::jvm::part::Jvm;
use crate::state::agent::Agent;
use crate::support::boundary::guarded;

static EXIST: AtomicBool = AtomicBool::new(false);

/// Has any ever run?
pub fn exist() -> bool {
    EXIST.load(Ordering::Relaxed)
}

/// Is the continuation a virtual thread's?
pub fn is_virtual_threads(jvm: &Jvm, jni: Jni, continuation: jobject) -> bool {
    let class = jni.class_of(continuation);
    let signature = jvm.jvmti.class_signature(class);
    jni.release(class);
    signature.as_deref() == Some("Ljava/lang/VirtualThread$VThreadContinuation;")
}

/// The native of `java.lang.LucceOrigins`, which the JVM finds by its name.
///
/// # Safety
/// Called by the JVM.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_LucceOrigins_continues0(_: *mut JNIEnv, _: jclass) {
    guarded("continues", (), || {
        if !EXIST.swap(true, Ordering::Relaxed)
            && let Some(agent) = Agent::get()
        {
            agent.run.note("continuations are run that are no virtual threads': below them each call is walked");
        }
    });
}
