//! `agent.c` in Rust: where threads wait for monitors, by exact context, printed at the end.
//!
//! Invariant: the lock is held for a look into the table only while the program runs.
//! Source: JVMTI MonitorContendedEnter; `embed/examples/agent.c`.

use std::collections::BTreeMap;
use std::ffi::{c_char, c_void};
use std::ptr::null_mut;
use std::sync::{Mutex, OnceLock, PoisonError};

use jvmti_bindings::sys::jni::{JNIEnv, JavaVM, jint, jobject};
use jvmti_bindings::sys::jvmti::{
    JVMTI_ENABLE, JVMTI_EVENT_MONITOR_CONTENDED_ENTER, JVMTI_EVENT_VM_DEATH, JVMTI_EVENT_VM_INIT, JVMTI_VERSION_11,
    jvmtiCapabilities, jvmtiEnv, jvmtiEvent, jvmtiEventCallbacks,
};
use lucce_embed::{Captured, Lucce};

static LUCCE: OnceLock<Lucce> = OnceLock::new();
static CONTEXTS: Mutex<BTreeMap<Captured, u64>> = Mutex::new(BTreeMap::new());

unsafe extern "system" fn on_contended(_: *mut jvmtiEnv, env: *mut JNIEnv, _thread: jobject, _object: jobject) {
    // SAFETY: the environment that the callback was given.
    if let Some(captured) = LUCCE.get().and_then(|lucce| unsafe { lucce.capture(env.cast()) }) {
        *CONTEXTS.lock().unwrap_or_else(PoisonError::into_inner).entry(captured).or_default() += 1;
    }
}

unsafe extern "system" fn on_death(_: *mut jvmtiEnv, _: *mut JNIEnv) {
    let Some(lucce) = LUCCE.get() else { return };
    for (&captured, times) in CONTEXTS.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        let frames = lucce.decode(captured).unwrap_or_default();
        let frame = |frame: &lucce_embed::Frame| {
            let (file, line) = (frame.file.as_deref().unwrap_or("?"), frame.line.map_or(-1, i64::from));
            format!(" {}.{}({file}:{line})", frame.class, frame.method)
        };
        println!("contended {times} times:{}", frames.iter().map(frame).collect::<String>());
    }
}

unsafe extern "system" fn on_init(jvmti: *mut jvmtiEnv, _: *mut JNIEnv, _thread: jobject) {
    match Lucce::find() {
        Some(lucce) => {
            let _ = LUCCE.set(lucce);
            // SAFETY: the environment that the callback was given.
            unsafe { enable(jvmti, JVMTI_EVENT_MONITOR_CONTENDED_ENTER) };
        }
        None => eprintln!("agent: there is no Lucce in this JVM"),
    }
}

/// # Safety
/// `jvmti` is an environment of this JVM.
unsafe fn enable(jvmti: *mut jvmtiEnv, event: jvmtiEvent) {
    // SAFETY: the function's contract.
    unsafe { (*(*jvmti).functions).SetEventNotificationMode.map(|set| set(jvmti, JVMTI_ENABLE, event, null_mut())) };
}

/// # Safety
/// Called by the JVM.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Agent_OnLoad(vm: *mut JavaVM, _options: *const c_char, _: *mut c_void) -> jint {
    let mut env = null_mut();
    // SAFETY: the JVM's own pointer.
    if unsafe { ((**vm).GetEnv)(vm, &mut env, JVMTI_VERSION_11) } != 0 {
        return -1;
    }
    let jvmti: *mut jvmtiEnv = env.cast();
    let mut capabilities = jvmtiCapabilities::default();
    capabilities.set_can_generate_monitor_events(true);
    let mut callbacks = jvmtiEventCallbacks::default();
    callbacks.VMInit = Some(on_init);
    callbacks.VMDeath = Some(on_death);
    callbacks.MonitorContendedEnter = Some(on_contended);
    // SAFETY: a fresh environment; the structs live during the calls.
    unsafe {
        let functions = &*(*jvmti).functions;
        functions.AddCapabilities.map(|add| add(jvmti, &capabilities));
        functions.SetEventCallbacks.map(|set| set(jvmti, &callbacks, size_of_val(&callbacks) as jint));
        enable(jvmti, JVMTI_EVENT_VM_INIT);
        enable(jvmti, JVMTI_EVENT_VM_DEATH);
    }
    0
}
