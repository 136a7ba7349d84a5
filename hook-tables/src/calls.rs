//! `encoder=count`: how many methods were entered, by a cell for each thread.
//!
//! Invariant: a cell is written by its own thread alone (`LucceHooks.counted`), without atomic
//! instructions, and never freed; so the sum lacks nothing of threads that have ended, and at most
//! the last calls of those that still run.

use lucce_locks::Lock;

use crate::sync::{AtomicI64, Ordering};

/// A count on a cache line of its own, for two threads must not share one.
#[repr(align(64))]
struct Cell(AtomicI64);

/// The cells of all threads that ever counted.
#[derive(Default)]
pub struct Calls {
    cells: Lock<Vec<&'static Cell>>,
}

impl Calls {
    /// The address of a new cell.
    pub fn cell(&self) -> i64 {
        let cell: &'static Cell = Box::leak(Box::new(Cell(AtomicI64::new(0))));
        let address = cell.0.as_ptr() as i64;
        self.cells.lock().push(cell);
        address
    }

    /// The address of a cell that is not counted.
    pub fn spare() -> i64 {
        static SPARE: Cell = Cell(AtomicI64::new(0));
        SPARE.0.as_ptr() as i64
    }

    /// Methods entered so far.
    pub fn total(&self) -> u64 {
        self.cells.lock().iter().map(|cell| cell.0.load(Ordering::Relaxed) as u64).sum()
    }
}
