//! A log that is there before the run: a pipe or a device.
//!
//! Invariant: a pipe without a reader holds the start up for [`PATIENCE`] and no longer; what was
//! opened blocks as any file does.
//! Source: fifo(7); open(2), "ENXIO".

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// How long a pipe may be without a reader, which may be started behind the JVM.
const PATIENCE: Duration = Duration::from_secs(5);
const STEP: Duration = Duration::from_millis(20);

/// Opens it to be written.
///
/// # Errors
/// It cannot be, or is a pipe that nobody reads.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    // Else the system waits for a reader, if need be for ever.
    options.write(true).custom_flags(libc::O_NOFOLLOW | libc::O_CLOEXEC | libc::O_NONBLOCK);
    let end = Instant::now() + PATIENCE;
    loop {
        match options.open(path) {
            Err(error) if error.raw_os_error() != Some(libc::ENXIO) => return Err(error),
            Err(_) if Instant::now() < end => thread::sleep(STEP),
            Err(_) => return Err(io::Error::other(format!("nobody has read it for {} s", PATIENCE.as_secs()))),
            Ok(file) => return waiting(file),
        }
    }
}

/// The same file, whose writes wait again.
fn waiting(file: File) -> io::Result<File> {
    let file_descriptor = file.as_raw_fd();
    // SAFETY: the descriptor is open as long as `file` is, and the call touches nothing but its
    // flags.
    let done = unsafe {
        let flags = libc::fcntl(file_descriptor, libc::F_GETFL);
        if flags < 0 { flags } else { libc::fcntl(file_descriptor, libc::F_SETFL, flags & !libc::O_NONBLOCK) }
    };
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok(file) }
}
