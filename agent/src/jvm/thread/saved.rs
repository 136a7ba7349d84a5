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
            ctx: thread.long(self.ctx),
            site: thread.int(self.site),
            top: thread.int(self.top),
            slot: thread.int(self.slot),
            version: thread.int(self.version),
            stack: thread.object(self.stack),
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
        let thread = saved.thread;
        if let Some(first) = saved.room_above() {
            thread.jni.write_longs(saved.stack, first, &saved.above);
        }
        thread.set_object(self.stack, saved.stack);
        thread.set_long(self.ctx, saved.ctx);
        thread.set_int(self.top, saved.top);
        thread.set_int(self.slot, saved.slot);
        if self.versioned {
            thread.set_int(self.version, saved.version);
        }
        thread.set_int(self.site, saved.site);
        thread.jni.release(saved.stack);
        thread.release();
    }
}

impl SavedState {
    /// Where the entry above the top would lie, if there is room for one.
    fn room_above(&self) -> Option<usize> {
        let first = (self.top & !UNSAVED).max(0) as usize;
        (!self.stack.is_null() && first + ENTRY <= self.thread.jni.length(self.stack)).then_some(first)
    }
}
