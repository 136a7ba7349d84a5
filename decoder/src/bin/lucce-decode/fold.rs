//! What is left out of a long trace: the frames of the server or the framework below the program's
//! own.
//!
//! Invariant: no frame above the last one of the program's own is left out unless the user says a
//! depth, and what is left out is counted.
//! Source: docs/guide/decoder.md, "Long traces".

use std::io::{self, Write};

use lucce_decoder::{Own, TraceFrame};

/// Fewest frames that are left out.
const LEAST: usize = 12;

/// Leaves out what is deeper than asked, or what follows the program's own frames. How many frames
/// that is.
pub fn fold(frames: &mut Vec<TraceFrame<'_>>, depth: Option<usize>, own: &Own) -> usize {
    let all = frames.len();
    let last = || frames.iter().rposition(|frame| own.has(frame) && frame.method != "main").map(|last| last + 1);
    let kept = depth.or_else(|| last().filter(|kept| all - kept >= LEAST)).unwrap_or(all);
    frames.truncate(kept);
    all - frames.len()
}

/// Says how many.
pub fn remark(folded: usize, indent: &str, out: &mut impl Write) -> io::Result<()> {
    if folded == 0 { Ok(()) } else { writeln!(out, "{indent}... {folded} more (--depth 1000 prints them)") }
}
