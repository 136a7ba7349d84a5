//! A Java program that runs while its test goes on.
//!
//! Invariant: it does not live longer than its test, however that ends: one that waits for a file
//! would fill the disk.

use std::io::Read;
use std::ops::{Deref, DerefMut};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::Duration;

use crate::wait;

/// The running program.
pub struct Program {
    child: Child,
    program: PathBuf,
    /// How it ended; none until its end has been waited for.
    end: Option<ExitStatus>,
}

impl Program {
    /// Starts it.
    ///
    /// # Panics
    /// When it cannot be started.
    pub fn start(command: &mut Command) -> Self {
        let child = command.spawn().expect("java starts");
        Self { child, program: command.get_program().into(), end: None }
    }

    /// Waits until it ends.
    ///
    /// # Panics
    /// When it does not end.
    pub fn wait(&mut self) -> ExitStatus {
        self.within(wait::LIMIT).expect("it hangs")
    }

    /// Waits until it ends by itself: how, and what it then has written to its piped output and to
    /// its piped error output.
    ///
    /// # Panics
    /// When it does not end.
    pub fn end(mut self) -> (ExitStatus, String, String) {
        let (stdout, stderr) = (self.child.stdout.take(), self.child.stderr.take());
        let (printed, complaints) = (thread::spawn(move || text(stdout)), thread::spawn(move || text(stderr)));
        let status = self.within(wait::LIMIT);
        let (printed, complaints) = (printed.join().expect("read"), complaints.join().expect("read"));
        (status.unwrap_or_else(|| panic!("it hangs:\n{printed}\n{complaints}")), printed, complaints)
    }

    /// How it ended; none when it had to be killed at the limit.
    fn within(&mut self, limit: Duration) -> Option<ExitStatus> {
        if self.end.is_none() {
            self.end = wait::end(&mut self.child, &self.program, limit);
        }
        self.end
    }
}

impl Deref for Program {
    type Target = Child;

    fn deref(&self) -> &Child {
        &self.child
    }
}

impl DerefMut for Program {
    fn deref_mut(&mut self) -> &mut Child {
        &mut self.child
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.within(Duration::ZERO);
    }
}

fn text(output: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut output) = output {
        output.read_to_end(&mut bytes).expect("it can be read");
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
