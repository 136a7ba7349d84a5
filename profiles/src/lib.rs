//! Streams of calling contexts: how a run is kept as one, and what published algorithms make of it.
//!
//! A [`trace`] is the stream of the contexts that the threads of a run entered. Each algorithm
//! replays it, so all see the same run.
//!
//! Invariant: no JVM, file, clock or global, and no `unsafe`. Whatever is random takes its numbers
//! from its caller's seed.
//! Source: ACCT, HCCT, DACCE and Lucce, as the modules name them.

#![forbid(unsafe_code)]

pub mod acct;
pub mod hot;
pub mod metrics;
pub mod sampled;
pub mod schedule;
pub mod summary;
pub mod trace;
pub mod tree;
