//! The JVMTI functions the agent uses, each as a method that returns `None` or an empty value on
//! any error.
//!
//! Invariant: memory that JVMTI allocates is copied and deallocated here, never handed out.
//! Source: JVMTI specification, functions as named.

use std::ffi::{CStr, CString, c_char};
use std::ptr::{null, null_mut};
use std::sync::{Mutex, PoisonError};

use jvmti_bindings::sys::jni::{JNIEnv, JNINativeInterface_, JavaVM, jint, jmethodID, jobject, jvalue};
use jvmti_bindings::sys::jvmti::{
    JVMTI_DISABLE, JVMTI_ENABLE, JVMTI_MAX_EVENT_TYPE_VAL, JVMTI_MIN_EVENT_TYPE_VAL, JVMTI_PHASE_LIVE,
    JVMTI_PHASE_PRIMORDIAL, JVMTI_THREAD_NORM_PRIORITY, JVMTI_VERSION_11, jvmtiCapabilities, jvmtiEnv, jvmtiError,
    jvmtiEvent, jvmtiEventCallbacks, jvmtiFrameInfo, jvmtiMonitorUsage,
};

use super::jni::Jni;
use super::redefined;
use crate::support::text;

/// Calls a function of the JVMTI table; an absent slot is an error like any other.
macro_rules! call {
    ($self:expr, $function:ident $(, $argument:expr)*) => {{
        crate::support::lock::none_held();
        // SAFETY: the environment was given by GetEnv and lives as long as the JVM; arguments are
        // checked by each wrapper.
        match unsafe { (*(*$self.env).functions).$function } {
            // SAFETY: as above; the signature is that of the pinned bindings.
            Some(function) => unsafe { function($self.env $(, $argument)*) },
            None => jvmtiError::NOT_AVAILABLE,
        }
    }};
}

mod classes;
mod drops;
mod redefinitions;
mod table;

pub use drops::Drops;

/// A JVMTI environment. Valid on every thread for the life of the JVM.
#[derive(Clone, Copy)]
pub struct Jvmti {
    env: *mut jvmtiEnv,
    /// Is the current thread named where it is asked about? Without that, JDK 21 waits until no
    /// thread at all is mounting or unmounting a virtual thread, which may in turn wait for the
    /// asking one: it may hold locks that mounting takes, by code of the JDK's or in an event.
    names_the_thread: bool,
    /// May a stack name a method by what is no id? See [`redefined`].
    loses_ids: bool,
}

// SAFETY: JVMTI environments may be used from any thread (JVMTI "Environments").
unsafe impl Send for Jvmti {}
// SAFETY: as above; the functions synchronise themselves.
unsafe impl Sync for Jvmti {}

/// What RunAgentThread runs.
pub type AgentThread = unsafe extern "system" fn(*mut jvmtiEnv, *mut JNIEnv, *mut std::ffi::c_void);

/// So often a stack is asked for whose methods have no ids.
const ATTEMPTS: usize = 8;

/// May it be the id of a method? Those of the JVMs that lose some are addresses of pointers, which
/// from JDK 26 on they are not (JDK-8268406).
fn is_id(method: usize) -> bool {
    method >= 1 << 12 && method.is_multiple_of(align_of::<usize>())
}

impl Jvmti {
    /// A JVMTI 11 environment of `vm`, or `None` on a JVM that has none.
    pub fn of(vm: *mut JavaVM) -> Option<Self> {
        let mut env = null_mut();
        // SAFETY: `vm` is the pointer that the JVM passed to Agent_OnLoad.
        let code = unsafe { ((**vm).GetEnv)(vm, &mut env, JVMTI_VERSION_11) };
        (code == 0 && !env.is_null()).then_some(Self { env: env.cast(), names_the_thread: false, loses_ids: false })
    }

    /// The same, with walks of the current thread by its name.
    pub fn naming_the_thread(self) -> Self {
        Self { names_the_thread: true, ..self }
    }

    /// The same, of a JVM that may name a method by what is no id.
    pub fn losing_ids(self) -> Self {
        Self { loses_ids: true, ..self }
    }

    /// Is it this one?
    pub fn is(self, env: *mut jvmtiEnv) -> bool {
        self.env == env
    }

    /// Are both one environment?
    pub fn same(self, other: Self) -> bool {
        self.env == other.env
    }

    /// DisposeEnvironment: it is told nothing any more, and nothing may be asked of it.
    pub fn dispose(self) {
        // One that cannot be disposed of stays, and is asked for nothing.
        let _ = call!(self, DisposeEnvironment);
    }

    /// AddCapabilities.
    pub fn add_capabilities(self, wanted: &jvmtiCapabilities) -> Result<(), jvmtiError> {
        check(call!(self, AddCapabilities, wanted))
    }

    /// GetPhase: does the JVM run?
    pub fn is_live(self) -> bool {
        let mut phase = JVMTI_PHASE_PRIMORDIAL;
        check(call!(self, GetPhase, &mut phase)).is_ok() && phase == JVMTI_PHASE_LIVE
    }

    /// GetPotentialCapabilities: what this environment may have now; nothing, on error.
    pub fn potential_capabilities(self) -> jvmtiCapabilities {
        let mut potential = jvmtiCapabilities::default();
        match check(call!(self, GetPotentialCapabilities, &mut potential)) {
            Ok(()) => potential,
            Err(_) => jvmtiCapabilities::default(),
        }
    }

    /// RelinquishCapabilities: gives back what it has. One that the JVM does not take back stays,
    /// and is used for nothing.
    pub fn relinquish(self) {
        let mut held = jvmtiCapabilities::default();
        if check(call!(self, GetCapabilities, &mut held)).is_ok() {
            let _ = call!(self, RelinquishCapabilities, &held);
        }
    }

    /// SetEventCallbacks. The callbacks must stay valid for ever: they are functions of this
    /// library.
    pub fn set_callbacks(self, callbacks: &jvmtiEventCallbacks) -> Result<(), jvmtiError> {
        check(call!(self, SetEventCallbacks, callbacks, size_of::<jvmtiEventCallbacks>() as jint))
    }

    /// SetEventCallbacks without any, and SetEventNotificationMode of all: the JVM tells nothing
    /// more. One that refuses tells those that take nothing.
    pub fn stop_events(self) {
        let _ = call!(self, SetEventCallbacks, null(), 0);
        for event in JVMTI_MIN_EVENT_TYPE_VAL..=JVMTI_MAX_EVENT_TYPE_VAL {
            let _ = self.enable(event, false);
        }
    }

    /// SetEventNotificationMode for all threads.
    pub fn enable(self, event: jvmtiEvent, on: bool) -> Result<(), jvmtiError> {
        let mode = if on { JVMTI_ENABLE } else { JVMTI_DISABLE };
        check(call!(self, SetEventNotificationMode, mode, event, null_mut()))
    }

    /// SetHeapSamplingInterval, in bytes.
    pub fn sample_every(self, bytes: i32) -> Result<(), jvmtiError> {
        check(call!(self, SetHeapSamplingInterval, bytes))
    }

    /// GetSystemProperty.
    pub fn property(self, name: &str) -> Option<String> {
        let name = CString::new(name).ok()?;
        let mut value = null_mut();
        check(call!(self, GetSystemProperty, name.as_ptr(), &mut value)).ok()?;
        self.take_string(value)
    }

    /// GetStackTrace of the current thread (virtual threads: of the virtual thread) into `buffer`,
    /// from `start`; the number of frames written. None where the JVM names methods by what is no
    /// id, again and again.
    pub fn stack_trace(self, start: i32, buffer: &mut [jvmtiFrameInfo]) -> usize {
        for _ in 0..ATTEMPTS {
            let count = self.one_stack_trace(start, buffer);
            if !self.loses_ids || buffer.iter().take(count).all(|frame| is_id(frame.method as usize)) {
                return count;
            }
        }
        0
    }

    fn one_stack_trace(self, start: i32, buffer: &mut [jvmtiFrameInfo]) -> usize {
        let mut count = 0;
        let _alone = if self.names_the_thread { None } else { redefined::alone() };
        let code = call!(
            self,
            GetStackTrace,
            self.running(),
            start,
            buffer.len().min(i32::MAX as usize) as jint,
            buffer.as_mut_ptr(),
            &mut count
        );
        if check(code).is_ok() { count.max(0) as usize } else { 0 }
    }

    /// GetStackTrace of any thread of the system's into `buffer`, from `start` (from the outermost
    /// frame on if it is negative); the number of frames written.
    pub fn stack_of(self, thread: jobject, start: i32, buffer: &mut [jvmtiFrameInfo]) -> usize {
        let mut count = 0;
        let _alone = redefined::alone();
        let most = buffer.len().min(i32::MAX as usize) as jint;
        let code = call!(self, GetStackTrace, thread, start, most, buffer.as_mut_ptr(), &mut count);
        let count = if check(code).is_ok() { count.max(0) as usize } else { 0 };
        let are_ids = !self.loses_ids || buffer.iter().take(count).all(|frame| is_id(frame.method as usize));
        if are_ids { count } else { 0 }
    }

    /// GetObjectMonitorUsage: a local reference to the thread that owns an object's monitor; `None`
    /// if the JVM names none. It waits until no thread mounts or unmounts a virtual thread (JDK 21
    /// and later), so that the running thread must hold nothing that mounting takes.
    pub fn monitor_owner(self, jni: Jni, object: jobject) -> Option<jobject> {
        let mut usage = jvmtiMonitorUsage {
            owner: null_mut(),
            entry_count: 0,
            waiter_count: 0,
            waiters: null_mut(),
            notify_waiter_count: 0,
            notify_waiters: null_mut(),
        };
        check(call!(self, GetObjectMonitorUsage, object, &mut usage)).ok()?;
        let waiting = self.take_slice(usage.waiters, usage.waiter_count);
        let notified = self.take_slice(usage.notify_waiters, usage.notify_waiter_count);
        waiting.into_iter().chain(notified).for_each(|thread| jni.release(thread));
        (!usage.owner.is_null()).then_some(usage.owner)
    }

    /// RunAgentThread: runs `body` on a new daemon thread; `any` is a `java.lang.Thread`. Could it
    /// be started?
    pub fn run_agent_thread(self, jni: Jni, any: jobject, name: &CStr, body: AgentThread) -> bool {
        let class = jni.class_of(any);
        let new = jni.method(class, c"<init>", c"(Ljava/lang/String;)V");
        let name = jni.string(name.to_str().ok());
        let arguments = [jvalue { l: name }];
        let thread = if new.is_null() { null_mut() } else { jni.new_object(class, new, &arguments) };
        let started = !thread.is_null()
            && check(call!(self, RunAgentThread, thread, Some(body), null(), JVMTI_THREAD_NORM_PRIORITY as jint))
                .is_ok();
        [thread, name, class].into_iter().for_each(|object| jni.release(object));
        started
    }

    /// How the running thread is named where it is asked about.
    fn running(self) -> jobject {
        // A local reference, which goes with the native or callback that asks. Where there is none,
        // null means the same.
        if self.names_the_thread { self.current_thread() } else { null_mut() }
    }

    /// GetLocalLong of a frame of the current thread, by its depth below the top.
    pub fn local_long(self, depth: i32, local: u16) -> Option<i64> {
        let mut value = 0;
        check(call!(self, GetLocalLong, self.running(), depth, jint::from(local), &mut value)).ok()?;
        Some(value)
    }

    /// GetCurrentThread: a local reference to the virtual thread where one is mounted; null on
    /// error.
    pub fn current_thread(self) -> jobject {
        let mut thread = null_mut();
        match check(call!(self, GetCurrentThread, &mut thread)) {
            Ok(()) => thread,
            Err(_) => null_mut(),
        }
    }

    /// GetFrameLocation of the topmost frame of a thread: its method, where that has an id, and
    /// where it stands (-1 in a native method). `None` if there is no frame.
    pub fn top_frame(self, thread: jobject) -> Option<(Option<jmethodID>, i64)> {
        let (mut method, mut location) = (null_mut(), 0);
        let _alone = redefined::alone();
        check(call!(self, GetFrameLocation, thread, 0, &mut method, &mut location)).ok()?;
        let has_id = !self.loses_ids || is_id(method as usize);
        Some((has_id.then_some(method), location))
    }

    /// GetJNIFunctionTable: the functions as they are now.
    pub fn jni_functions(self) -> Result<JNINativeInterface_, jvmtiError> {
        let mut functions = null_mut();
        check(call!(self, GetJNIFunctionTable, &mut functions))?;
        // SAFETY: the JVM gave a copy of its table.
        let copy = unsafe { functions.read() };
        self.deallocate(functions.cast());
        Ok(copy)
    }

    /// SetJNIFunctionTable: other functions in all environments. They must stay valid for ever.
    pub fn set_jni_functions(self, functions: &JNINativeInterface_) -> Result<(), jvmtiError> {
        check(call!(self, SetJNIFunctionTable, functions))
    }

    /// GetObjectSize, in bytes.
    pub fn object_size(self, object: jobject) -> Option<u64> {
        let mut size = 0;
        check(call!(self, GetObjectSize, object, &mut size)).ok()?;
        u64::try_from(size).ok()
    }

    /// GetTag, and SetTag to the next number where there was none: the object's own from then on.
    /// In the start and live phases only.
    pub fn tagged(self, object: jobject) -> Option<i64> {
        /// The numbers given so far. Held between the two calls, for there is none that sets a tag
        /// only where there is none; none of them calls anybody but ObjectFree's callback, which
        /// takes no lock.
        static GIVEN: Mutex<i64> = Mutex::new(0);
        let mut given = GIVEN.lock().unwrap_or_else(PoisonError::into_inner);
        let mut tag = 0;
        check(call!(self, GetTag, object, &mut tag)).ok()?;
        if tag == 0 {
            tag = *given + 1;
            check(call!(self, SetTag, object, tag)).ok()?;
            *given = tag;
        }
        Some(tag)
    }

    /// GetNamedModule of a package (internal form) in a loader; null if there is none.
    pub fn named_module(self, loader: jobject, package: &CStr) -> jobject {
        let mut module = null_mut();
        match check(call!(self, GetNamedModule, loader, package.as_ptr(), &mut module)) {
            Ok(()) => module,
            Err(_) => null_mut(),
        }
    }

    /// GetThreadInfo's name of a thread. Releases the references that the call hands out.
    pub fn thread_name(self, env: *mut JNIEnv, thread: jobject) -> Option<String> {
        let mut info = jvmti_bindings::sys::jvmti::jvmtiThreadInfo::default();
        check(call!(self, GetThreadInfo, thread, &mut info)).ok()?;
        super::jni::delete_local(env, info.thread_group);
        super::jni::delete_local(env, info.context_class_loader);
        self.take_string(info.name)
    }

    /// Allocate and fill memory that the JVM will own (the result of ClassFileLoadHook).
    pub fn allocate(self, bytes: &[u8]) -> Option<*mut u8> {
        let mut memory = null_mut();
        check(call!(self, Allocate, bytes.len() as i64, &mut memory)).ok()?;
        // SAFETY: Allocate gave at least bytes.len() bytes that nobody else knows.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), memory, bytes.len()) };
        Some(memory)
    }

    fn take_string(self, chars: *mut c_char) -> Option<String> {
        self.read(chars, |text| text::ours(text).into_owned())
    }

    /// What `read` makes of a text that JVMTI has allocated.
    fn read<R>(self, chars: *mut c_char, read: impl FnOnce(&[u8]) -> R) -> Option<R> {
        if chars.is_null() {
            return None;
        }
        // SAFETY: JVMTI strings are zero-terminated modified UTF-8.
        let result = read(unsafe { CStr::from_ptr(chars) }.to_bytes());
        self.deallocate(chars.cast());
        Some(result)
    }

    fn take_slice<T: Copy>(self, items: *mut T, count: jint) -> Vec<T> {
        if items.is_null() {
            return Vec::new();
        }
        // SAFETY: JVMTI wrote `count` items at `items`.
        let copy = unsafe { std::slice::from_raw_parts(items.cast_const(), count.max(0) as usize) }.to_vec();
        self.deallocate(items.cast());
        copy
    }

    fn deallocate(self, memory: *mut u8) {
        // A failed Deallocate only leaks: there is nothing better to do with its error.
        let _ = call!(self, Deallocate, memory);
    }
}

fn check(code: jvmtiError) -> Result<(), jvmtiError> {
    if code == jvmtiError::NONE { Ok(()) } else { Err(code) }
}

/// A null class pointer, for readability.
pub fn no_frame() -> jvmtiFrameInfo {
    jvmtiFrameInfo { method: null::<u8>().cast_mut().cast(), location: -1 }
}
