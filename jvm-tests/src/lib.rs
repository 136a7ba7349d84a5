//! Driver of the tests on real JVMs: runs a Java target on each JVM of the matrix, without the
//! agent and under it.
//!
//! Invariant: what a target prints and its exit status are the same both ways; with `verify`, the
//! log's own counters then say that every check held. The folders of JVMs, jars and classes come
//! from `cargo xtask test`, through the environment.
//! Source: docs/guide/verification.md.

#![forbid(unsafe_code)]

mod decode;
mod hazard;
pub mod manual;
mod place;
mod program;
mod run;
mod scratch;
pub mod shell;
mod spent;
pub mod turn;
mod wait;

pub use decode::{Counters, decode, is_of_jdk};
pub use hazard::Hazard;
pub use place::{COMPARED, CheckoutPaths, Jvm, MATRIX, option, place};
pub use program::Program;
pub use run::{Outcome, Run};
pub use scratch::Scratch;
pub use wait::until;
