//! Versioned numbering of a growing call graph, and the way back from a number to the calling
//! context.
//!
//! Invariant: no JVM, file, clock or global, no recursion and no `unsafe`: this code runs on
//! application threads. Numbers once given never change meaning, so a word decodes for ever.
//! Source: Lucce sections 2, 3 and 5; docs/design/words-and-numbering.md ("Numbering"),
//! docs/design/log-files.md ("Write-ahead"), docs/design/published-encoders.md ("Algorithm 1").
//!
//! [`Encoder`] decides and numbers; every decision is a [`Change`]. [`Replay`] rebuilds the same
//! graph from the changes. Both publish a [`Snapshot`], which decodes.

#![forbid(unsafe_code)]

pub mod algorithm1;
mod change;
pub mod dacce;
mod decode;
mod encoder;
mod graph;
pub mod icpp;
mod link;
mod numbering;
mod replay;
mod snapshot;
mod stats;

pub use change::Change;
pub use decode::unknown::Unknown;
pub use decode::{Activation, Decoded, DecodedFrame, Descent, End, ShadowEntry};
pub use encoder::Encoder;
pub use graph::edge::{Edge, EdgeState};
pub use link::{EncodedStep, Link, LinkKind, Passage};
pub use replay::Replay;
pub use replay::error::ReplayError;
pub use snapshot::{Below, NumberRange, Snapshot};
pub use stats::{EncoderStats, Made, NumberingSize};
