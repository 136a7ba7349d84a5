//! The JNI functions that can run Java code, each with something done before and after it.
//!
//! JVMTI lets an agent replace JNI's functions, for all threads at once. Those that may call a
//! method, or initialise or load a class, are replaced here by ones that call `before`, the JVM's
//! own function, and `after`.
//! Invariant: the JVM's own function is called once, with the very arguments, and its result is
//! given back. In Rust a function with arguments of any number cannot be written yet, so those make
//! the list that their sisters ending in V take, as a C compiler does.
//! Source: JVMTI SetJNIFunctionTable; the System V ABI for x86-64, section 3.5.7; the Procedure
//! Call Standard for the Arm 64-bit Architecture, appendix "Variable argument lists".

use std::arch::naked_asm;
use std::ffi::c_char;
use std::sync::OnceLock;

use jvmti_bindings::sys::jni::{
    JNIEnv, JNINativeInterface_, jboolean, jbyte, jchar, jclass, jdouble, jfieldID, jfloat, jint, jlong, jmethodID,
    jobject, jshort, jsize, jvalue, va_list,
};
use jvmti_bindings::sys::jvmti::jvmtiError;

use super::Jni;
use crate::jvm::jvmti::Jvmti;
use crate::jvm::thread::SavedState;
use crate::support::boundary::guarded;

/// What is done around a function.
pub struct Around {
    /// Before it; may keep something.
    pub before: fn(Jni) -> Option<SavedState>,
    /// Behind it, with what was kept. An exception of the function's may be pending.
    pub after: fn(Jni, SavedState),
}

struct Surrounded {
    /// The functions as they were.
    functions: JNINativeInterface_,
    around: Around,
}

// SAFETY: addresses of functions, which any thread may call with an environment of its own.
unsafe impl Send for Surrounded {}
// SAFETY: as above.
unsafe impl Sync for Surrounded {}

static SURROUNDED: OnceLock<Surrounded> = OnceLock::new();

/// Surrounds the functions from now on; once in a run.
///
/// # Errors
/// The JVM's.
pub fn surround(jvmti: Jvmti, around: Around) -> Result<(), jvmtiError> {
    let (functions, mut table) = (jvmti.jni_functions()?, jvmti.jni_functions()?);
    replace(&mut table);
    // The new functions find them before the first is called.
    let _ = SURROUNDED.set(Surrounded { functions, around });
    jvmti.set_jni_functions(&table)
}

/// Calls one of the functions.
fn call<T>(env: *mut JNIEnv, call: impl FnOnce(&JNINativeInterface_) -> T) -> T {
    let Some(Surrounded { functions, around }) = SURROUNDED.get() else { std::process::abort() };
    // SAFETY: the environment that the function was called with, on its thread, and not kept.
    let jni = unsafe { Jni::new(env) };
    let saved = guarded("JNI", None, || (around.before)(jni));
    let result = call(functions);
    if let Some(saved) = saved {
        guarded("JNI", (), || (around.after)(jni, saved));
    }
    result
}

/// Replaces functions with arguments of a known number.
macro_rules! fixed {
    ($table:ident: $($field:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => { $({
        unsafe extern "system" fn surrounded(env: *mut JNIEnv, $($argument: $type),*) -> $result {
            // SAFETY: the JVM's own function, with the arguments that it was called with.
            call(env, |functions| unsafe { (functions.$field)(env, $($argument),*) })
        }
        $table.$field = surrounded;
    })* };
}

/// Replaces the three functions that call a method in one way: those that take a list or an array
/// of arguments, and the one that takes them one by one. `$named`: how many arguments come before
/// those.
macro_rules! calls {
    ($table:ident, $named:tt: $plain:ident, $list:ident, $array:ident($($argument:ident: $type:ty),*) -> $result:ty) => {
        unsafe extern "system" fn list(env: *mut JNIEnv, $($argument: $type,)* list: va_list) -> $result {
            // SAFETY: as in `fixed`.
            call(env, |functions| unsafe { (functions.$list)(env, $($argument,)* list) })
        }
        variadic!(list, $named);
        $table.$list = list;
        fixed! { $table: $array($($argument: $type,)* array: *const jvalue) -> $result; }
        // SAFETY: an address of code in place of another; it takes arguments where a C compiler
        // puts them.
        unsafe { (&raw mut $table.$plain).cast::<unsafe extern "C" fn()>().write(one_by_one) };
    };
}

/// `one_by_one`: makes a list of the arguments behind those that are named, and calls `$list` with
/// it.
#[cfg(target_arch = "x86_64")]
macro_rules! variadic {
    ($list:ident, 3) => { variadic!($list, "24", "rcx"); };
    ($list:ident, 4) => { variadic!($list, "32", "r8"); };
    // The list at rsp: two offsets, where arguments go on, and the registers, which lie at
    // rsp + 32.
    ($list:ident, $used:literal, $argument:literal) => {
        #[unsafe(naked)]
        unsafe extern "C" fn one_by_one() {
            naked_asm!(
                "sub rsp, 216",
                "mov [rsp + 32], rdi",
                "mov [rsp + 40], rsi",
                "mov [rsp + 48], rdx",
                "mov [rsp + 56], rcx",
                "mov [rsp + 64], r8",
                "mov [rsp + 72], r9",
                "movaps [rsp + 80], xmm0",
                "movaps [rsp + 96], xmm1",
                "movaps [rsp + 112], xmm2",
                "movaps [rsp + 128], xmm3",
                "movaps [rsp + 144], xmm4",
                "movaps [rsp + 160], xmm5",
                "movaps [rsp + 176], xmm6",
                "movaps [rsp + 192], xmm7",
                concat!("mov dword ptr [rsp], ", $used),
                "mov dword ptr [rsp + 4], 48",
                "lea rax, [rsp + 224]",
                "mov [rsp + 8], rax",
                "lea rax, [rsp + 32]",
                "mov [rsp + 16], rax",
                concat!("mov ", $argument, ", rsp"),
                "call {list}",
                "add rsp, 216",
                "ret",
                list = sym $list,
            )
        }
    };
}

#[cfg(target_arch = "aarch64")]
macro_rules! variadic {
    ($list:ident, 3) => { variadic!($list, "-40", "x3"); };
    ($list:ident, 4) => { variadic!($list, "-32", "x4"); };
    // The list at sp + 16: where arguments go on, the ends of both kinds of registers, and two
    // offsets from there.
    ($list:ident, $left:literal, $argument:literal) => {
        #[unsafe(naked)]
        unsafe extern "C" fn one_by_one() {
            naked_asm!(
                "stp x29, x30, [sp, #-240]!",
                "mov x29, sp",
                "stp x0, x1, [sp, #48]",
                "stp x2, x3, [sp, #64]",
                "stp x4, x5, [sp, #80]",
                "stp x6, x7, [sp, #96]",
                "stp q0, q1, [sp, #112]",
                "stp q2, q3, [sp, #144]",
                "stp q4, q5, [sp, #176]",
                "stp q6, q7, [sp, #208]",
                "add x9, sp, #240",
                "str x9, [sp, #16]",
                "add x10, sp, #112",
                "str x10, [sp, #24]",
                "str x9, [sp, #32]",
                concat!("mov w9, #", $left),
                "mov w10, #-128",
                "stp w9, w10, [sp, #40]",
                concat!("add ", $argument, ", sp, #16"),
                "bl {list}",
                "ldp x29, x30, [sp], #240",
                "ret",
                list = sym $list,
            )
        }
    };
}

/// Replaces those that call methods with one type of result.
macro_rules! methods {
    ($table:ident: $($result:ty: $a:ident $b:ident $c:ident, $d:ident $e:ident $f:ident, $g:ident $h:ident $i:ident;)*) => { $(
        { calls! { $table, 3: $a, $b, $c(object: jobject, method: jmethodID) -> $result } }
        { calls! { $table, 4: $d, $e, $f(object: jobject, class: jclass, method: jmethodID) -> $result } }
        { calls! { $table, 3: $g, $h, $i(class: jclass, method: jmethodID) -> $result } }
    )* };
}

#[rustfmt::skip]
fn replace(table: &mut JNINativeInterface_) {
    methods! { table:
        jobject: CallObjectMethod CallObjectMethodV CallObjectMethodA,
            CallNonvirtualObjectMethod CallNonvirtualObjectMethodV CallNonvirtualObjectMethodA,
            CallStaticObjectMethod CallStaticObjectMethodV CallStaticObjectMethodA;
        jboolean: CallBooleanMethod CallBooleanMethodV CallBooleanMethodA,
            CallNonvirtualBooleanMethod CallNonvirtualBooleanMethodV CallNonvirtualBooleanMethodA,
            CallStaticBooleanMethod CallStaticBooleanMethodV CallStaticBooleanMethodA;
        jbyte: CallByteMethod CallByteMethodV CallByteMethodA,
            CallNonvirtualByteMethod CallNonvirtualByteMethodV CallNonvirtualByteMethodA,
            CallStaticByteMethod CallStaticByteMethodV CallStaticByteMethodA;
        jchar: CallCharMethod CallCharMethodV CallCharMethodA,
            CallNonvirtualCharMethod CallNonvirtualCharMethodV CallNonvirtualCharMethodA,
            CallStaticCharMethod CallStaticCharMethodV CallStaticCharMethodA;
        jshort: CallShortMethod CallShortMethodV CallShortMethodA,
            CallNonvirtualShortMethod CallNonvirtualShortMethodV CallNonvirtualShortMethodA,
            CallStaticShortMethod CallStaticShortMethodV CallStaticShortMethodA;
        jint: CallIntMethod CallIntMethodV CallIntMethodA,
            CallNonvirtualIntMethod CallNonvirtualIntMethodV CallNonvirtualIntMethodA,
            CallStaticIntMethod CallStaticIntMethodV CallStaticIntMethodA;
        jlong: CallLongMethod CallLongMethodV CallLongMethodA,
            CallNonvirtualLongMethod CallNonvirtualLongMethodV CallNonvirtualLongMethodA,
            CallStaticLongMethod CallStaticLongMethodV CallStaticLongMethodA;
        jfloat: CallFloatMethod CallFloatMethodV CallFloatMethodA,
            CallNonvirtualFloatMethod CallNonvirtualFloatMethodV CallNonvirtualFloatMethodA,
            CallStaticFloatMethod CallStaticFloatMethodV CallStaticFloatMethodA;
        jdouble: CallDoubleMethod CallDoubleMethodV CallDoubleMethodA,
            CallNonvirtualDoubleMethod CallNonvirtualDoubleMethodV CallNonvirtualDoubleMethodA,
            CallStaticDoubleMethod CallStaticDoubleMethodV CallStaticDoubleMethodA;
        (): CallVoidMethod CallVoidMethodV CallVoidMethodA,
            CallNonvirtualVoidMethod CallNonvirtualVoidMethodV CallNonvirtualVoidMethodA,
            CallStaticVoidMethod CallStaticVoidMethodV CallStaticVoidMethodA;
    }
    { calls! { table, 3: NewObject, NewObjectV, NewObjectA(class: jclass, method: jmethodID) -> jobject } }
    fixed! { table:
        DefineClass(name: *const c_char, loader: jobject, bytes: *const jbyte, length: jsize) -> jclass;
        FindClass(name: *const c_char) -> jclass;
        ThrowNew(class: jclass, message: *const c_char) -> jint;
        ExceptionDescribe() -> ();
        AllocObject(class: jclass) -> jobject;
        GetMethodID(class: jclass, name: *const c_char, descriptor: *const c_char) -> jmethodID;
        GetStaticMethodID(class: jclass, name: *const c_char, descriptor: *const c_char) -> jmethodID;
        GetFieldID(class: jclass, name: *const c_char, descriptor: *const c_char) -> jfieldID;
        GetStaticFieldID(class: jclass, name: *const c_char, descriptor: *const c_char) -> jfieldID;
        NewDirectByteBuffer(address: *mut std::ffi::c_void, capacity: jlong) -> jobject;
    }
}
