//! The JVM's own stack walk of the current thread, as Lucce sees it.
//!
//! Invariant: frames come innermost first and none is left out; whoever compares filters by `method`, nothing else.
//! Source: JVMTI GetStackTrace.

use jvmti_bindings::sys::jni::jmethodID;
use jvmti_bindings::sys::jvmti::jvmtiFrameInfo;
use lucce_words::MethodId;
use rustc_hash::FxHashMap;

use super::jni::Jni;
use super::jvmti::{Jvmti, no_frame};
use super::methods::{Identity, Methods};
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
    identified(jvmti, jni, methods, catalog, || {
        let mut buffer = vec![no_frame(); limit];
        let count = jvmti.stack_trace(0, &mut buffer);
        buffer.truncate(count);
        buffer
    })
}

/// All frames.
pub fn all(jvmti: Jvmti, jni: Jni, methods: &Methods, catalog: &Catalog) -> Vec<Frame> {
    identified(jvmti, jni, methods, catalog, || {
        let mut buffer = vec![no_frame(); BATCH];
        loop {
            let count = jvmti.stack_trace(0, &mut buffer);
            if count < buffer.len() {
                buffer.truncate(count);
                return buffer;
            }
            let larger = buffer.len() * 4;
            buffer.resize(larger, no_frame());
        }
    })
}

/// Walks, and identifies what was walked. A redefinition between the two would move a `jmethodID` from the code that a frame runs to its
/// successor; a second walk then shows another id for that frame, so both are repeated until nothing moved.
fn identified(
    jvmti: Jvmti,
    jni: Jni,
    methods: &Methods,
    catalog: &Catalog,
    walk: impl Fn() -> Vec<jvmtiFrameInfo>,
) -> Vec<Frame> {
    let mut raw = walk();
    loop {
        let frames = identify(jvmti, jni, methods, catalog, &raw);
        if !methods.any_redefined() {
            return frames;
        }
        let again = walk();
        let moved = raw.len() != again.len() || raw.iter().zip(&again).any(|(one, other)| one.method != other.method);
        if !moved {
            return frames;
        }
        raw = again;
    }
}

fn identify(jvmti: Jvmti, jni: Jni, methods: &Methods, catalog: &Catalog, raw: &[jvmtiFrameInfo]) -> Vec<Frame> {
    let mut last = (std::ptr::null_mut(), None);
    let mut seen: FxHashMap<usize, Identity> = FxHashMap::default();
    raw.iter()
        .map(|frame| {
            if frame.method != last.0 {
                let identity = seen
                    .entry(frame.method as usize)
                    .or_insert_with(|| methods.identify(jvmti, jni, catalog, frame.method));
                last = (frame.method, *identity);
            }
            Frame { raw: frame.method, method: last.1, location: frame.location }
        })
        .collect()
}
