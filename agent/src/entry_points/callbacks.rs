//! The JVMTI callbacks. Each body is one line into the boundary.
//!
//! Source: JVMTI "Event Index".

use std::ffi::c_char;
use std::os::raw::c_uchar;

use jvmti_bindings::sys::jni::{JNIEnv, jclass, jint, jlong, jobject};
use jvmti_bindings::sys::jvmti::{jvmtiEnv, jvmtiEventCallbacks};

use crate::events::sources::{cpu, registered};
use crate::jvm::jni::Jni;
use crate::jvm::thread::JavaThread;
use crate::lifecycle::end::end;
use crate::rewrite::changed::Left;
use crate::state::native_call::{called_back, told};
use crate::support::boundary::guarded;
use crate::{entry_points::natives, lifecycle::start, rewrite::changed, rewrite::classes, state::unload};

/// For SetEventCallbacks.
pub fn table() -> jvmtiEventCallbacks {
    let mut table = jvmtiEventCallbacks::default();
    table.ClassFileLoadHook = Some(class_file_load_hook);
    table.ClassPrepare = Some(class_prepare);
    table.VMStart = Some(vm_start);
    table.VMInit = Some(vm_init);
    table.VMDeath = Some(vm_death);
    table.ThreadEnd = Some(thread_end);
    table.VirtualThreadEnd = Some(virtual_thread_end);
    table.ObjectFree = Some(object_free);
    registered::ALL.iter().for_each(|source| source.body.callbacks(&mut table));
    table
}

/// The environment that the JVM passed to the callback which is running; none in the primordial
/// phase.
fn jni(env: *mut JNIEnv) -> Option<Jni> {
    // SAFETY: only called with the parameter of the running callback, and not kept.
    (!env.is_null()).then(|| unsafe { Jni::new(env) })
}

#[allow(clippy::too_many_arguments, reason = "JVMTI's signature")]
unsafe extern "system" fn class_file_load_hook(
    _jvmti: *mut jvmtiEnv,
    env: *mut JNIEnv,
    redefined: jclass,
    loader: jobject,
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
        let Some((name, bytes)) = (unsafe { classes::came(name, length, data) }) else { return };
        let loaded = guarded("ClassFileLoadHook", None, || {
            Some(classes::load(agent, jni(env), redefined, loader, &name, bytes))
        });
        let given_up = |reason| classes::give_up(agent, &name, bytes, loader.is_null(), reason);
        let rewritten = match loaded {
            Some(rewritten) => rewritten,
            None => {
                given_up("an error inside the agent");
                None
            }
        };
        // SAFETY: out parameters of the callback.
        let given = rewritten
            .as_ref()
            .is_some_and(|code| unsafe { classes::give(&agent.jvm, bytes, code, (new_length, new_data)) });
        if rewritten.is_some() && !given {
            given_up("no memory for its new code");
        }
        let code = rewritten.as_deref().filter(|_| given).unwrap_or(bytes);
        if let Some(jni) = jni(env) {
            let (redefined, boot) = (!redefined.is_null(), loader.is_null());
            changed::begin(agent, jni, &Left { name: &name, redefined, boot, came: bytes, code });
        }
        if let Some(rewritten) = rewritten {
            classes::recycle(rewritten);
        }
    });
}

unsafe extern "system" fn class_prepare(_: *mut jvmtiEnv, env: *mut JNIEnv, _thread: jobject, class: jclass) {
    told("ClassPrepare", env, |agent, jni| {
        cpu::prepared(agent, jni, class);
        classes::prepared(agent, jni, class);
    });
}

unsafe extern "system" fn vm_start(_: *mut jvmtiEnv, env: *mut JNIEnv) {
    told("VMStart", env, start::on_vm_start);
}

unsafe extern "system" fn vm_init(_: *mut jvmtiEnv, env: *mut JNIEnv, thread: jobject) {
    told("VMInit", env, |agent, jni| start::on_vm_init(agent, JavaThread::new(jni, thread), natives::walks));
}

unsafe extern "system" fn vm_death(_: *mut jvmtiEnv, env: *mut JNIEnv) {
    called_back("VMDeath", |agent| {
        if let Some(jni) = jni(env) {
            cpu::finish(agent, jni);
        }
        agent.events.consumers.close(env);
        end(agent);
    });
}

unsafe extern "system" fn thread_end(_: *mut jvmtiEnv, env: *mut JNIEnv, thread: jobject) {
    told("ThreadEnd", env, |agent, jni| {
        cpu::ended(agent, JavaThread::new(jni, thread));
        agent.encoder.thread_ended(agent, JavaThread::new(jni, thread));
    });
}

unsafe extern "system" fn virtual_thread_end(_: *mut jvmtiEnv, env: *mut JNIEnv, thread: jobject) {
    told("VirtualThreadEnd", env, |agent, jni| agent.encoder.thread_ended(agent, JavaThread::new(jni, thread)));
}

unsafe extern "system" fn object_free(_: *mut jvmtiEnv, tag: jlong) {
    called_back("ObjectFree", |agent| unload::freed(&agent.classes, tag));
}
