//! Where the signal handler puts what it has seen, until the sampler's thread reads it.
//!
//! Invariant: a sample belongs to one side at a time, as its state says: to the handler that has
//! taken it, or to the thread that reads. The memory is reserved once; no side waits for the other,
//! and what finds no sample is added to its thread's unplaced time.
//! Source: signal-safety(7).

use std::alloc::{Layout, alloc_zeroed};
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicI32, AtomicU8, AtomicU64, AtomicUsize, Ordering};

use jvmti_bindings::sys::jni::jmethodID;

use super::threads::Slot;

/// A look that a fault has ended, in place of a number of frames. The JVM's own go from -1 to -10.
pub(super) const FAULT: i32 = -100;
/// The JVM's codes for Java code whose topmost frame it cannot walk.
pub(super) const NOT_WALKABLE: [i32; 2] = [-5, -6];
/// Its code for a thread in the JVM's own code whose Java frames it cannot find.
pub(super) const NOT_ANCHORED: i32 = -3;

/// `AsyncGetCallTrace`.
pub type Walk = unsafe extern "C" fn(*mut RawTrace, i32, *mut c_void);

/// Frames of a stack that are kept. A thread of the default size holds few more.
pub const DEPTH: usize = 1 << 13;
/// Samples that wait at most, those that are being filled included.
const MOST: usize = 64;

const FREE: u8 = 0;
const FILLING: u8 = 1;
const FULL: u8 = 2;

/// A frame as `AsyncGetCallTrace` writes it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RawFrame {
    /// Bytecode index; -1 if it is not known, -3 for a native method.
    pub bci: i32,
    /// The method; null where the JVM has no id for it.
    pub method: jmethodID,
}

/// What `AsyncGetCallTrace` is given.
#[repr(C)]
pub struct RawTrace {
    /// The environment of the thread that was interrupted.
    pub env: *mut c_void,
    /// Out: the number of frames, or why there are none, which is negative.
    pub count: i32,
    /// Room for [`DEPTH`] frames, innermost first.
    pub frames: *mut RawFrame,
}

/// One sample.
pub struct Sample {
    /// The thread that was interrupted.
    pub slot: *const Slot,
    /// CPU time of that thread since its last sample, in nanoseconds.
    pub value: u64,
    /// When, on the monotonic clock, in nanoseconds.
    pub time: u64,
    /// The stack.
    pub trace: RawTrace,
    frames: [RawFrame; DEPTH],
}

impl Sample {
    /// The frames, innermost first; none where the JVM gave none.
    pub fn frames(&self) -> &[RawFrame] {
        let count = usize::try_from(self.trace.count).unwrap_or(0);
        &self.frames[..count.min(DEPTH)]
    }
}

/// The samples.
pub struct Samples {
    states: [AtomicU8; MOST],
    /// The thread of the system's that fills each, while it looks at its stack; otherwise 0.
    lookers: [AtomicI32; MOST],
    /// Where each look lands if it fails ([`super::guard`]).
    landings: [AtomicUsize; MOST],
    /// How many looks are under way.
    looks: AtomicU64,
    all: *mut Sample,
}

// SAFETY: `all` is reached by the owner of a state alone.
unsafe impl Send for Samples {}
// SAFETY: as above.
unsafe impl Sync for Samples {}

/// A sample that the handler fills.
pub struct Taken<'s> {
    samples: &'s Samples,
    index: usize,
}

impl Samples {
    /// Reserves them. The system makes them memory as they are written. `None` without address
    /// space.
    pub fn reserve() -> Option<Self> {
        let layout = Layout::array::<Sample>(MOST).ok()?;
        // SAFETY: the layout is not empty.
        let all = unsafe { alloc_zeroed(layout) }.cast::<Sample>();
        (!all.is_null()).then(|| Self {
            states: [const { AtomicU8::new(FREE) }; MOST],
            lookers: [const { AtomicI32::new(0) }; MOST],
            landings: [const { AtomicUsize::new(0) }; MOST],
            looks: AtomicU64::new(0),
            all,
        })
    }

    /// A free one, in a signal handler.
    pub fn take(&self) -> Option<Taken<'_>> {
        let take =
            |state: &AtomicU8| state.compare_exchange(FREE, FILLING, Ordering::Acquire, Ordering::Relaxed).is_ok();
        let index = self.states.iter().position(take)?;
        Some(Taken { samples: self, index })
    }

    /// Is any being filled, or waits to be read?
    pub fn are_in_use(&self) -> bool {
        self.states.iter().any(|state| state.load(Ordering::Acquire) != FREE)
    }

    /// Runs `body` for each that is full, in the order of time, and frees it. By one thread at a
    /// time.
    pub fn drain(&self, mut body: impl FnMut(&Sample)) {
        let is_full = |index: &usize| self.states[*index].load(Ordering::Acquire) == FULL;
        // SAFETY: a full sample is the reader's, who is alone, until it is freed.
        let at = |index: usize| unsafe { &*self.all.add(index) };
        let mut full: Vec<usize> = (0..MOST).filter(is_full).collect();
        full.sort_by_key(|&index| at(index).time);
        for index in full {
            body(at(index));
            self.states[index].store(FREE, Ordering::Release);
        }
    }

    /// Where the look of a thread lands that is under way, as [`super::guard`] has noted it. In a
    /// signal handler.
    pub fn landing(&self, thread: impl Fn() -> i32) -> Option<&AtomicUsize> {
        if self.looks.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let thread = thread();
        let index = self.lookers.iter().position(|looker| looker.load(Ordering::Relaxed) == thread)?;
        self.landings.get(index)
    }
}

impl Taken<'_> {
    /// Fills it: `look` writes the frames of the trace, and may use where it lands. Then it is the
    /// reader's.
    pub fn fill(
        self,
        slot: *const Slot,
        (tid, env): (i32, *mut c_void),
        (value, time): (u64, u64),
        look: impl FnOnce(&mut RawTrace, &AtomicUsize),
    ) {
        let Self { samples, index } = self;
        let (Some(state), Some(looker), Some(landing)) =
            (samples.states.get(index), samples.lookers.get(index), samples.landings.get(index))
        else {
            return;
        };
        // SAFETY: whoever has taken a sample owns it until it is full. Zeroes are a sample, too.
        let sample = unsafe { &mut *samples.all.add(index) };
        sample.slot = slot;
        sample.value = value;
        sample.time = time;
        sample.trace = RawTrace { env, count: 0, frames: sample.frames.as_mut_ptr() };
        looker.store(tid, Ordering::Relaxed);
        samples.looks.fetch_add(1, Ordering::Relaxed);
        look(&mut sample.trace, landing);
        samples.looks.fetch_sub(1, Ordering::Relaxed);
        looker.store(0, Ordering::Relaxed);
        sample.trace.env = null_mut();
        state.store(FULL, Ordering::Release);
    }
}
