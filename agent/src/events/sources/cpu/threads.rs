//! The threads whose CPU time is sampled, and the timer of each.
//!
//! A timer counts the CPU time of one thread and signals that very thread, so a thread that sleeps
//! costs nothing. The signal carries the address of the thread's slot, and the handler needs no
//! thread-local memory.
//! Invariant: a slot's memory is never given back, and the handler of a signal believes it only if
//! it names the running thread; so a signal that was under way when its timer went is harmless.
//! Source: timer_create(2) (SIGEV_THREAD_ID), clock_getcpuclockid(3).

use std::alloc::{Layout, alloc_zeroed};
use std::mem::zeroed;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use jvmti_bindings::sys::jni::{JNIEnv, jobject};

use crate::support::lock::Lock;

/// Threads at a time, at most. Only what is used becomes memory.
const MOST: usize = 1 << 16;

/// What the handler needs to know of a thread.
#[derive(Default)]
#[repr(align(64))]
pub struct Slot {
    /// The thread of the system's; 0 where there is none any more.
    pub tid: AtomicI32,
    /// How many threads had the slot.
    pub generation: AtomicU32,
    /// Its JNI environment.
    pub env: AtomicPtr<JNIEnv>,
    /// CPU time of the thread that was charged, in nanoseconds.
    pub charged: AtomicU64,
    /// CPU time for which there was no sample.
    pub unplaced: AtomicU64,
    /// The Thread: a global reference.
    thread: AtomicUsize,
    /// One more than the timer's id; 0 for none.
    timer: AtomicUsize,
}

impl Slot {
    /// The thread's object, as long as its samples are read.
    pub fn thread(&self) -> jobject {
        self.thread.load(Ordering::Acquire) as jobject
    }

    /// Takes what was used up to `used` since the last time.
    pub fn charge(&self, used: u64) -> u64 {
        used.saturating_sub(self.charged.swap(used, Ordering::Relaxed))
    }
}

/// All slots.
pub struct ThreadTimers {
    slots: *const Slot,
    change: Lock<Change>,
    /// Are the timers on? Read by the handler.
    pub on: AtomicBool,
}

#[derive(Default)]
struct Change {
    used: usize,
    live: Vec<usize>,
    /// Their threads have ended, and samples of them may wait.
    ended: Vec<usize>,
    free: Vec<usize>,
    /// A timer was refused, and that was said.
    is_refused: bool,
}

// SAFETY: slots are atomic and never given back.
unsafe impl Send for ThreadTimers {}
// SAFETY: as above.
unsafe impl Sync for ThreadTimers {}

/// When a thread is signalled, and how.
#[derive(Clone, Copy)]
pub struct Tick {
    /// The signal.
    pub signal: libc::c_int,
    /// CPU time between two.
    pub interval: Duration,
}

impl ThreadTimers {
    /// No thread yet. `None` without address space.
    pub fn reserve() -> Option<Self> {
        let layout = Layout::array::<Slot>(MOST).ok()?;
        // SAFETY: the layout is not empty. Zeroes are a slot without a thread.
        let slots = unsafe { alloc_zeroed(layout) }.cast::<Slot>();
        let (change, on) = (Lock::default(), AtomicBool::new(false));
        (!slots.is_null()).then_some(Self { slots, change, on })
    }

    /// The slot that a signal names, if it is one. In a signal handler.
    pub fn slot(&self, address: usize) -> Option<&Slot> {
        let offset = address.checked_sub(self.slots as usize)?;
        let is_one = offset.is_multiple_of(size_of::<Slot>()) && offset / size_of::<Slot>() < MOST;
        // SAFETY: within the slots.
        is_one.then(|| unsafe { &*(address as *const Slot) })
    }

    fn at(&self, index: usize) -> &Slot {
        assert!(index < MOST, "given by `begin`");
        // SAFETY: within the slots.
        unsafe { &*self.slots.add(index) }
    }

    /// The running thread begins; `thread` is a global reference to it. Is there a slot for it, and
    /// had it none?
    pub fn begin(&self, env: *mut JNIEnv, thread: jobject, tick: Tick) -> bool {
        let mut change = self.change.lock();
        let tid = own_tid();
        if change.live.iter().any(|&index| self.at(index).tid.load(Ordering::Relaxed) == tid) {
            return false;
        }
        let fresh = change.used;
        let Some(index) = change.free.pop().or((fresh < MOST).then_some(fresh)) else { return false };
        change.used = fresh.max(index + 1);
        change.live.push(index);
        let slot = self.at(index);
        slot.generation.fetch_add(1, Ordering::Relaxed);
        slot.env.store(env, Ordering::Relaxed);
        slot.thread.store(thread as usize, Ordering::Release);
        slot.charged.store(used(tid), Ordering::Relaxed);
        slot.unplaced.store(0, Ordering::Relaxed);
        slot.tid.store(tid, Ordering::Release);
        if self.on.load(Ordering::Relaxed) {
            self.arm(slot, tick, &mut change);
        }
        true
    }

    /// The running thread ends. The CPU time since its last sample, if it was sampled.
    pub fn end(&self) -> Option<u64> {
        let tid = own_tid();
        let mut change = self.change.lock();
        let at = change.live.iter().position(|&index| self.at(index).tid.load(Ordering::Relaxed) == tid)?;
        let index = change.live.swap_remove(at);
        change.ended.push(index);
        let slot = self.at(index);
        // From here on signals to this thread find no slot.
        slot.tid.store(0, Ordering::Release);
        disarm(slot);
        self.on.load(Ordering::Relaxed).then(|| slot.charge(used(tid)) + slot.unplaced.swap(0, Ordering::Relaxed))
    }

    /// Turns all timers on or off. Of those that are turned off the slots and the CPU time since
    /// their last samples.
    pub fn turn(&self, on: bool, tick: Tick) -> Vec<(&Slot, u64)> {
        let mut change = self.change.lock();
        if self.on.swap(on, Ordering::AcqRel) == on {
            return Vec::new();
        }
        let live = change.live.clone();
        let mut rests = Vec::new();
        for slot in live.into_iter().map(|index| self.at(index)) {
            let tid = slot.tid.load(Ordering::Relaxed);
            if on {
                slot.charged.store(used(tid), Ordering::Relaxed);
                self.arm(slot, tick, &mut change);
            } else {
                disarm(slot);
                rests.push((slot, slot.charge(used(tid)) + slot.unplaced.swap(0, Ordering::Relaxed)));
            }
        }
        rests
    }

    /// Slots whose threads have ended; to be given to [`Self::free`] once all samples that were
    /// full by now are read.
    pub fn ended(&self) -> Vec<usize> {
        std::mem::take(&mut self.change.lock().ended)
    }

    /// Others may have these slots. The references to their threads.
    pub fn free(&self, ended: Vec<usize>) -> Vec<jobject> {
        let references =
            ended.iter().map(|&index| self.at(index).thread.swap(0, Ordering::AcqRel) as jobject).collect();
        self.change.lock().free.extend(ended);
        references
    }

    fn arm(&self, slot: &Slot, tick: Tick, change: &mut Change) {
        let tid = slot.tid.load(Ordering::Relaxed);
        // SAFETY: a plain struct of the system's, whose fields are set below.
        let mut event: libc::sigevent = unsafe { zeroed() };
        event.sigev_notify = libc::SIGEV_THREAD_ID;
        event.sigev_signo = tick.signal;
        event.sigev_notify_thread_id = tid;
        event.sigev_value.sival_ptr = std::ptr::from_ref(slot).cast_mut().cast();
        let mut timer: libc::timer_t = null_mut();
        let interval = timespec(tick.interval);
        // Not all at once, and not always at the same place of what a thread does first.
        let first = timespec(tick.interval.mul_f64(phase(tid, slot.generation.load(Ordering::Relaxed))));
        let first = if first.tv_sec == 0 && first.tv_nsec == 0 { interval } else { first };
        let spec = libc::itimerspec { it_interval: interval, it_value: first };
        // SAFETY: structs that live during the calls. The clock is that of a thread of this
        // process.
        let code = unsafe {
            match libc::timer_create(clock(tid), &mut event, &mut timer) {
                0 => libc::timer_settime(timer, 0, &spec, null_mut()),
                code => code,
            }
        };
        if code == 0 {
            slot.timer.store(timer as usize + 1, Ordering::Relaxed);
        } else if !std::mem::replace(&mut change.is_refused, true) {
            let error = std::io::Error::last_os_error();
            say!("cpu: the system gives no timer ({error}); threads without one are not sampled");
        }
    }
}

fn disarm(slot: &Slot) {
    if let Some(timer) = slot.timer.swap(0, Ordering::Relaxed).checked_sub(1) {
        // SAFETY: made by `arm`, and taken out once.
        unsafe { libc::timer_delete(timer as libc::timer_t) };
    }
}

/// The running thread, as the system counts threads. Signal-safe.
pub fn own_tid() -> i32 {
    // SAFETY: asks the system, and changes nothing.
    unsafe { libc::syscall(libc::SYS_gettid) as i32 }
}

/// The clock of a thread's CPU time: what clock_getcpuclockid(3) makes for threads
/// (CPUCLOCK_PERTHREAD, CPUCLOCK_SCHED).
fn clock(tid: i32) -> libc::clockid_t {
    !tid << 3 | 0b110
}

/// CPU time of a thread of this process, in nanoseconds; 0 once it has gone. Signal-safe.
pub fn used(tid: i32) -> u64 {
    time(clock(tid))
}

/// The time of a clock, in nanoseconds. Signal-safe.
pub fn time(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is ours; without the clock it stays 0.
    unsafe { libc::clock_gettime(clock, &mut time) };
    (time.tv_sec as u64).saturating_mul(1_000_000_000).saturating_add(time.tv_nsec as u64)
}

fn timespec(time: Duration) -> libc::timespec {
    libc::timespec { tv_sec: time.as_secs().cast_signed(), tv_nsec: time.subsec_nanos().into() }
}

/// A share of an interval, other for each thread.
fn phase(tid: i32, generation: u32) -> f64 {
    let mixed = (tid as u64 ^ u64::from(generation) << 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> 11) as f64 / (1_u64 << 53) as f64
}
