//! The invocation interface: which environment is the current thread's.
//!
//! Source: JNI specification, chapter 5, GetEnv.

use std::ffi::c_void;
use std::ptr::null_mut;

use jvmti_bindings::sys::jni::{JNIEnv, JavaVM};

use super::jni::Jni;

/// JNI_VERSION_1_8.
const VERSION: i32 = 0x0001_0008;

/// The JVM. Valid on every thread for the life of the process.
pub struct Vm(*mut JavaVM);

// SAFETY: the invocation interface may be used from any thread.
unsafe impl Send for Vm {}
// SAFETY: as above.
unsafe impl Sync for Vm {}

impl Vm {
    /// # Safety
    /// `vm` is the pointer that the JVM passed to Agent_OnLoad.
    pub unsafe fn new(vm: *mut JavaVM) -> Self {
        Self(vm)
    }

    /// The current thread's environment, if `env` is that; the pointer is compared and not read.
    /// Threads of the collector have none.
    pub fn own(&self, env: *mut c_void) -> Option<Jni> {
        let mut current: *mut c_void = null_mut();
        // SAFETY: the pointer is the JVM's, and the out parameter lives.
        let code = unsafe { ((**self.0).GetEnv)(self.0, &mut current, VERSION) };
        let own = code == 0 && !env.is_null() && current == env;
        // SAFETY: the current thread's, and not kept by those who ask.
        own.then(|| unsafe { Jni::new(env.cast::<JNIEnv>()) })
    }
}
