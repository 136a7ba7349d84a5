//! The state fields that Lucce adds to `java.lang.Thread`, read and written from native code.
//!
//! Invariant: only the current thread's own state is touched (JVMTI and JNI hand us the Thread
//! object of the current thread, which is the virtual thread where one is mounted). Ticks alone
//! write a field of others, which is there for that.
//! Source: layout in docs/design/thread-state.md.

mod entry;
mod java;
mod saved;

use std::ffi::CStr;

use jvmti_bindings::sys::jni::{jclass, jfieldID, jobject};
use lucce_words::hashed::ADRIFT;
use lucce_words::{NodeId, SiteId, Version, Word};

use super::jni::Jni;
use crate::hook_tables::shadow_stack::UNSAVED;
use entry::CONFIRMED;
pub use entry::{ENTRY, Entry};
pub use java::JavaThread;
pub use saved::SavedState;

/// Value of the site field that says: caller and site are those saved at `stack[top]`.
pub const RESUME: i32 = -1;
/// In `site`: a constructor that was entered through a link that is not plain is about to run
/// `super(...)`; `ctx` is its word. Which site that is, only a look at the stack tells, for an
/// exception may have left this behind.
pub const CONSTRUCTING: i32 = -2;
/// Longs of a fresh shadow stack.
const FRESH: usize = 64;
/// A shadow stack longer than this (in longs) is not grown: 2^27 longs are 1 GiB.
const LIMIT: usize = 1 << 27;

/// The field ids of the thread state.
pub struct ThreadFields {
    ctx: jfieldID,
    site: jfieldID,
    top: jfieldID,
    slot: jfieldID,
    stack: jfieldID,
    version: jfieldID,
    hooks_enabled: jfieldID,
    doubted: jfieldID,
    sampled: jfieldID,
    /// `Thread.cont`: the continuation that a carrier runs. Null in JVMs without any, and where
    /// nothing needs to be known of it.
    continuation: jfieldID,
    /// Does `version` belong to the word (Algorithm 1)?
    versioned: bool,
}

// SAFETY: field ids are valid on all threads while java.lang.Thread is loaded, that is always.
unsafe impl Send for ThreadFields {}
// SAFETY: as above.
unsafe impl Sync for ThreadFields {}

/// What a thread's fields say now, RESUME resolved.
pub struct ThreadState {
    /// The word published last.
    pub ctx: Word,
    /// Its site.
    pub site: SiteId,
    /// Its version where the word does not hold it (Algorithm 1), else 0.
    pub version: Version,
}

impl ThreadState {
    /// Is a context published, not UNKNOWN and not lost?
    pub fn is_known(&self) -> bool {
        self.site != SiteId::UNKNOWN && (self.ctx.version().0 != 0 || self.version.0 != 0)
    }

    /// The site at which an activation that is inactive has published last. It may have returned
    /// since, to code of the JDK's that calls others.
    pub fn of_inactive(&self) -> Option<SiteId> {
        (self.ctx == Word::NONE && !self.is_known()).then_some(self.site).filter(|site| *site != SiteId::UNKNOWN)
    }
}

impl ThreadFields {
    /// The names of the fields.
    pub const NAMES: [&CStr; 12] = [
        c"$lucce$ctx",
        c"$lucce$site",
        c"$lucce$top",
        c"$lucce$slot",
        c"$lucce$stack",
        c"$lucce$version",
        c"$lucce$started",
        c"$lucce$origin",
        c"$lucce$hooksEnabled",
        c"$lucce$doubted",
        c"$lucce$tick",
        c"$lucce$sampled",
    ];

    /// Looks the fields up; `None` if java.lang.Thread was not rewritten.
    pub fn find(jni: Jni, thread_class: jclass, versioned: bool, continuations: bool) -> Option<Self> {
        let fields = Self {
            ctx: jni.field(thread_class, c"$lucce$ctx", c"J"),
            site: jni.field(thread_class, c"$lucce$site", c"I"),
            top: jni.field(thread_class, c"$lucce$top", c"I"),
            slot: jni.field(thread_class, c"$lucce$slot", c"I"),
            stack: jni.field(thread_class, c"$lucce$stack", c"[J"),
            version: jni.field(thread_class, c"$lucce$version", c"I"),
            hooks_enabled: jni.field(thread_class, c"$lucce$hooksEnabled", c"I"),
            doubted: jni.field(thread_class, c"$lucce$doubted", c"I"),
            sampled: jni.field(thread_class, c"$lucce$sampled", c"I"),
            continuation: match continuations {
                true => jni.field(thread_class, c"cont", c"Ljdk/internal/vm/Continuation;"),
                false => std::ptr::null_mut(),
            },
            versioned,
        };
        let Self { ctx, site, top, slot, stack, version, hooks_enabled, doubted, sampled, .. } = fields;
        let all = [ctx, site, top, slot, stack, version, hooks_enabled, doubted, sampled];
        all.iter().all(|field| !field.is_null()).then_some(fields)
    }

    /// Are there continuations that the JDK's own code with hooks can meet?
    pub fn has_continuations(&self) -> bool {
        !self.continuation.is_null()
    }

    /// The continuation that `thread`, which is the current one, carries: a local reference, or
    /// null. If it is a virtual thread's, that one has the thread lent for a moment, to be mounted
    /// or scheduled: the frames on the stack are its own, and JVMTI shows others or waits until it
    /// has been given back.
    pub fn carried(&self, thread: JavaThread) -> jobject {
        if self.continuation.is_null() { std::ptr::null_mut() } else { thread.object(self.continuation) }
    }

    /// The published caller and site; RESUME is resolved without being stored back.
    pub fn state(&self, thread: JavaThread) -> ThreadState {
        let site = match thread.int(self.site) {
            CONSTRUCTING => SiteId::UNKNOWN.0 as i32,
            site => site,
        };
        if site != RESUME {
            let version = self.version(thread);
            return ThreadState { ctx: Word(thread.long(self.ctx) as u64), site: SiteId(site as u32), version };
        }
        let unsaved = thread.int(self.top) & UNSAVED != 0;
        let top = self.top(thread);
        match self.read(thread, top, 1).first().filter(|_| !unsaved) {
            Some(entry) => ThreadState { ctx: entry.shadow.ctx, site: entry.shadow.site, version: entry.version },
            None => ThreadState { ctx: Word::NONE, site: SiteId::UNKNOWN, version: Version(0) },
        }
    }

    /// The word of a constructor that is about to run `super(...)` and was not entered through a
    /// plain link, if that was published last.
    pub fn constructing(&self, thread: JavaThread) -> Option<Word> {
        (thread.int(self.site) == CONSTRUCTING).then(|| Word(thread.long(self.ctx) as u64))
    }

    /// The whole shadow stack, bottom first.
    pub fn shadow_stack(&self, thread: JavaThread) -> Vec<Entry> {
        let top = self.top(thread);
        self.read(thread, 0, top / ENTRY)
    }

    /// The entries that belong to a word: none where it says its context by itself. `None` if the
    /// shadow stack is not to be believed.
    pub fn shadow_stack_of(&self, thread: JavaThread, word: Word) -> Option<Vec<Entry>> {
        match word.version().0 != 0 && word.chained() {
            true if self.is_doubted(thread) => None,
            true => Some(self.shadow_stack(thread)),
            false => Some(Vec::new()),
        }
    }

    /// May the shadow stack hold entries of activations that are gone?
    pub fn is_doubted(&self, thread: JavaThread) -> bool {
        thread.int(self.doubted) != 0
    }

    /// From now on nothing is told by the thread's shadow stack unless its stack agrees with it.
    pub fn doubt(&self, thread: JavaThread) {
        thread.set_int(self.doubted, 1);
    }

    /// The top of the shadow stack, bottom first: at most `most` entries, and the index (from the
    /// bottom) of the first of them.
    pub fn shadow_stack_top(&self, thread: JavaThread, most: usize) -> (usize, Vec<Entry>) {
        let end = self.top(thread) / ENTRY;
        let first = end.saturating_sub(most);
        (first, self.read(thread, first * ENTRY, end - first))
    }

    /// Stores the captured node of the entry at `index` (from the bottom).
    pub fn set_node(&self, thread: JavaThread, index: usize, node: NodeId) {
        self.patch(thread, index, 1, |longs| longs[3] = longs[3] & !0xFFFF_FFFF | i64::from(node.0));
    }

    /// Remembers for entries (their index from the bottom, ascending) that the oracle has confirmed
    /// their activations, and how many frames there are from each to the thread base. Not with
    /// Algorithm 1, whose versions stand there.
    pub fn set_confirmed(&self, thread: JavaThread, entries: &[(usize, u32)]) {
        let (Some(&(first, _)), Some(&(last, _))) = (entries.first(), entries.last()) else { return };
        self.patch(thread, first, last - first + 1, |longs| {
            for &(index, depth) in entries {
                let last = &mut longs[(index - first) * ENTRY + 3];
                *last = i64::from(CONFIRMED | depth) << 32 | *last & 0xFFFF_FFFF;
            }
        });
    }

    /// Changes `entries` entries of the shadow stack, from that at `index` on.
    fn patch(&self, thread: JavaThread, index: usize, entries: usize, change: impl FnOnce(&mut [i64])) {
        let stack = thread.object(self.stack);
        if !stack.is_null() && (index + entries) * ENTRY <= thread.jni.length(stack) {
            let mut longs = vec![0; entries * ENTRY];
            thread.jni.read_longs(stack, index * ENTRY, &mut longs);
            change(&mut longs);
            thread.jni.write_longs(stack, index * ENTRY, &longs);
        }
        thread.jni.release(stack);
    }

    /// Pushes `entries` as one frame's push: `slot` is where they begin, and the site becomes
    /// UNKNOWN. `false` if there is no memory: nothing is pushed then, and the frame's exit leaves
    /// UNKNOWN.
    pub fn push(&self, thread: JavaThread, entries: &[Entry]) -> bool {
        let top = self.top(thread);
        let needed = top + entries.len() * ENTRY;
        let Some(stack) = self.room(thread, top, needed) else {
            thread.set_int(self.slot, top as i32 | UNSAVED);
            thread.set_int(self.site, SiteId::UNKNOWN.0 as i32);
            return false;
        };
        let longs: Vec<i64> = entries.iter().flat_map(|entry| entry.to_longs()).collect();
        thread.jni.write_longs(stack, top, &longs);
        thread.jni.release(stack);
        thread.set_int(self.slot, top as i32);
        thread.set_int(self.top, needed as i32);
        thread.set_int(self.site, SiteId::UNKNOWN.0 as i32);
        true
    }

    /// Frames of the thread have gone without their exits: whatever is entered next walks, and
    /// nothing is told by entries of the shadow stack until an activation that stands has put its
    /// own state back, and with it the top of the shadow stack. Their owners find UNKNOWN in the
    /// last one.
    pub fn dropped(&self, thread: JavaThread) {
        let top = self.top(thread) / ENTRY;
        if top > 0 {
            self.patch(thread, top - 1, 1, |longs| longs.copy_from_slice(&Entry::dropped().to_longs()));
        }
        self.clear_site(thread);
    }

    /// Nothing that was published is said of what is entered next: UNKNOWN, and for hashed words
    /// what belongs to no context.
    pub fn clear_site(&self, thread: JavaThread) {
        self.publish(thread, Word(ADRIFT), SiteId::UNKNOWN);
    }

    /// Publishes a caller and site.
    pub fn publish(&self, thread: JavaThread, ctx: Word, site: SiteId) {
        thread.set_long(self.ctx, ctx.0 as i64);
        thread.set_int(self.site, site.0 as i32);
    }

    /// From now on methods that the thread enters look whether they were activated.
    pub fn enable_hooks(&self, thread: JavaThread) {
        thread.set_int(self.hooks_enabled, 1);
        thread.set_int(self.sampled, -1);
    }

    /// There was a tick: the next entry looks. It may be said of another thread.
    pub fn expect_sample(&self, thread: JavaThread) {
        thread.set_int(self.sampled, 0);
    }

    /// Do they?
    pub fn has_hooks_enabled(&self, thread: JavaThread) -> bool {
        thread.int(self.hooks_enabled) != 0
    }

    /// The version beside the word; 0 but for Algorithm 1.
    pub fn version(&self, thread: JavaThread) -> Version {
        if self.versioned { Version(thread.int(self.version) as u32) } else { Version(0) }
    }

    /// Sets it.
    pub fn set_version(&self, thread: JavaThread, version: Version) {
        thread.set_int(self.version, version.0 as i32);
    }

    /// The id of the thread's calling context tree, which has the same place with `encoder=cct`; 0
    /// for none.
    pub fn tree(&self, thread: JavaThread) -> u32 {
        thread.int(self.version) as u32
    }

    /// Sets it.
    pub fn set_tree(&self, thread: JavaThread, tree: u32) {
        thread.set_int(self.version, tree as i32);
    }

    fn top(&self, thread: JavaThread) -> usize {
        (thread.int(self.top) & !UNSAVED).max(0) as usize
    }

    fn read(&self, thread: JavaThread, start: usize, entries: usize) -> Vec<Entry> {
        let stack = thread.object(self.stack);
        if stack.is_null() || start + entries * ENTRY > thread.jni.length(stack) {
            thread.jni.release(stack);
            return Vec::new();
        }
        let mut longs = vec![0; entries * ENTRY];
        thread.jni.read_longs(stack, start, &mut longs);
        thread.jni.release(stack);
        longs.chunks_exact(ENTRY).map(Entry::from_longs).collect()
    }

    /// The shadow stack's array with room for `needed` longs, grown by doubling.
    fn room(&self, thread: JavaThread, top: usize, needed: usize) -> Option<jobject> {
        let stack = thread.object(self.stack);
        let length = if stack.is_null() { 0 } else { thread.jni.length(stack) };
        if needed <= length {
            return Some(stack);
        }
        if needed > LIMIT {
            return None;
        }
        let larger = thread.jni.new_longs(needed.max(length * 2).max(FRESH));
        if larger.is_null() {
            return None;
        }
        if top > 0 {
            let mut longs = vec![0; top.min(length)];
            thread.jni.read_longs(stack, 0, &mut longs);
            thread.jni.write_longs(larger, 0, &longs);
        }
        thread.jni.release(stack);
        thread.set_object(self.stack, larger);
        Some(larger)
    }
}
