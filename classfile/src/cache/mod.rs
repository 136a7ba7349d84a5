//! What came of a class, kept for the next run.

pub(crate) mod recorded;
