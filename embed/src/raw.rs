//! The ABI itself, as `include/lucce.h` declares it.
//!
//! Invariant: layouts are those of the header (`jvm-tests/tests/jvm/embedding.rs` compares them),
//! and only grow at their ends.

use std::ffi::{c_char, c_void};

/// The version described here.
pub const VERSION: u32 = 1;
/// A flag of [`Consumer`]: events come with their captured context.
pub const CAPTURED: u32 = 1;

/// `JNIEnv *`.
pub type Env = *mut c_void;
/// `jobject` and its kin.
pub type Reference = *mut c_void;

/// `struct lucce_frame`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "described in lucce.h")]
pub struct Frame {
    pub size: u32,
    pub line: i32,
    pub class_name: *const c_char,
    pub method: *const c_char,
    pub descriptor: *const c_char,
    pub file: *const c_char,
    pub bci: u32,
    pub pad: u32,
}

/// `struct lucce_event`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "described in lucce.h")]
pub struct Event {
    pub size: u32,
    pub site: i32,
    pub kind: *const c_char,
    pub value: i64,
    pub word: u64,
    pub captured: u64,
    pub time_ns: u64,
    pub thread: Reference,
    pub r#type: Reference,
    pub type_name: *const c_char,
    pub object: Reference,
}

/// `struct lucce_consumer`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "described in lucce.h")]
pub struct Consumer {
    pub size: u32,
    pub flags: u32,
    pub event: Option<unsafe extern "C" fn(env: Env, event: *const Event, data: *mut c_void)>,
    pub closing: Option<unsafe extern "C" fn(env: Env, data: *mut c_void)>,
    pub data: *mut c_void,
}

/// `struct lucce_new_event`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "described in lucce.h")]
pub struct NewEvent {
    pub size: u32,
    pub pad: u32,
    pub kind: *const c_char,
    pub value: i64,
    pub captured: u64,
    pub type_name: *const c_char,
}

/// `struct lucce_hot`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "described in lucce.h")]
pub struct Hot {
    pub size: u32,
    pub is_hot: i32,
    pub captured: u64,
    pub samples: u64,
    pub most_samples: u64,
    pub low: f64,
    pub high: f64,
}

/// `lucce_on_hot`.
pub type OnHot = unsafe extern "C" fn(hot: *const Hot, data: *mut c_void) -> i32;
/// `lucce_on_frame`.
pub type OnFrame = unsafe extern "C" fn(frame: *const Frame, data: *mut c_void) -> i32;
/// `lucce_on_count`.
pub type OnCount = unsafe extern "C" fn(name: *const c_char, value: u64, data: *mut c_void);

/// `struct lucce_api`.
#[repr(C)]
#[derive(Debug)]
#[allow(missing_docs, reason = "described in lucce.h")]
pub struct Api {
    pub size: u32,
    pub version: u32,
    pub run: unsafe extern "C" fn() -> u64,
    pub context: unsafe extern "C" fn(env: Env, thread: Reference, word: *mut u64, site: *mut i32) -> i32,
    pub capture: unsafe extern "C" fn(env: Env) -> u64,
    pub decode: unsafe extern "C" fn(captured: u64, on_frame: Option<OnFrame>, data: *mut c_void) -> i32,
    pub decode_word: unsafe extern "C" fn(word: u64, site: i32, on_frame: Option<OnFrame>, data: *mut c_void) -> i32,
    pub log: unsafe extern "C" fn(env: Env, event: *const NewEvent) -> i32,
    pub add_consumer: unsafe extern "C" fn(consumer: *const Consumer, id: *mut u64) -> i32,
    pub remove_consumer: unsafe extern "C" fn(id: u64) -> i32,
    pub statistics: unsafe extern "C" fn(on_count: Option<OnCount>, data: *mut c_void) -> i32,
    pub hot: unsafe extern "C" fn(share: f64, on_hot: Option<OnHot>, data: *mut c_void) -> i32,
}
