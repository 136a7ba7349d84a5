//! CPU time as an event source: where the JVM comes in.
//!
//! Invariant: with the option off the JVM sends nothing of this. Source: JVMTI ClassLoad,
//! CompiledMethodLoad, DynamicCodeGenerated, ThreadStart.

use std::ffi::{CStr, c_char, c_void};

use jvmti_bindings::sys::jni::{JNIEnv, jclass, jint, jmethodID, jobject};
use jvmti_bindings::sys::jvmti::{jvmtiAddrLocationMap, jvmtiCapabilities, jvmtiEnv, jvmtiEventCallbacks};

use crate::events::sources::registered::EventSource;
use crate::jvm::thread::JavaThread;
use crate::options::Options;
use crate::state::agent::Agent;
use crate::state::native_call::{called_back, told};

/// The source.
pub struct Cpu;

impl EventSource for Cpu {
    fn capabilities(&self, _: &Options, wanted: &mut jvmtiCapabilities) {
        wanted.set_can_generate_compiled_method_load_events(true);
    }

    fn callbacks(&self, table: &mut jvmtiEventCallbacks) {
        table.ThreadStart = Some(thread_start);
        table.ClassLoad = Some(class_load);
        table.CompiledMethodLoad = Some(compiled_method_load);
        table.DynamicCodeGenerated = Some(dynamic_code_generated);
    }

    fn start(&self, agent: &'static Agent, thread: JavaThread, _: &str) {
        super::start(agent, thread);
    }

    fn figures(&self, _: &Agent, add: &mut dyn FnMut(&'static str, u64)) {
        super::figures(add);
    }
}

unsafe extern "system" fn thread_start(_: *mut jvmtiEnv, env: *mut JNIEnv, thread: jobject) {
    told("ThreadStart", env, |_, jni| super::began(JavaThread::new(jni, thread)));
}

/// `AsyncGetCallTrace` asks that these are sent, from the beginning on.
unsafe extern "system" fn class_load(_: *mut jvmtiEnv, _: *mut JNIEnv, _thread: jobject, _class: jclass) {}

/// While these are sent the JIT notes for all its code where that stands, not for safepoints alone.
unsafe extern "system" fn compiled_method_load(
    _: *mut jvmtiEnv,
    _method: jmethodID,
    _size: jint,
    _address: *const c_void,
    _count: jint,
    _map: *const jvmtiAddrLocationMap,
    _info: *const c_void,
) {
}

unsafe extern "system" fn dynamic_code_generated(
    _: *mut jvmtiEnv,
    name: *const c_char,
    address: *const c_void,
    length: jint,
) {
    called_back("DynamicCodeGenerated", |agent| {
        if let (false, Ok(length)) = (name.is_null(), usize::try_from(length)) {
            // SAFETY: the JVM's own name and code, which it never gives back.
            unsafe { super::generated(&agent.options, CStr::from_ptr(name), address, length) };
        }
    });
}
