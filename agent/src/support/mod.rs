//! What every room may use: lines on standard error, the boundary, locks, texts, kinds of events,
//! what was unloaded, fault switches, counters, the process's mark, and who is inside a run.

#[macro_use]
pub mod say;
pub mod boundary;
pub mod counters;
pub mod dead;
pub mod faults;
pub mod kinds;
pub mod mark;
pub mod stays;
pub mod text;

pub use lucce_locks as lock;
pub use lucce_log_writer::identity;
