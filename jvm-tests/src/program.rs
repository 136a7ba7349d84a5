//! A Java program that runs while its test goes on.
//!
//! Invariant: it does not live longer than its test, however that ends: one that waits for a file would fill the disk.

use std::io::Read;
use std::ops::{Deref, DerefMut};
use std::process::{Child, Command, ExitStatus};
use std::thread;

use crate::wait;

/// The running program.
pub struct Program(Child);

impl Program {
    /// Starts it.
    ///
    /// # Panics
    /// When it cannot be started.
    pub fn start(command: &mut Command) -> Self {
        Self(command.spawn().expect("java starts"))
    }

    /// Waits until it ends by itself: how, and what it then has written to its piped output and to its piped error output.
    ///
    /// # Panics
    /// When it does not end.
    pub fn end(mut self) -> (ExitStatus, String, String) {
        let (stdout, stderr) = (self.0.stdout.take(), self.0.stderr.take());
        let (printed, complaints) = (thread::spawn(move || text(stdout)), thread::spawn(move || text(stderr)));
        let status = wait::end(&mut self.0, wait::LIMIT);
        let (printed, complaints) = (printed.join().expect("read"), complaints.join().expect("read"));
        (status.unwrap_or_else(|| panic!("it hangs:\n{printed}\n{complaints}")), printed, complaints)
    }
}

impl Deref for Program {
    type Target = Child;

    fn deref(&self) -> &Child {
        &self.0
    }
}

impl DerefMut for Program {
    fn deref_mut(&mut self) -> &mut Child {
        &mut self.0
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Of one that has ended there is nothing left to kill.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn text(output: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut output) = output {
        output.read_to_end(&mut bytes).expect("it can be read");
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
