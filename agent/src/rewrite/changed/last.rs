//! The environment behind all others.
//!
//! It is made anew when another one may have come behind it: a Java agent has added a transformer
//! (the JDK makes that agent's environment then), a library was loaded, or native code, such as the
//! JDK's recorder, redefines a class. It is not made for each class, for HotSpot frees what was
//! disposed of at a collection only, and goes through all of them at each event.
//! Invariant: one that is disposed of is in no pass. No JVMTI call is made under the lock.
//! Source: JVMTI GetEnv, DisposeEnvironment; `sun.instrument.InstrumentationImpl.addTransformer`.

use std::sync::atomic::{AtomicU64, Ordering};

use std::ffi::{c_char, c_uchar};

use jvmti_bindings::sys::jni::{JNIEnv, jclass, jint, jobject};
use jvmti_bindings::sys::jvmti::{
    JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, jvmtiCapabilities, jvmtiEnv, jvmtiError, jvmtiEventCallbacks,
};

use crate::jvm::jvmti::Jvmti;
use crate::jvm::others;
use crate::jvm::part::Jvm;
use crate::rewrite::classes::{came, give};
use crate::state::native_call::called_back;
use crate::support::boundary::guarded;
use crate::support::lock::Lock;

/// How often a Java agent has added a transformer.
static ADDED: AtomicU64 = AtomicU64::new(0);
/// The newest one last; the others are in passes that are under way.
static KNOWN: Lock<Vec<LaterEnvironment>> = Lock::new(Vec::new());

struct LaterEnvironment {
    env: Jvmti,
    /// What was known of other agents before it was made.
    age: (u64, u64),
    passes: usize,
}

/// The environment that is asked last from now on, for one class. `anew`: whether any may have come
/// behind it unnoticed.
pub fn begin(jvm: &Jvm, anew: bool) -> Result<Jvmti, jvmtiError> {
    let age = (ADDED.load(Ordering::SeqCst), others::loaded());
    if let Some(known) = KNOWN.lock().last_mut().filter(|known| !anew && known.age == age) {
        known.passes += 1;
        return Ok(known.env);
    }
    let env = make(jvm)?;
    let mut known = KNOWN.lock();
    let idle: Vec<_> = known.extract_if(.., |known| known.passes == 0).collect();
    known.push(LaterEnvironment { env, age, passes: 1 });
    drop(known);
    idle.into_iter().for_each(|known| known.env.dispose());
    Ok(env)
}

/// A class has been taken through it.
pub fn end(env: Jvmti) {
    let mut known = KNOWN.lock();
    let newest = known.len().saturating_sub(1);
    let Some(at) = known.iter().position(|known| known.env.same(env)) else { return };
    known[at].passes -= 1;
    let idle = (at < newest && known[at].passes == 0).then(|| known.remove(at));
    drop(known);
    if let Some(idle) = idle {
        idle.env.dispose();
    }
}

fn make(jvm: &Jvm) -> Result<Jvmti, jvmtiError> {
    let last = jvm.invocation.environment().ok_or(jvmtiError::NOT_AVAILABLE)?;
    let mut wanted = jvmtiCapabilities::default();
    // Those that can are asked behind those that cannot.
    wanted.set_can_retransform_classes(true);
    let mut table = jvmtiEventCallbacks::default();
    table.ClassFileLoadHook = Some(last_class_file_load_hook);
    let ready = last.add_capabilities(&wanted).and_then(|()| last.set_callbacks(&table));
    match ready.and_then(|()| last.enable(JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, true)) {
        Ok(()) => Ok(last),
        Err(error) => {
            last.dispose();
            Err(error)
        }
    }
}

/// Of such an environment.
#[allow(clippy::too_many_arguments, reason = "JVMTI's signature")]
unsafe extern "system" fn last_class_file_load_hook(
    jvmti: *mut jvmtiEnv,
    _env: *mut JNIEnv,
    _redefined: jclass,
    _loader: jobject,
    name: *const c_char,
    _domain: jobject,
    length: jint,
    data: *const c_uchar,
    new_length: *mut jint,
    new_data: *mut *mut c_uchar,
) {
    called_back("ClassFileLoadHook", |agent| {
        if agent.run.is_dead() {
            return;
        }
        // SAFETY: the parameters of this callback.
        let Some((name, bytes)) = (unsafe { came(name, length, data) }) else { return };
        if let Some(guarded) = super::finish(agent, jvmti, &name, bytes) {
            // SAFETY: out parameters of the callback.
            unsafe { give(&agent.jvm, bytes, &guarded, (new_length, new_data)) };
        }
    });
}

/// The native of `java.lang.LucceOrigins`, which the JVM finds by its name: it warns of natives
/// that are registered from outside.
///
/// # Safety
/// Called by the JVM.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_LucceOrigins_transformerAdded0(_: *mut JNIEnv, _: jclass) {
    guarded("transformerAdded", (), || {
        ADDED.fetch_add(1, Ordering::SeqCst);
    });
}
