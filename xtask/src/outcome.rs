//! What all of xtask returns.

/// A result whose error is one line for people.
pub type Result<T> = std::result::Result<T, String>;
