//! Address space that reads as zero, and becomes memory where it is written.
//!
//! Invariant: every byte may be read at any time, by the hooks too; written is only what was
//! opened. What never was costs nothing, not even in a program that locks all its memory: the
//! kernel gives a page of its own only to who may write it.
//! Source: mlockall(2), mprotect(2); madvise(2), "MADV_DONTNEED" and locked pages.

use crate::memory::{give_back, open, reserve_low};
use crate::sync::{AtomicU64, Ordering};

/// Bytes that are opened at once: whole pages, whatever their size.
const STEP: usize = 1 << 17;

/// A table in such address space.
pub struct Sparse {
    first: usize,
    bytes: usize,
    /// A bit for each step: is it open?
    opened: Box<[AtomicU64]>,
}

impl Sparse {
    /// Reserves it; `None` if the address space does not allow it.
    pub fn reserve(bytes: usize) -> Option<Self> {
        let bytes = bytes.next_multiple_of(STEP);
        let opened = (0..(bytes / STEP).div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Some(Self { first: reserve_low(bytes)?, bytes, opened })
    }

    /// The address of its first byte.
    pub fn address(&self) -> usize {
        self.first
    }

    /// May this byte be written? From now on it may, unless there is no memory.
    pub fn opens(&self, offset: usize) -> bool {
        assert!(offset < self.bytes, "ids are limited when they are given");
        let step = offset / STEP;
        let (opened, bit) = (&self.opened[step / 64], 1 << (step % 64));
        if opened.load(Ordering::Acquire) & bit != 0 {
            return true;
        }
        // SAFETY: within the reservation, on borders of pages. Who comes here twice does no harm.
        let done = unsafe { open(self.first + step * STEP, STEP) };
        if done {
            opened.fetch_or(bit, Ordering::Release);
        }
        done
    }

    /// All of it reads as zero, and what was open stays so.
    pub fn clear(&self) {
        // SAFETY: our own range, on borders of pages; zero says nothing.
        if unsafe { give_back(self.first as u64, self.bytes) } {
            return;
        }
        // Locked pages cannot be given back.
        for step in
            (0..self.bytes / STEP).filter(|step| self.opened[step / 64].load(Ordering::Acquire) >> (step % 64) & 1 != 0)
        {
            for word in (self.first + step * STEP..).step_by(8).take(STEP / 8) {
                // SAFETY: aligned, within a step that is open.
                let word = unsafe { &*(word as *const AtomicU64) };
                word.store(0, Ordering::Release);
            }
        }
    }
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;
    use crate::memory::mapping;

    fn byte(table: &Sparse, offset: usize) -> *mut u8 {
        (table.address() + offset) as *mut u8
    }

    #[test]
    fn only_what_was_opened_may_be_written_and_all_may_be_read() {
        let table = Sparse::reserve(5 * STEP - 1).unwrap();
        assert!(table.opens(2 * STEP) && table.opens(3 * STEP - 1) && table.opens(5 * STEP - 1));
        let rights: Vec<_> = (0..5).map(|step| mapping(table.address() + step * STEP).1).collect();
        assert_eq!(rights, ["r--p", "r--p", "rw-p", "r--p", "rw-p"]);
        // SAFETY: all may be read, and this step be written.
        unsafe {
            byte(&table, 2 * STEP).write(7);
            let read: Vec<_> = (0..5).map(|step| byte(&table, step * STEP).read()).collect();
            assert_eq!(read, [0, 0, 7, 0, 0]);
        }
    }

    /// Locks as few pages as any user may.
    #[test]
    fn what_is_locked_is_cleared_as_well() {
        let table = Sparse::reserve(2 * STEP).unwrap();
        assert!(table.opens(STEP));
        // SAFETY: the step is open, and stays mapped.
        unsafe {
            byte(&table, STEP).write(7);
            assert_eq!(libc::mlock(byte(&table, STEP).cast(), 1), 0, "{}", std::io::Error::last_os_error());
            table.clear();
            assert_eq!(byte(&table, STEP).read(), 0);
            byte(&table, STEP).write(8);
        }
    }
}
