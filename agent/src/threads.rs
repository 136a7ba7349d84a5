//! The log's numbers of threads, given when a thread has its first event.

use std::sync::MutexGuard;

use jvmti_bindings::sys::jni::{jfieldID, jobject};
use lucce_log::Record;
use rustc_hash::FxHashMap;

use crate::jvm::jni::Jni;
use crate::jvm::jvmti::Jvmti;
use crate::lock::Lock;

/// Threads that had events.
#[derive(Default)]
pub struct Threads {
    known: Lock<Known>,
}

#[derive(Default)]
struct Known {
    ids: FxHashMap<u64, u32>,
    /// `Thread.tid`, null where the field has another name.
    tid: Option<usize>,
}

impl Threads {
    /// Finds the id field of `java.lang.Thread`.
    pub fn find(&self, jni: Jni, thread_class: jobject) {
        self.lock().tid = Some(jni.field(thread_class, c"tid", c"J") as usize);
    }

    /// The thread's own id; 0 where the field has another name.
    pub fn java_id(&self, jni: Jni, thread: jobject) -> u64 {
        let tid = self.lock().tid.unwrap_or(0);
        if tid == 0 { 0 } else { jni.long(thread, tid as jfieldID) as u64 }
    }

    /// The number of a thread, and the record that introduces it at first sight.
    pub fn number(&self, jvmti: Jvmti, jni: Jni, thread: jobject) -> (u32, Option<Record>) {
        let java_id = self.java_id(jni, thread);
        if let Some(&id) = self.lock().ids.get(&java_id) {
            return (id, None);
        }
        let name = jvmti.thread_name(jni.raw(), thread).unwrap_or_default();
        let mut known = self.lock();
        let next = known.ids.len() as u32 + 1;
        let id = *known.ids.entry(java_id).or_insert(next);
        (id, Some(Record::Thread { id, name, java_id }))
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock()
    }
}
