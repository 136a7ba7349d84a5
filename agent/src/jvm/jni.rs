//! The JNI functions the agent uses. Raw, guard-free calls: a native costs about 7 ns this way.
//!
//! Invariant: no JNI call is made with an exception pending; whoever may cause one clears it before
//! going on.
//! Source: JNI specification, functions as named.

use std::ffi::{CStr, c_void};
use std::ptr::null_mut;

use jvmti_bindings::sys::jni::{JNIEnv, JNINativeMethod, JavaVM, jclass, jfieldID, jmethodID, jobject, jsize, jvalue};

use crate::support::text;

/// Calls a function of the JNI table.
macro_rules! call {
    ($self:expr, $function:ident $(, $argument:expr)*) => {{
        crate::support::lock::none_held();
        // SAFETY: the environment belongs to the current thread and was handed to this native or
        // callback by the JVM; the arguments are live references, ids of the right class, or
        // buffers of the stated length.
        unsafe { ((**$self.0).$function)($self.0 $(, $argument)*) }
    }};
}

mod arrays;
mod statics;
pub mod surrounded;

/// The JNI environment of the current thread.
#[derive(Clone, Copy)]
pub struct Jni(*mut JNIEnv);

/// A native method for RegisterNatives.
pub struct Native {
    /// Its name and descriptor.
    pub name: &'static CStr,
    /// The JNI signature.
    pub signature: &'static CStr,
    /// The function: `extern "system"`, with the parameters that the signature says.
    pub function: *mut c_void,
}

impl Native {
    /// The method `name` with the JNI signature.
    pub fn new(name: &'static CStr, signature: &'static CStr, function: *mut c_void) -> Self {
        Self { name, signature, function }
    }
}

impl Jni {
    /// # Safety
    /// `env` must be the current thread's environment and must not be kept beyond the native or
    /// callback it was given to.
    pub unsafe fn new(env: *mut JNIEnv) -> Self {
        Self(env)
    }

    /// The raw environment.
    pub fn raw(self) -> *mut JNIEnv {
        self.0
    }

    /// GetJavaVM.
    pub fn vm(self) -> Option<*mut JavaVM> {
        let mut vm = null_mut();
        let code = call!(self, GetJavaVM, &raw mut vm);
        (code == 0 && !vm.is_null()).then_some(vm)
    }

    /// Clears a pending exception; was there one?
    pub fn clear_exception(self) -> bool {
        let pending = call!(self, ExceptionCheck) != 0;
        if pending {
            call!(self, ExceptionClear);
        }
        pending
    }

    /// Takes a pending exception out of the way; null if there is none. To be given to
    /// [`Self::throw_again`].
    pub fn take_exception(self) -> jobject {
        let exception = call!(self, ExceptionOccurred);
        if !exception.is_null() {
            call!(self, ExceptionClear);
        }
        exception
    }

    /// Makes an exception pending again that was taken; null is none.
    pub fn throw_again(self, exception: jobject) {
        if !exception.is_null() {
            call!(self, Throw, exception);
            self.release(exception);
        }
    }

    /// NewLocalRef: null for null and for a weak reference whose object is gone.
    pub fn local(self, object: jobject) -> jobject {
        call!(self, NewLocalRef, object)
    }

    /// IsInstanceOf; `object` is not null.
    pub fn is_instance(self, object: jobject, class: jclass) -> bool {
        call!(self, IsInstanceOf, object, class) != 0
    }

    /// FindClass, null if absent.
    pub fn find_class(self, name: &CStr) -> jclass {
        let class = call!(self, FindClass, name.as_ptr());
        if self.clear_exception() { null_mut() } else { class }
    }

    /// DefineClass in the boot loader, null on failure.
    pub fn define_boot_class(self, name: &CStr, bytes: &[u8]) -> jclass {
        let class = call!(self, DefineClass, name.as_ptr(), null_mut(), bytes.as_ptr().cast(), bytes.len() as jsize);
        if self.clear_exception() { null_mut() } else { class }
    }

    /// RegisterNatives; did it work?
    pub fn register_natives(self, class: jclass, natives: &[Native]) -> bool {
        let table: Vec<JNINativeMethod> = natives
            .iter()
            .map(|native| JNINativeMethod {
                name: native.name.as_ptr(),
                signature: native.signature.as_ptr(),
                fnPtr: native.function,
            })
            .collect();
        let code = call!(self, RegisterNatives, class, table.as_ptr(), table.len() as i32);
        !self.clear_exception() && code == 0
    }

    /// GetFieldID, null if absent.
    pub fn field(self, class: jclass, name: &CStr, signature: &CStr) -> jfieldID {
        let field = call!(self, GetFieldID, class, name.as_ptr(), signature.as_ptr());
        if self.clear_exception() { null_mut() } else { field }
    }

    /// GetMethodID, null if absent.
    pub fn method(self, class: jclass, name: &CStr, signature: &CStr) -> jmethodID {
        let method = call!(self, GetMethodID, class, name.as_ptr(), signature.as_ptr());
        if self.clear_exception() { null_mut() } else { method }
    }

    /// GetStaticMethodID, null if absent. Initialises the class.
    pub fn static_method(self, class: jclass, name: &CStr, signature: &CStr) -> jmethodID {
        let method = call!(self, GetStaticMethodID, class, name.as_ptr(), signature.as_ptr());
        if self.clear_exception() { null_mut() } else { method }
    }

    /// CallObjectMethod without arguments; null on an exception, which is cleared.
    pub fn call_object(self, object: jobject, method: jmethodID) -> jobject {
        let result = call!(self, CallObjectMethodA, object, method, std::ptr::null());
        if self.clear_exception() { null_mut() } else { result }
    }

    /// CallStaticObjectMethod without arguments; null on an exception, which is cleared.
    pub fn call_static_object(self, class: jclass, method: jmethodID) -> jobject {
        let result = call!(self, CallStaticObjectMethodA, class, method, std::ptr::null());
        if self.clear_exception() { null_mut() } else { result }
    }

    /// CallStaticObjectMethod; null on an exception, which is cleared.
    pub fn call_static_object_with(self, class: jclass, method: jmethodID, arguments: &[jvalue]) -> jobject {
        let result = call!(self, CallStaticObjectMethodA, class, method, arguments.as_ptr());
        if self.clear_exception() { null_mut() } else { result }
    }

    /// CallStaticVoidMethod; an exception is cleared.
    pub fn call_static_void(self, class: jclass, method: jmethodID, arguments: &[jvalue]) {
        call!(self, CallStaticVoidMethodA, class, method, arguments.as_ptr());
        self.clear_exception();
    }

    /// EnsureLocalCapacity: many local references will follow.
    pub fn reserve(self, references: i32) {
        call!(self, EnsureLocalCapacity, references);
        self.clear_exception();
    }

    /// NewObject; null on an exception, which is cleared.
    pub fn new_object(self, class: jclass, constructor: jmethodID, arguments: &[jvalue]) -> jobject {
        let object = call!(self, NewObjectA, class, constructor, arguments.as_ptr());
        if self.clear_exception() { null_mut() } else { object }
    }

    /// A Java string; null for `None` or without memory.
    pub fn string(self, text: Option<&str>) -> jobject {
        let Some(text) = text.map(text::the_jvms) else { return null_mut() };
        let string = call!(self, NewStringUTF, text.as_ptr());
        if self.clear_exception() { null_mut() } else { string }
    }

    /// The text of a Java string.
    pub fn text(self, string: jobject) -> Option<String> {
        if string.is_null() {
            return None;
        }
        let chars = call!(self, GetStringUTFChars, string, null_mut());
        if self.clear_exception() || chars.is_null() {
            return None;
        }
        // SAFETY: GetStringUTFChars gives a zero-terminated string until it is released.
        let text = text::ours(unsafe { CStr::from_ptr(chars) }.to_bytes()).into_owned();
        call!(self, ReleaseStringUTFChars, string, chars);
        Some(text)
    }

    /// GetLongField.
    pub fn long(self, object: jobject, field: jfieldID) -> i64 {
        call!(self, GetLongField, object, field)
    }

    /// GetIntField.
    pub fn int(self, object: jobject, field: jfieldID) -> i32 {
        call!(self, GetIntField, object, field)
    }

    /// GetObjectField: a local reference or null.
    pub fn object(self, object: jobject, field: jfieldID) -> jobject {
        call!(self, GetObjectField, object, field)
    }

    /// SetLongField.
    pub fn set_long(self, object: jobject, field: jfieldID, value: i64) {
        call!(self, SetLongField, object, field, value);
    }

    /// SetIntField.
    pub fn set_int(self, object: jobject, field: jfieldID, value: i32) {
        call!(self, SetIntField, object, field, value);
    }

    /// SetObjectField.
    pub fn set_object(self, object: jobject, field: jfieldID, value: jobject) {
        call!(self, SetObjectField, object, field, value);
    }

    /// GetObjectClass: a local reference.
    pub fn class_of(self, object: jobject) -> jclass {
        call!(self, GetObjectClass, object)
    }

    /// NewGlobalRef.
    pub fn global(self, object: jobject) -> jobject {
        call!(self, NewGlobalRef, object)
    }

    /// DeleteGlobalRef.
    pub fn delete_global(self, object: jobject) {
        call!(self, DeleteGlobalRef, object);
    }

    /// NewWeakGlobalRef; null without memory.
    pub fn weak(self, object: jobject) -> jobject {
        let weak = call!(self, NewWeakGlobalRef, object);
        self.clear_exception();
        weak
    }

    /// DeleteWeakGlobalRef.
    pub fn delete_weak(self, object: jobject) {
        call!(self, DeleteWeakGlobalRef, object);
    }

    /// PushLocalFrame, PopLocalFrame: local references that `body` makes go with it.
    pub fn within_frame(self, body: impl FnOnce()) {
        let has_frame = call!(self, PushLocalFrame, 16) == 0;
        self.clear_exception();
        body();
        if has_frame {
            call!(self, PopLocalFrame, null_mut());
        }
    }

    /// GetSuperclass; null for `Object` and interfaces.
    pub fn superclass(self, class: jclass) -> jclass {
        call!(self, GetSuperclass, class)
    }

    /// AllocObject: an instance on which no constructor has run. `None` if there can be none, or
    /// without memory.
    pub fn instance(self, class: jclass) -> Option<jobject> {
        let object = call!(self, AllocObject, class);
        (!self.clear_exception() && !object.is_null()).then_some(object)
    }

    /// IsSameObject.
    pub fn same(self, one: jobject, other: jobject) -> bool {
        call!(self, IsSameObject, one, other) != 0
    }

    /// PushLocalFrame: all references that are made from now on go with [`Self::close_frame`]. Was
    /// there memory for it?
    pub fn open_frame(self) -> bool {
        const REFERENCES: i32 = 16;
        let opened = call!(self, PushLocalFrame, REFERENCES) == 0;
        if !opened {
            // OutOfMemoryError, which is not the program's.
            call!(self, ExceptionClear);
        }
        opened
    }

    /// PopLocalFrame.
    pub fn close_frame(self) {
        call!(self, PopLocalFrame, std::ptr::null_mut());
    }

    /// DeleteLocalRef; null is fine.
    pub fn release(self, object: jobject) {
        if !object.is_null() {
            call!(self, DeleteLocalRef, object);
        }
    }
}

/// DeleteLocalRef for callers that hold only a raw environment.
pub fn delete_local(env: *mut JNIEnv, object: jobject) {
    if !env.is_null() {
        Jni(env).release(object);
    }
}
