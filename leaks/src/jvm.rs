//! The JNI and JVMTI functions that the detector uses.
//!
//! Invariant: no exception is left pending; each reference that is made is released by whoever
//! asked for it.
//! Source: JNI and JVMTI specifications, functions as named.

use std::ffi::{CStr, c_void};
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{null, null_mut};

use jvmti_bindings::sys::jni::{JNIEnv, JavaVM, jint, jobject, jvalue};
use jvmti_bindings::sys::jvmti::{
    JVMTI_DISABLE, JVMTI_ENABLE, JVMTI_EVENT_GARBAGE_COLLECTION_FINISH, JVMTI_EVENT_VM_INIT,
    JVMTI_THREAD_NORM_PRIORITY, JVMTI_VERSION_11, jvmtiCapabilities, jvmtiEnv, jvmtiError, jvmtiEventCallbacks,
};

/// What RunAgentThread runs.
type Body = unsafe extern "system" fn(*mut jvmtiEnv, *mut JNIEnv, *mut c_void);
/// A callback of VMInit.
type OnInit = unsafe extern "system" fn(*mut jvmtiEnv, *mut JNIEnv, jobject);
/// A callback of GarbageCollectionFinish.
type OnCollected = unsafe extern "system" fn(*mut jvmtiEnv);

/// A panic in a callback ends here; the panic's hook has told of it.
pub fn contained(body: impl FnOnce()) {
    let _ = catch_unwind(AssertUnwindSafe(body));
}

/// Calls a function of the JVMTI table.
macro_rules! jvmti {
    ($self:expr, $function:ident $(, $argument:expr)*) => {{
        // SAFETY: the environment lives as long as the JVM; an absent slot is an error like any
        // other.
        match unsafe { (*(*$self.0).functions).$function } {
            // SAFETY: arguments are live structs, references of this thread, or functions of this
            // library.
            Some(function) => unsafe { function($self.0 $(, $argument)*) },
            None => jvmtiError::NOT_AVAILABLE,
        }
    }};
}

/// A JVMTI environment of this crate's own.
#[derive(Clone, Copy)]
pub struct Jvmti(*mut jvmtiEnv);

// SAFETY: JVMTI environments may be used from any thread.
unsafe impl Send for Jvmti {}
// SAFETY: as above.
unsafe impl Sync for Jvmti {}

impl Jvmti {
    /// # Safety
    /// `vm` is the JVM's own pointer.
    pub unsafe fn of(vm: *mut JavaVM) -> Option<Self> {
        let mut env = null_mut();
        // SAFETY: this function's contract.
        let code = unsafe { ((**vm).GetEnv)(vm, &mut env, JVMTI_VERSION_11) };
        (code == 0 && !env.is_null()).then_some(Self(env.cast()))
    }

    /// Asks for VMInit and GarbageCollectionFinish.
    pub fn listen(self, on_init: OnInit, on_collected: OnCollected) -> Result<(), String> {
        let failed = |what: &'static str| move |error: jvmtiError| format!("{what}: JVMTI error {error}");
        let mut capabilities = jvmtiCapabilities::default();
        capabilities.set_can_generate_garbage_collection_events(true);
        check(jvmti!(self, AddCapabilities, &capabilities)).map_err(failed("no events of collections"))?;
        let mut callbacks = jvmtiEventCallbacks::default();
        callbacks.VMInit = Some(on_init);
        callbacks.GarbageCollectionFinish = Some(on_collected);
        let size = size_of_val(&callbacks) as jint;
        check(jvmti!(self, SetEventCallbacks, &callbacks, size)).map_err(failed("callbacks"))?;
        for event in [JVMTI_EVENT_VM_INIT, JVMTI_EVENT_GARBAGE_COLLECTION_FINISH] {
            let code = jvmti!(self, SetEventNotificationMode, JVMTI_ENABLE, event, null_mut());
            check(code).map_err(failed("events"))?;
        }
        Ok(())
    }

    /// Asks for no events any more, and gives back what it could. A JVM that refuses sends events
    /// that are not taken.
    pub fn listen_no_more(self) {
        for event in [JVMTI_EVENT_VM_INIT, JVMTI_EVENT_GARBAGE_COLLECTION_FINISH] {
            let _ = jvmti!(self, SetEventNotificationMode, JVMTI_DISABLE, event, null_mut());
        }
        let mut capabilities = jvmtiCapabilities::default();
        capabilities.set_can_generate_garbage_collection_events(true);
        let _ = jvmti!(self, RelinquishCapabilities, &capabilities);
    }

    /// Runs `body` on a new daemon thread; `any` is a `java.lang.Thread`. Without one nothing is
    /// detected, which is said.
    pub fn run(self, jni: Jni, any: jobject, name: &CStr, body: Body) {
        let class = jni.class_of(any);
        let new = jni.method(class, c"<init>", c"(Ljava/lang/String;)V");
        let thread = if new.is_null() { null_mut() } else { jni.new_object(class, new, jni.string(name)) };
        let code = if thread.is_null() {
            jvmtiError::OUT_OF_MEMORY
        } else {
            jvmti!(self, RunAgentThread, thread, Some(body), null(), JVMTI_THREAD_NORM_PRIORITY as jint)
        };
        if check(code).is_err() {
            say("its thread cannot be started");
        }
    }
}

fn check(code: jvmtiError) -> Result<(), jvmtiError> {
    if code == jvmtiError::NONE { Ok(()) } else { Err(code) }
}

/// Calls a function of the JNI table.
macro_rules! jni {
    ($self:expr, $function:ident $(, $argument:expr)*) => {{
        // SAFETY: the environment is the current thread's; arguments are live references or ids of
        // the right class.
        unsafe { ((**$self.0).$function)($self.0 $(, $argument)*) }
    }};
}

/// The JNI environment of the current thread.
#[derive(Clone, Copy)]
pub struct Jni(*mut JNIEnv);

/// A weak global reference.
#[derive(Debug)]
pub struct Weak(jobject);

// SAFETY: weak global references are valid on all threads.
unsafe impl Send for Weak {}

/// An object and a method of it that gives a long; kept for ever.
pub struct LongGetter {
    object: jobject,
    method: jobject,
}

impl Jni {
    /// # Safety
    /// `env` is the current thread's, and is not kept beyond the callback.
    pub unsafe fn new(env: *mut JNIEnv) -> Self {
        Self(env)
    }

    /// The environment as Lucce's ABI takes it.
    pub fn env(self) -> lucce_embed::Env {
        self.0.cast()
    }

    /// NewWeakGlobalRef; `None` without memory.
    pub fn weak(self, object: jobject) -> Option<Weak> {
        let weak = jni!(self, NewWeakGlobalRef, object);
        self.clear();
        (!weak.is_null()).then_some(Weak(weak))
    }

    /// Is the object gone? IsSameObject with null does not keep it alive.
    pub fn is_gone(self, weak: &Weak) -> bool {
        jni!(self, IsSameObject, weak.0, null_mut()) != 0
    }

    /// DeleteWeakGlobalRef.
    pub fn forget(self, weak: Weak) {
        jni!(self, DeleteWeakGlobalRef, weak.0);
    }

    /// GetObjectClass.
    fn class_of(self, object: jobject) -> jobject {
        jni!(self, GetObjectClass, object)
    }

    /// GetMethodID; null if absent.
    fn method(self, class: jobject, name: &CStr, signature: &CStr) -> jobject {
        let method = jni!(self, GetMethodID, class, name.as_ptr(), signature.as_ptr());
        if self.clear() { null_mut() } else { method.cast() }
    }

    fn string(self, text: &CStr) -> jobject {
        let string = jni!(self, NewStringUTF, text.as_ptr());
        if self.clear() { null_mut() } else { string }
    }

    fn new_object(self, class: jobject, constructor: jobject, argument: jobject) -> jobject {
        let object = jni!(self, NewObjectA, class, constructor.cast(), &jvalue { l: argument });
        if self.clear() { null_mut() } else { object }
    }

    /// The elements of a list that a static method of a class gives, each with its text and its
    /// getter; empty if anything is absent.
    pub fn listed(self, class: &CStr, lister: &CStr, text: &CStr, getter: &CStr) -> Vec<(String, LongGetter)> {
        let class = jni!(self, FindClass, class.as_ptr());
        if self.clear() || class.is_null() {
            return Vec::new();
        }
        let list = jni!(self, GetStaticMethodID, class, lister.as_ptr(), c"()Ljava/util/List;".as_ptr());
        if self.clear() || list.is_null() {
            return Vec::new();
        }
        let list = jni!(self, CallStaticObjectMethodA, class, list, null());
        if self.clear() || list.is_null() {
            return Vec::new();
        }
        let to_array = self.method(self.class_of(list), c"toArray", c"()[Ljava/lang/Object;");
        let array = if to_array.is_null() { null_mut() } else { self.call(list, to_array) };
        let length = if array.is_null() { 0 } else { jni!(self, GetArrayLength, array) };
        let mut found = Vec::new();
        for index in 0..length {
            let object = jni!(self, GetObjectArrayElement, array, index);
            let class = self.class_of(object);
            let text = self.method(class, text, c"()Ljava/lang/String;");
            let method = self.method(class, getter, c"()J");
            if let (false, false, Some(text)) = (text.is_null(), method.is_null(), self.text(object, text)) {
                found.push((text, LongGetter { object: jni!(self, NewGlobalRef, object), method }));
            }
        }
        found
    }

    /// What the getter gives; 0 on an exception.
    pub fn long(self, getter: &LongGetter) -> i64 {
        let value = jni!(self, CallLongMethodA, getter.object, getter.method.cast(), null());
        if self.clear() { 0 } else { value }
    }

    fn call(self, object: jobject, method: jobject) -> jobject {
        let result = jni!(self, CallObjectMethodA, object, method.cast(), null());
        if self.clear() { null_mut() } else { result }
    }

    fn text(self, object: jobject, method: jobject) -> Option<String> {
        let string = self.call(object, method);
        if string.is_null() {
            return None;
        }
        let chars = jni!(self, GetStringUTFChars, string, null_mut());
        if self.clear() || chars.is_null() {
            return None;
        }
        // SAFETY: a zero-terminated string until it is released.
        let text = unsafe { CStr::from_ptr(chars) }.to_string_lossy().into_owned();
        jni!(self, ReleaseStringUTFChars, string, chars);
        Some(text)
    }

    /// Clears a pending exception; was there one?
    fn clear(self) -> bool {
        let pending = jni!(self, ExceptionCheck) != 0;
        if pending {
            jni!(self, ExceptionClear);
        }
        pending
    }
}

/// Says why nothing will be found. A line that standard error does not take is dropped.
pub fn say(why: &str) {
    let _ = std::io::stderr().write_all(format!("lucce: leaks: {why}; no leak is detected\n").as_bytes());
}
