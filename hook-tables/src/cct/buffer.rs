//! With `trace`, the words of a thread's entries that the writer of the trace has not got yet.
//!
//! ```text
//! offset 0   u64 cursor   where the next word goes
//!        8   u64 full     from here on the buffer is to be handed on before the next entry
//!       16   u64 end      behind its last word
//!       24   u64 words[]
//! ```
//! Invariant: the hooks of the thread write words and cursor, the cursor last. Only that thread
//! empties its buffer. None is ever freed.

use std::alloc::{Layout, alloc_zeroed};
use std::mem::offset_of;

use crate::sync::{AtomicU64, Ordering};

/// Words of a buffer; and how many of them are left when it is handed on, for entries within
/// entries.
const WORDS: usize = 509;
const SLACK: usize = 16;

/// A thread's buffer.
#[repr(C)]
pub struct Buffer {
    cursor: AtomicU64,
    pub(crate) full: AtomicU64,
    pub(crate) end: AtomicU64,
    words: [AtomicU64; WORDS],
    /// The thread's number; 0: none has it. The hooks do not look at it.
    thread: AtomicU64,
}

impl Buffer {
    /// An empty one, of no thread yet. `None` without memory.
    pub fn allocate() -> Option<&'static Self> {
        // SAFETY: a buffer is not of size 0.
        let memory = unsafe { alloc_zeroed(Layout::new::<Self>()) };
        if memory.is_null() {
            return None;
        }
        // SAFETY: fresh memory of that layout, which is never freed; zero is a value of all its
        // fields.
        let buffer = unsafe { Self::at(memory.expose_provenance() as u64) };
        buffer.full.store(buffer.first() + ((WORDS - SLACK) * 8) as u64, Ordering::Relaxed);
        buffer.end.store(buffer.first() + (WORDS * 8) as u64, Ordering::Relaxed);
        buffer.empty();
        Some(buffer)
    }

    /// The buffer at an address.
    ///
    /// # Safety
    /// [`Self::allocate`] gave a buffer with this [`Self::address`].
    pub unsafe fn at(address: u64) -> &'static Self {
        // SAFETY: as this function's own contract.
        unsafe { &*(address as *const Self) }
    }

    /// Its address, as the hooks know it.
    pub fn address(&self) -> u64 {
        std::ptr::from_ref(self) as u64
    }

    /// The number of the thread that has it, or 0.
    pub fn thread(&self) -> u32 {
        self.thread.load(Ordering::Relaxed) as u32
    }

    /// Gives it to a thread, or to none (0). Only by the thread that has it, or when none has.
    pub fn belongs_to(&self, thread: u32) {
        self.thread.store(thread.into(), Ordering::Relaxed);
    }

    /// Does it belong to a thread, and is there a place?
    pub fn is_ready(&self) -> bool {
        self.thread() != 0 && self.cursor.load(Ordering::Relaxed) < self.full.load(Ordering::Relaxed)
    }

    /// The words that it holds.
    pub fn words(&self) -> Vec<u64> {
        let number = (self.cursor.load(Ordering::Acquire) - self.first()) as usize / 8;
        self.words[..number.min(WORDS)].iter().map(|word| word.load(Ordering::Relaxed)).collect()
    }

    /// It holds none any more. Only by its thread.
    pub fn empty(&self) {
        self.cursor.store(self.first(), Ordering::Relaxed);
    }

    fn first(&self) -> u64 {
        self.address() + offset_of!(Self, words) as u64
    }
}

const _: () = assert!(offset_of!(Buffer, cursor) == 0);
