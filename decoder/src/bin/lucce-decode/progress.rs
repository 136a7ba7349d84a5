//! A progress bar for long logs, on a terminal only.
//!
//! Invariant: nothing is drawn when the standard error is no terminal.
//! Source: issue-level contract of `lucce-decode`.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};

/// Logs shorter than this are read before a bar could be seen.
const LONG: u64 = 16 << 20;

/// A bar, or nothing.
pub struct Progress(Option<ProgressBar>);

impl Progress {
    /// A bar over `bytes` if it is worth one.
    pub fn new(bytes: u64) -> Self {
        let worth = bytes >= LONG && std::io::stderr().is_terminal();
        Self(worth.then(|| {
            let style = ProgressStyle::with_template("reading {bar:40} {bytes}/{total_bytes} {eta}");
            ProgressBar::new(bytes).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        }))
    }

    /// So many bytes are done.
    pub fn at(&self, bytes: u64) {
        if let Some(bar) = &self.0 {
            bar.set_position(bytes);
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
