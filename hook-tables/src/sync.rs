//! The atomics of all tables.
//!
//! Invariant: tables take them from here alone, so that the models (`tests/protocols`) can compile
//! the same sources with atomics that explore every interleaving.

pub(crate) use std::sync::atomic::{AtomicBool, AtomicI32, AtomicI64, AtomicU32, AtomicU64, Ordering, fence};
