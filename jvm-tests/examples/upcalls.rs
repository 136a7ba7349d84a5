//! The native side of the target `JniUpcalls`: calls into Java through the JNI function table,
//! without headers.
//!
//! Invariant: with an exception pending, each function returns at once. Source: JNI specification,
//! chapters 4 and 5.

use std::ffi::{CStr, c_void};
use std::ptr::null_mut;

type Env = *mut *const [*mut c_void; 235];
type Vm = *mut *const [*mut c_void; 8];
type Ref = *mut c_void;

#[repr(C)]
#[derive(Clone, Copy)]
union Value {
    int: i32,
    object: Ref,
    wide: i64,
}

/// One function of the table, by its index in the specification.
macro_rules! jni {
    ($env:expr, $index:literal, fn($($kind:ty),*) -> $result:ty, $($arg:expr),* $(,)?) => {{
        let env: Env = $env;
        // SAFETY: `env` belongs to this thread, and the entry has this signature.
        unsafe {
            let function: extern "system" fn(Env, $($kind),*) -> $result = std::mem::transmute((**env)[$index]);
            function(env, $($arg),*)
        }
    }};
}

fn class_of(env: Env, object: Ref) -> Ref {
    jni!(env, 31, fn(Ref) -> Ref, object)
}

fn method(env: Env, class: Ref, name: &CStr, desc: &CStr) -> Ref {
    jni!(env, 33, fn(Ref, *const i8, *const i8) -> Ref, class, name.as_ptr().cast(), desc.as_ptr().cast())
}

fn static_method(env: Env, class: Ref, name: &CStr, desc: &CStr) -> Ref {
    jni!(env, 113, fn(Ref, *const i8, *const i8) -> Ref, class, name.as_ptr().cast(), desc.as_ptr().cast())
}

fn pending(env: Env) -> bool {
    jni!(env, 228, fn() -> u8,) != 0
}

/// `fromNative(n)`.
fn from_native(env: Env, class: Ref, n: i32) -> i32 {
    let id = static_method(env, class, c"fromNative", c"(I)I");
    jni!(env, 131, fn(Ref, Ref, *const Value) -> i32, class, id, &Value { int: n })
}

/// `run(Runnable)`.
#[unsafe(no_mangle)]
pub extern "system" fn Java_hazards_JniUpcalls_run(env: Env, _: Ref, body: Ref) {
    let id = method(env, class_of(env, body), c"run", c"()V");
    if !pending(env) {
        jni!(env, 63, fn(Ref, Ref, *const Value) -> (), body, id, std::ptr::null())
    }
}

/// `repeat(int, int)`.
#[unsafe(no_mangle)]
pub extern "system" fn Java_hazards_JniUpcalls_repeat(env: Env, class: Ref, n: i32, times: i32) -> i32 {
    (0..times).map(|_| from_native(env, class, n)).sum()
}

/// `make(int)`.
#[unsafe(no_mangle)]
pub extern "system" fn Java_hazards_JniUpcalls_make(env: Env, _: Ref, n: i32) -> Ref {
    let class = jni!(env, 6, fn(*const i8) -> Ref, c"hazards/JniUpcalls$Made".as_ptr().cast());
    if pending(env) {
        return null_mut();
    }
    let id = method(env, class, c"<init>", c"(I)V");
    jni!(env, 30, fn(Ref, Ref, *const Value) -> Ref, class, id, &Value { int: n })
}

/// `NativeSame.same(int)`: the same on `next()`, twice.
#[unsafe(no_mangle)]
pub extern "system" fn Java_hazards_JniUpcalls_00024NativeSame_same(env: Env, this: Ref, n: i32) -> i32 {
    let id = method(env, class_of(env, this), c"next", c"()Lhazards/JniUpcalls$Same;");
    let next = jni!(env, 36, fn(Ref, Ref, *const Value) -> Ref, this, id, std::ptr::null());
    if pending(env) || next.is_null() {
        return 0;
    }
    let id = method(env, class_of(env, next), c"same", c"(I)I");
    (0..2).map(|i| jni!(env, 51, fn(Ref, Ref, *const Value) -> i32, next, id, &Value { int: n + i })).sum()
}

/// `attach(int, int)`.
#[unsafe(no_mangle)]
pub extern "system" fn Java_hazards_JniUpcalls_attach(env: Env, class: Ref, threads: i32, times: i32) {
    let mut vm: Vm = null_mut();
    jni!(env, 219, fn(*mut Vm) -> i32, &raw mut vm);
    let class = jni!(env, 21, fn(Ref) -> Ref, class);
    let (vm, class) = (vm as usize, class as usize);
    let threads: Vec<_> = (0..threads)
        .map(|n| std::thread::spawn(move || (0..2).for_each(|_| attached(vm as Vm, class as Ref, n, times))))
        .collect();
    for thread in threads {
        thread.join().expect("a native thread ends");
    }
    jni!(env, 22, fn(Ref) -> (), class as Ref);
}

fn attached(vm: Vm, class: Ref, n: i32, times: i32) {
    let mut env: Env = null_mut();
    // SAFETY: entry 4 of the invocation table is AttachCurrentThread; the arguments may be null.
    let attach: extern "system" fn(Vm, *mut Env, *mut c_void) -> i32 = unsafe { std::mem::transmute((**vm)[4]) };
    // SAFETY: entry 5 is DetachCurrentThread.
    let detach: extern "system" fn(Vm) -> i32 = unsafe { std::mem::transmute((**vm)[5]) };
    assert_eq!(attach(vm, &raw mut env, null_mut()), 0);
    for i in 0..times {
        from_native(env, class, (n + i) % 4);
    }
    detach(vm);
}
