//! Numbers of classes for records of sites that make objects of several: clones, and arrays within arrays.
//!
//! Invariant: one class has one number, and a number one class, also when that is gone; no class is kept.
//! Source: JNI NewWeakGlobalRef, IsSameObject.

use jvmti_bindings::sys::jni::{jclass, jobject};
use rustc_hash::FxHashMap;

use crate::catalog::Name;
use crate::jvm::jni::Jni;
use crate::jvm::jvmti::Jvmti;
use crate::lock::Lock;

/// The classes met.
#[derive(Default)]
pub struct Classes {
    known: Lock<Known>,
}

#[derive(Default)]
struct Known {
    /// By identity hash: weak references with the numbers of their classes.
    by_hash: FxHashMap<i32, Vec<(Weak, u32)>>,
    /// By number less one.
    names: Vec<Name>,
}

struct Weak(jobject);

// SAFETY: weak global references may be used by any thread.
unsafe impl Send for Weak {}

impl Classes {
    /// The number of a class, from 1. No other lock is taken under this one, and nothing that JNI does here waits for Java code.
    pub fn number(&self, jvmti: Jvmti, jni: Jni, class: jclass, hash: i32) -> Option<u32> {
        let name = super::readable(&jvmti.class_signature(class)?);
        let mut known = self.known.lock();
        let Known { by_hash, names } = &mut *known;
        let same_hash = by_hash.entry(hash).or_default();
        if let Some((_, number)) = same_hash.iter().find(|(weak, _)| jni.same(weak.0, class)) {
            return Some(*number);
        }
        same_hash.retain(|(weak, _)| {
            let gone = jni.same(weak.0, std::ptr::null_mut());
            if gone {
                jni.release_weak(weak.0);
            }
            !gone
        });
        let weak = jni.weak(class)?;
        let number = u32::try_from(names.len() + 1).ok()?;
        names.push(name);
        same_hash.push((Weak(weak), number));
        Some(number)
    }

    /// The name of the class with this number.
    pub fn name(&self, number: u32) -> Option<Name> {
        self.known.lock().names.get(number as usize - 1).cloned()
    }
}
