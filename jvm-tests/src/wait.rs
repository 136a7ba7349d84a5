//! Waiting for what a program does.
//!
//! Invariant: a test that waits in vain fails, rather than hangs; it looks often, so it waits no
//! longer than it must. A program that is slow since the machine is busy is not taken for one that
//! hangs.

use std::path::Path;
use std::process::{Child, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use crate::spent;

/// After which a program counts as hung.
pub const LIMIT: Duration = Duration::from_secs(240);

/// Looks until there is something.
///
/// # Panics
/// With `what`, when there is nothing for too long.
pub fn until<T>(what: &str, look: impl FnMut() -> Option<T>) -> T {
    within(LIMIT, look).unwrap_or_else(|| panic!("in vain waited for: {what}"))
}

/// [`until`], up to a time.
pub(crate) fn within<T>(limit: Duration, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let end = Instant::now() + limit;
    let mut pause = Duration::from_millis(2);
    while Instant::now() < end {
        if let Some(found) = look() {
            return Some(found);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
    None
}

/// Waits for a child's end: to the limit, and on a machine with other work up to three times more,
/// as long as it uses a fiftieth of that time.
fn as_long_as_it_works(child: &Child, limit: Duration) -> Option<u64> {
    let mut before = 0;
    for _ in 0..4 {
        let spent = within(limit, || spent::of_ended(child));
        let (_, so_far) = spent::look(child);
        if spent.is_some() || u128::from(so_far.saturating_sub(before)) * 50 < limit.as_millis() {
            return spent;
        }
        before = so_far;
    }
    None
}

/// How a child ended, which is that program; none when it had to be killed at the limit.
///
/// # Panics
/// When it cannot be waited for.
pub(crate) fn end(child: &mut Child, program: &Path, limit: Duration) -> Option<ExitStatus> {
    let by_itself = as_long_as_it_works(child, limit);
    let killed = || {
        let _ = child.kill();
        within(LIMIT, || spent::of_ended(child))
    };
    if let Some(spent) = by_itself.or_else(killed) {
        spent::keep(program, spent);
    }
    let status = child.wait().expect("a child can be waited for");
    by_itself.map(|_| status)
}
