//! The encoders that a trace is replayed through.

mod algorithm1;
mod dacce;
mod hashed;
mod versioned;

pub use algorithm1::Paper;
pub use dacce::{Moment, Reference};
pub use hashed::Hashed;
pub use versioned::Versioned;
