//! What sampling takes from the system and the JVM's library: a free signal, the JVM's look at a
//! stack, a semaphore.
//!
//! Invariant: nothing is taken away from the program, or from another profiler.
//! Source: signal(7), sem_post(3), dlsym(3), HotSpot's `forte.cpp`.

use std::ffi::{CStr, c_void};
use std::mem::{MaybeUninit, transmute, zeroed};
use std::ptr::null;

use super::samples::Walk;
use super::threads;

/// A real-time signal that nobody uses. Such a one is never taken away from a program or another
/// profiler, which use others by custom.
pub(super) fn free_signal() -> Option<libc::c_int> {
    // The lowest and the highest are taken first by others (the JDK takes SIGRTMAX - 2).
    (libc::SIGRTMIN() + 4..=libc::SIGRTMAX() - 4).find(|&signal| {
        let mut known = MaybeUninit::<libc::sigaction>::zeroed();
        // SAFETY: only asks; all zeroes, or what the system has said.
        unsafe {
            libc::sigaction(signal, null(), known.as_mut_ptr()) == 0
                && known.assume_init().sa_sigaction == libc::SIG_DFL
        }
    })
}

/// `AsyncGetCallTrace`, from the JVM that is loaded.
pub(super) fn walk_function() -> Option<Walk> {
    let function = of_jvm(c"AsyncGetCallTrace");
    // SAFETY: its type, as `forte.cpp` has it.
    (!function.is_null()).then(|| unsafe { transmute::<*mut c_void, Walk>(function) })
}

/// A symbol of the JVM that is loaded; null for none.
pub(super) fn of_jvm(name: &CStr) -> *mut c_void {
    // SAFETY: names end with zero. The library is loaded, and stays so; nothing is run.
    unsafe {
        let library = libc::dlopen(c"libjvm.so".as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        let library = if library.is_null() { libc::RTLD_DEFAULT } else { library };
        libc::dlsym(library, name.as_ptr())
    }
}

/// Counts what waits.
pub(super) struct Semaphore(std::cell::UnsafeCell<libc::sem_t>);

// SAFETY: semaphores are for use by several threads.
unsafe impl Send for Semaphore {}
// SAFETY: as above.
unsafe impl Sync for Semaphore {}

impl Semaphore {
    pub(super) fn new() -> Self {
        // SAFETY: zeroes are a free semaphore of this process on Linux (sem_init with 0 writes the
        // same), which may be moved before its first use.
        Self(unsafe { zeroed() })
    }

    /// In a signal handler, too.
    pub(super) fn post(&self) {
        // SAFETY: ours; its address does not change any more.
        unsafe { libc::sem_post(self.0.get()) };
    }

    /// Waits until somebody has posted, and takes all posts. Had somebody, within so many
    /// nanoseconds?
    pub(super) fn wait(&self, nanos: u64) -> bool {
        let now = threads::time(libc::CLOCK_REALTIME).saturating_add(nanos);
        let until = libc::timespec {
            tv_sec: (now / 1_000_000_000).cast_signed(),
            tv_nsec: (now % 1_000_000_000) as libc::c_long,
        };
        // SAFETY: as above.
        unsafe {
            let has_come = libc::sem_timedwait(self.0.get(), &until) == 0;
            while libc::sem_trywait(self.0.get()) == 0 {}
            has_come
        }
    }
}
