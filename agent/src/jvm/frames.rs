//! The JVM's own stack walk of the current thread, as Lucce sees it.
//!
//! Invariant: frames come innermost first and none is left out; whoever compares filters by `method`, nothing else.
//! Source: JVMTI GetStackTrace.

use jvmti_bindings::sys::jni::jmethodID;
use jvmti_bindings::sys::jvmti::jvmtiFrameInfo;
use lucce_words::MethodId;

use super::jni::Jni;
use super::jvmti::{Jvmti, no_frame};
use super::methods::Methods;
use crate::catalog::Catalog;

/// One physical frame.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The JVM's id of the method.
    pub raw: jmethodID,
    /// The rewriting that the frame runs, if its code has hooks.
    pub method: Option<MethodId>,
    /// Bytecode index in the rewritten code; -1 for native methods.
    pub location: i64,
}

/// Frames asked for at once by a full walk; doubled until all are in.
const BATCH: usize = 256;

/// The topmost `limit` frames.
pub fn top(jvmti: Jvmti, jni: Jni, methods: &Methods, catalog: &Catalog, limit: usize) -> Vec<Frame> {
    let mut buffer = vec![no_frame(); limit];
    let count = jvmti.stack_trace(0, &mut buffer);
    identify(jvmti, jni, methods, catalog, &buffer[..count.min(limit)])
}

/// All frames.
pub fn all(jvmti: Jvmti, jni: Jni, methods: &Methods, catalog: &Catalog) -> Vec<Frame> {
    let mut buffer = vec![no_frame(); BATCH];
    loop {
        let count = jvmti.stack_trace(0, &mut buffer);
        if count < buffer.len() {
            return identify(jvmti, jni, methods, catalog, &buffer[..count]);
        }
        let larger = buffer.len() * 4;
        buffer.resize(larger, no_frame());
    }
}

fn identify(jvmti: Jvmti, jni: Jni, methods: &Methods, catalog: &Catalog, raw: &[jvmtiFrameInfo]) -> Vec<Frame> {
    let mut last = (std::ptr::null_mut(), None);
    raw.iter()
        .map(|frame| {
            if frame.method != last.0 {
                last = (frame.method, methods.identify(jvmti, jni, catalog, frame.method));
            }
            Frame { raw: frame.method, method: last.1, location: frame.location }
        })
        .collect()
}
