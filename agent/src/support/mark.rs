//! The mark that a copy of this library sets on the process in which it is at work, so that no
//! second copy works beside it.
//!
//! A library that is loaded from two paths is two libraries, each with statics of its own. What
//! they share is the process. So the one at work maps a page that has a name, and each that comes
//! looks for that name among the mappings.
//! Invariant: the page is never touched, and is there as long as the copy is at work. Where the
//! kernel gives none (before Linux 3.17), nothing is marked.
//! Source: memfd_create(2); proc(5), `maps`.

use std::fs;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How the kernel lists a mapping of that name.
const LISTED: &[u8] = b"/memfd:lucce-at-work (deleted)";

/// A page, whatever its size.
const BYTES: usize = 1;

/// The mark, while it is there.
pub struct Mark(AtomicUsize);

impl Mark {
    /// Marks the process; `None` if another copy has.
    pub fn set() -> Option<Self> {
        let mark = Self(AtomicUsize::new(map().unwrap_or(0)));
        // After ours is there: of two that come at once, none stays.
        // Names of other files in it may be no text.
        let maps = fs::read("/proc/self/maps").unwrap_or_default();
        let own = usize::from(mark.0.load(Ordering::Relaxed) != 0);
        (maps.split(|&byte| byte == b'\n').filter(|line| line.ends_with(LISTED)).count() <= own).then_some(mark)
    }

    /// Takes it away.
    pub fn remove(&self) {
        let address = self.0.swap(0, Ordering::AcqRel);
        if address != 0 {
            // SAFETY: the mapping is ours, is unmapped once, and nothing refers to it.
            unsafe { libc::munmap(address as *mut libc::c_void, BYTES) };
        }
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Maps the page; its address.
fn map() -> Option<usize> {
    // SAFETY: a system call with a zero-terminated name. The function of that name is missing in C
    // libraries of that time.
    let descriptor = unsafe { libc::syscall(libc::SYS_memfd_create, c"lucce-at-work".as_ptr(), libc::MFD_CLOEXEC) };
    let descriptor = i32::try_from(descriptor).ok().filter(|&descriptor| descriptor >= 0)?;
    // SAFETY: the descriptor is new, and nobody else's.
    let file = unsafe { OwnedFd::from_raw_fd(descriptor) };
    // SAFETY: a new mapping at an address of the kernel's choice; the page has no memory, and
    // nothing touches it.
    let address = unsafe { libc::mmap(null_mut(), BYTES, libc::PROT_NONE, libc::MAP_SHARED, file.as_raw_fd(), 0) };
    (address != libc::MAP_FAILED).then_some(address as usize)
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_one_mark_at_a_time() {
        let first = Mark::set().expect("there is none");
        assert!(Mark::set().is_none());
        first.remove();
        assert!(Mark::set().is_some());
        assert!(Mark::set().is_some(), "it goes when it is dropped");
    }
}
