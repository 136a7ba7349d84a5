//! What is wrong with an option. Invariant: it is one line, which shows what is right.

use std::fmt;

/// A wrong option: one line.
#[derive(Debug, PartialEq, Eq)]
pub struct OptionError(pub(super) String);

impl fmt::Display for OptionError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// The error of an option that cannot have that value.
pub(super) fn wrong(key: &str, value: &str, wanted: &str) -> OptionError {
    OptionError(format!("option '{key}' cannot be '{value}', it wants {wanted}"))
}
