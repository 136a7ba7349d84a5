//! How the output of the program ends: well, or with one line that says what went wrong.
//!
//! Invariant: what is printed has no control characters, and what cannot be printed is no further
//! failure.
//! Source: docs/guide/decoder.md.

use std::io::{self, BufWriter, StdoutLock, Write};
use std::process::ExitCode;

use lucce_decoder::plain;

/// What a view ends with when it is not all well.
pub enum Failure {
    /// The question has no answer in this log.
    Question(String),
    /// Something is to be changed; it has been printed.
    Findings,
    /// The log cannot be read a second time.
    Input(String),
    /// The output failed.
    Output(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// Says what went wrong; the status of the program.
pub fn fail(status: u8, message: &str) -> ExitCode {
    say(message);
    ExitCode::from(status)
}

/// One line on the standard error.
pub fn say(message: &str) {
    // Nothing is left to be told when that is closed.
    let _ = writeln!(io::stderr(), "lucce-decode: {}", plain::plain(message));
}

/// What a view ends with; an error if that is all there is to say.
pub fn printed(shown: Result<(), Failure>, mut out: BufWriter<StdoutLock<'_>>) -> Result<ExitCode, ExitCode> {
    let (shown, changes) = match shown {
        Err(Failure::Findings) => (Ok(()), true),
        shown => (shown, false),
    };
    match shown.and_then(|()| Ok(out.flush()?)) {
        // Damage, which is said next, may have taken the answer.
        Err(Failure::Question(message)) => return Ok(fail(1, &message)),
        Err(Failure::Input(line)) => return Err(fail(2, &line)),
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            // The reader of the pipe has seen enough; a second flush at exit would fail again.
            let _ = out.into_parts();
        }
        Err(Failure::Output(error)) => return Err(fail(1, &format!("cannot write: {error}"))),
        Ok(()) | Err(Failure::Findings) => {}
    }
    Ok(ExitCode::from(u8::from(changes)))
}

/// Prints a text that is no view of a log.
pub fn put(text: &[u8]) -> ExitCode {
    match io::stdout().write_all(text) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => fail(1, &format!("cannot write: {error}")),
        _ => ExitCode::SUCCESS,
    }
}
