//! The signal's handler: a look at the stack of the thread that has used an interval of CPU time.
//!
//! Invariant: it allocates nothing, takes no lock and does not panic; a fault in the JVM's look
//! ends the look. What a second look is told of the registers is put back. Source:
//! signal-safety(7), HotSpot's `forte.cpp`.

use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::guard;
use super::registers::{self, Registers};
use super::samples::{DEPTH, FAULT, NOT_ANCHORED, NOT_WALKABLE, RawTrace, Walk};
use super::sampling::sampling;
use super::threads::{self, Slot};

/// The handler.
pub(super) extern "C" fn on_tick(_: libc::c_int, info: *mut libc::siginfo_t, ucontext: *mut c_void) {
    // SAFETY: the running thread's own, and the system's information.
    unsafe {
        let errno = libc::__errno_location();
        let before = *errno;
        if (*info).si_code == libc::SI_TIMER {
            tick((*info).si_value().sival_ptr as usize, ucontext);
        }
        *errno = before;
    }
}

fn tick(address: usize, ucontext: *mut c_void) {
    let Some(sampling) = sampling() else { return };
    let Some(slot) = sampling.threads.slot(address) else { return };
    let tid = threads::own_tid();
    if !sampling.threads.on.load(Ordering::Acquire) || slot.tid.load(Ordering::Acquire) != tid {
        return;
    }
    let value = slot.charge(threads::time(libc::CLOCK_THREAD_CPUTIME_ID));
    let Some(taken) = sampling.samples.take() else {
        slot.unplaced.fetch_add(value, Ordering::Relaxed);
        return;
    };
    let time = threads::time(libc::CLOCK_MONOTONIC);
    let env = slot.env.load(Ordering::Relaxed).cast();
    taken.fill(slot as *const Slot, (tid, env), (value, time), |trace, landing| {
        // SAFETY: in the handler of this signal; the trace has room for so many frames, and the
        // environment is that of the running thread, which has not ended. What a second look is
        // told of the registers is put back.
        unsafe {
            let ucontext = registers::interrupted(ucontext);
            look(sampling.walk, trace, ucontext, landing);
            let again: Walk = match trace.count {
                NOT_ANCHORED => anchored,
                count if NOT_WALKABLE.contains(&count) => settled,
                _ => return,
            };
            let (before, first) = (Registers::of(ucontext), trace.count);
            look(again, trace, ucontext, landing);
            before.set(ucontext);
            trace.count = if trace.count > 0 { trace.count } else { first };
        }
    });
    sampling.full.post();
}

/// Walks the stack into the trace.
///
/// # Safety
/// As of [`guard::look`].
unsafe fn look(walk: Walk, trace: &mut RawTrace, ucontext: *mut c_void, landing: &AtomicUsize) {
    // SAFETY: the caller's promise; there is room for so many frames.
    if !unsafe { guard::look(walk, trace, DEPTH as i32, ucontext, landing) } {
        trace.count = FAULT;
    }
}

/// Walks with registers with which the frame is whole.
unsafe extern "C" fn settled(trace: *mut RawTrace, depth: i32, ucontext: *mut c_void) {
    let Some(sampling) = sampling() else { return };
    // SAFETY: called by `look` in a handler, with its arguments; a fault ends the look.
    unsafe {
        let at = Registers::of(ucontext);
        let called = || Some((sampling.stubs.caller(at)?, None));
        let Some((registers, saved)) = called().or_else(|| at.settled()) else { return };
        if let Some((address, word)) = saved {
            // What the prologue does next.
            (address as *mut usize).write(word);
        }
        registers.set(ucontext);
        (sampling.walk)(trace, depth, ucontext);
    }
}

/// Walks once the frames below the JVM's own code are readable.
unsafe extern "C" fn anchored(trace: *mut RawTrace, depth: i32, ucontext: *mut c_void) {
    let Some(sampling) = sampling() else { return };
    let Some(anchor) = sampling.anchor.get().copied().flatten() else { return };
    // SAFETY: called by `look` in a handler, with its arguments; a fault ends the look.
    unsafe {
        if anchor.settle((*trace).env) {
            (sampling.walk)(trace, depth, ucontext);
        }
    }
}
