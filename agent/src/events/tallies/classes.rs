//! Numbers of classes for records of sites that make objects of several: clones, and arrays within
//! arrays.
//!
//! Invariant: one class has one number, and a number one class, also when that is gone; no class is
//! kept. The JVM is not called under the lock.
//! Source: JVMTI GetTag, SetTag.

use std::sync::Arc;

use jvmti_bindings::sys::jni::jclass;
use lucce_words::signature;
use rustc_hash::FxHashMap;

use crate::jvm::jvmti::Jvmti;
use crate::support::lock::Lock;

/// The classes met.
#[derive(Default)]
pub struct CountedClasses {
    known: Lock<ClassNumbers>,
}

#[derive(Default)]
struct ClassNumbers {
    /// By tag, which no other object ever has.
    numbers: FxHashMap<i64, u32>,
    /// By number less one.
    names: Vec<Arc<str>>,
}

impl CountedClasses {
    /// The number of a class, from 1.
    pub fn number(&self, jvmti: Jvmti, class: jclass) -> Option<u32> {
        let tag = jvmti.tagged(class)?;
        if let Some(number) = self.known.lock().numbers.get(&tag) {
            return Some(*number);
        }
        let name = signature::internal_name(&jvmti.class_signature(class)?).into();
        let ClassNumbers { numbers, names } = &mut *self.known.lock();
        let next = u32::try_from(names.len() + 1).ok()?;
        // Another thread may have come first.
        let number = *numbers.entry(tag).or_insert(next);
        if number == next {
            names.push(name);
        }
        Some(number)
    }

    /// The name of the class with this number.
    pub fn name(&self, number: u32) -> Option<Arc<str>> {
        self.known.lock().names.get(number as usize - 1).cloned()
    }
}
