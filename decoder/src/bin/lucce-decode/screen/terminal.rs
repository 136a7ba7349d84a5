//! What the screen may look like.
//!
//! Invariant: a pipe is never cut and has no colours.
//! Source: no-color.org; tty_ioctl(4) (`TIOCGWINSZ`).

use std::io::{self, IsTerminal};

use terminal_size::{Height, Width, terminal_size_of};

/// Where the screen is printed.
#[derive(Clone, Copy, Debug)]
pub struct Terminal {
    /// Characters of a line; as many as it takes on what is no terminal.
    pub width: usize,
    /// Lines that are seen at once.
    pub height: usize,
    colours: bool,
}

/// Lines of a screen that is no terminal's.
const HEIGHT: usize = 40;

impl Terminal {
    /// That of the standard output.
    pub fn new() -> Self {
        if !io::stdout().is_terminal() {
            return Self { width: usize::MAX, height: HEIGHT, colours: false };
        }
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_none_or(|value| value == "dumb");
        let (width, height) = match terminal_size_of(io::stdout()) {
            Some((Width(width), Height(height))) if width > 0 => (width.into(), height.into()),
            _ => (80, HEIGHT),
        };
        // The line of the shell's prompt stays.
        Self { width: width.max(40), height: usize::max(height, 24) - 1, colours: !plain && !dumb }
    }

    /// A heading.
    pub fn bold(self, text: &str) -> String {
        self.coloured("1", text)
    }

    /// What is less important.
    pub fn dim(self, text: &str) -> String {
        self.coloured("2", text)
    }

    /// A frame of the program's own.
    pub fn own(self, text: &str) -> String {
        self.coloured("36", text)
    }

    fn coloured(self, code: &str, text: &str) -> String {
        if self.colours && !text.is_empty() { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}
