//! What the agent says to whoever looks at the program: lines on standard error.
//!
//! Invariant: a line that cannot be written is dropped. Standard error may be a pipe whose reader
//! has gone or a disk that is full, which is no reason to end a program; the log has what matters.

use std::fmt::Arguments;
use std::io::Write;

/// Says a line, as `format!` makes it.
macro_rules! say {
    ($($text:tt)*) => { $crate::support::say::line(format_args!($($text)*)) };
}

/// Writes a line in one piece.
pub fn line(text: Arguments<'_>) {
    // Dropped, as the invariant has it.
    let _ = std::io::stderr().write_all(format!("lucce: {text}\n").as_bytes());
}

/// Writes what was asked for to standard output.
pub fn help(text: &str) {
    // As above.
    let _ = writeln!(std::io::stdout(), "{text}");
}
