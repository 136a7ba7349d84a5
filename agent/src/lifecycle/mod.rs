//! Start and end of a run.

pub mod end;
pub mod start;
