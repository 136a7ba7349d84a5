//! The whole of a thread's state, kept while something else runs on it, and put back as it was.
//!
//! Invariant: what is put back is right at any instruction of the hooks, also between two stores:
//! nothing is resolved, and what may lie above the top of the shadow stack (of a push or an exit
//! that is under way) is kept, too.
//! Source: layout in docs/design/thread-state.md.

use jvmti_bindings::sys::jni::jobject;

use super::{ENTRY, JavaThread, ThreadFields, UNSAVED};

/// The state, with local references of the native or callback that keeps it.
pub struct SavedState {
    thread: JavaThread,
    ctx: i64,
    site: i32,
    top: i32,
    slot: i32,
    version: i32,
    stack: jobject,
    above: [i64; ENTRY],
}

impl ThreadFields {
    /// Keeps the state of `thread`, a local reference, and lets whatever is entered next walk.
    pub fn hold(&self, thread: JavaThread) -> SavedState {
        let mut saved = SavedState {
            thread,
            ctx: thread.jni.long(thread.object, self.ctx),
            site: thread.jni.int(thread.object, self.site),
            top: thread.jni.int(thread.object, self.top),
            slot: thread.jni.int(thread.object, self.slot),
            version: thread.jni.int(thread.object, self.version),
            stack: thread.jni.object(thread.object, self.stack),
            above: [0; ENTRY],
        };
        if let Some(first) = saved.room_above() {
            thread.jni.read_longs(saved.stack, first, &mut saved.above);
        }
        self.clear_site(thread);
        saved
    }

    /// Puts it back, and releases the references.
    pub fn put_back(&self, saved: SavedState) {
        let JavaThread { jni, object: thread } = saved.thread;
        if let Some(first) = saved.room_above() {
            jni.write_longs(saved.stack, first, &saved.above);
        }
        jni.set_object(thread, self.stack, saved.stack);
        jni.set_long(thread, self.ctx, saved.ctx);
        jni.set_int(thread, self.top, saved.top);
        jni.set_int(thread, self.slot, saved.slot);
        if self.versioned {
            jni.set_int(thread, self.version, saved.version);
        }
        jni.set_int(thread, self.site, saved.site);
        jni.release(saved.stack);
        jni.release(thread);
    }
}

impl SavedState {
    /// Where the entry above the top would lie, if there is room for one.
    fn room_above(&self) -> Option<usize> {
        let first = (self.top & !UNSAVED).max(0) as usize;
        (!self.stack.is_null() && first + ENTRY <= self.thread.jni.length(self.stack)).then_some(first)
    }
}
