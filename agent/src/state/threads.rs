//! The log's numbers of threads, given when a thread has its first event; another one for each
//! origin that was in force on it then.
//!
//! Invariant: a number stands for one thread and one origin, so that an event needs no more than
//! the number. A thread may have several, for only so many are remembered: there is a virtual
//! thread for each request in some programs.

use jvmti_bindings::sys::jni::{jfieldID, jobject};
use lucce_log::Record;
use lucce_words::OriginId;
use rustc_hash::FxHashMap;

use crate::jvm::jni::Jni;
use crate::jvm::jvmti::Jvmti;
use crate::jvm::thread::JavaThread;
use crate::support::lock::{Lock, Locked};

/// Threads and origins that are remembered: some two megabytes.
const REMEMBERED: usize = 1 << 16;

/// Threads that had events.
#[derive(Default)]
pub struct Threads {
    known: Lock<ThreadIds>,
}

#[derive(Default)]
struct ThreadIds {
    ids: FxHashMap<(u64, OriginId), u32>,
    /// Numbers given so far.
    given: u32,
    /// `Thread.tid`, null where the field has another name.
    tid: Option<usize>,
    /// The origin in force on a thread.
    origin: Option<usize>,
    /// Where it was started.
    started: Option<usize>,
}

impl Threads {
    /// Finds the fields of `java.lang.Thread` that say which thread it is. Those of its origins are
    /// there where classes are rewritten; the JVM makes an exception of each that is not.
    pub fn find(&self, jni: Jni, thread_class: jobject, has_origins: bool) {
        let tid = jni.field(thread_class, c"tid", c"J") as usize;
        let origin = |name| if has_origins { jni.field(thread_class, name, c"I") as usize } else { 0 };
        let (origin, started) = (origin(c"$lucce$origin"), origin(c"$lucce$started"));
        let mut known = self.lock();
        (known.tid, known.origin, known.started) = (Some(tid), Some(origin), Some(started));
    }

    /// The thread's own id; 0 where the field has another name.
    pub fn java_id(&self, thread: JavaThread) -> u64 {
        let tid = self.lock().tid.unwrap_or(0);
        if tid == 0 { 0 } else { thread.long(tid as jfieldID) as u64 }
    }

    /// The origin that is in force on a thread.
    pub fn origin(&self, thread: JavaThread) -> OriginId {
        let field = self.lock().origin.unwrap_or(0);
        OriginId(if field == 0 { 0 } else { thread.int(field as jfieldID) as u32 })
    }

    /// Where a thread was started.
    pub fn started(&self, thread: JavaThread) -> OriginId {
        let field = self.lock().started.unwrap_or(0);
        OriginId(if field == 0 { 0 } else { thread.int(field as jfieldID) as u32 })
    }

    /// The number of a thread with an origin, and the record that introduces the two at first
    /// sight.
    pub fn number(&self, jvmti: Jvmti, thread: JavaThread, origin: OriginId) -> (u32, Option<Record>) {
        let java_id = self.java_id(thread);
        if let Some(&id) = self.lock().ids.get(&(java_id, origin)) {
            return (id, None);
        }
        let name = jvmti.thread_name(thread.jni.raw(), thread.object).unwrap_or_default();
        let mut known = self.lock();
        if known.ids.len() >= REMEMBERED {
            known.ids.clear();
        }
        known.given = known.given.saturating_add(1);
        let id = known.given;
        known.ids.insert((java_id, origin), id);
        let introduction = match origin {
            OriginId(0) => Record::Thread { id, name, java_id },
            origin => Record::ThreadOf { id, name, java_id, origin },
        };
        (id, Some(introduction))
    }

    /// The run is over.
    pub fn clear(&self) {
        self.lock().ids = FxHashMap::default();
    }

    fn lock(&self) -> Locked<'_, ThreadIds> {
        self.known.lock()
    }
}
