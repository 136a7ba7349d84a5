//! The JVM's invocation interface: which environment is the current thread's, and one for the
//! agent's own thread.
//!
//! Invariant: the agent's thread is attached, as a daemon that keeps no JVM from ending, only while
//! it has something to do.
//! Source: JNI specification, chapter 5, GetEnv and AttachCurrentThreadAsDaemon.

use std::ffi::c_void;
use std::ptr::null_mut;

use jvmti_bindings::sys::jni::{JNIEnv, JavaVM};

use super::jni::Jni;
use super::jvmti::Jvmti;

/// JNI_VERSION_1_8.
const VERSION: i32 = 0x0001_0008;

/// The running JVM.
#[derive(Clone, Copy)]
pub struct Invocation(*mut JavaVM);

// SAFETY: the invocation interface may be used from any thread.
unsafe impl Send for Invocation {}
// SAFETY: as above.
unsafe impl Sync for Invocation {}

/// JavaVMAttachArgs.
#[repr(C)]
struct Arguments {
    version: i32,
    name: *const std::ffi::c_char,
    group: *mut c_void,
}

impl Invocation {
    /// # Safety
    /// `vm` is the pointer that the JVM passed to Agent_OnLoad.
    pub unsafe fn new(vm: *mut JavaVM) -> Self {
        Self(vm)
    }

    /// A further JVMTI environment; HotSpot puts it behind all others.
    pub fn environment(self) -> Option<Jvmti> {
        Jvmti::of(self.0)
    }

    /// GetEnv: the current thread's environment, if it is one of the JVM's. Not to be kept.
    pub fn current(self) -> Option<Jni> {
        let mut env: *mut c_void = null_mut();
        // SAFETY: the pointer is the JVM's, and the out parameter lives.
        let code = unsafe { ((**self.0).GetEnv)(self.0, &mut env, VERSION) };
        // SAFETY: the current thread's.
        (code == 0 && !env.is_null()).then(|| unsafe { Jni::new(env.cast::<JNIEnv>()) })
    }

    /// The current thread's environment, if `env` is that; the pointer is compared and not read.
    /// Threads of the collector have none.
    pub fn own(self, env: *mut c_void) -> Option<Jni> {
        self.current().filter(|current| current.raw().cast() == env)
    }

    /// Runs `body` with the current thread, which is none of the JVM's, attached. `None` if the JVM
    /// does not allow it.
    pub fn attached<T>(self, body: impl FnOnce(Jni) -> T) -> Option<T> {
        let name = c"lucce-control".as_ptr();
        let mut arguments = Arguments { version: VERSION, name, group: null_mut() };
        let mut env: *mut c_void = null_mut();
        let pointer = (&raw mut arguments).cast();
        // SAFETY: the pointer is the JVM's; arguments and out parameter live during the call.
        let code = unsafe { ((**self.0).AttachCurrentThreadAsDaemon)(self.0, &mut env, pointer) };
        if code != 0 {
            return None;
        }
        // SAFETY: the current thread's, as it was attached now; `body` cannot keep it beyond the
        // call.
        let result = body(unsafe { Jni::new(env.cast::<JNIEnv>()) });
        // SAFETY: attached above; nothing of the JVM is kept. A thread that cannot be detached
        // stays a daemon.
        unsafe { ((**self.0).DetachCurrentThread)(self.0) };
        Some(result)
    }
}
