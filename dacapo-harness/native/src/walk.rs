//! JVMTI's GetStackTrace, for `bench.events.Native`: what an event's context costs a native agent.
//!
//! Invariant: nothing is kept of the walk but the number of its frames. Source: JVMTI,
//! "GetStackTrace"; JNI, "GetJavaVM".

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

type Env = *mut *const [*mut c_void; 235];
type Vm = *mut *const [*mut c_void; 8];
type Jvmti = *mut *const [*mut c_void; 156];

const JVMTI_VERSION_1_2: i32 = 0x3001_0200;

/// Positions in the tables of functions, from 0.
const GET_JAVA_VM: usize = 219;
const GET_ENV: usize = 6;
const GET_STACK_TRACE: usize = 103;

/// More than any stack of the benchmark.
const FRAMES: usize = 2048;

/// `jvmtiFrameInfo`.
#[repr(C)]
#[derive(Clone, Copy)]
struct FrameInfo {
    method: *mut c_void,
    location: i64,
}

static JVMTI: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

/// `open()`: is there JVMTI?
///
/// # Safety
/// Called by the JVM, with the environment of the calling thread.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_bench_events_Native_open(env: Env, _: *mut c_void) -> u8 {
    let (mut vm, mut jvmti): (Vm, *mut c_void) = (null_mut(), null_mut());
    // SAFETY: `env` belongs to this thread, and the entries have these signatures.
    let found = unsafe {
        let get_vm: extern "system" fn(Env, *mut Vm) -> i32 = std::mem::transmute((**env)[GET_JAVA_VM]);
        get_vm(env, &mut vm) == 0 && {
            let get_env: extern "system" fn(Vm, *mut *mut c_void, i32) -> i32 = std::mem::transmute((**vm)[GET_ENV]);
            get_env(vm, &mut jvmti, JVMTI_VERSION_1_2) == 0
        }
    };
    JVMTI.store(jvmti, Ordering::Release);
    u8::from(found)
}

/// `walk()`: the number of frames of this thread; -1 if JVMTI fails, or was not opened.
#[unsafe(no_mangle)]
pub extern "system" fn Java_bench_events_Native_walk(_: Env, _: *mut c_void) -> i32 {
    let jvmti: Jvmti = JVMTI.load(Ordering::Acquire).cast();
    if jvmti.is_null() {
        return -1;
    }
    let mut frames = [const { std::mem::MaybeUninit::<FrameInfo>::uninit() }; FRAMES];
    let mut count = 0;
    type Get = extern "system" fn(Jvmti, *mut c_void, i32, i32, *mut FrameInfo, *mut i32) -> i32;
    // SAFETY: the environment is never disposed of; the entry has this signature; the buffer holds
    // as many frames as it is said to.
    let error = unsafe {
        let get: Get = std::mem::transmute((**jvmti)[GET_STACK_TRACE]);
        get(jvmti, null_mut(), 0, FRAMES as i32, frames.as_mut_ptr().cast(), &mut count)
    };
    std::hint::black_box(&frames);
    if error == 0 { count } else { -1 }
}
