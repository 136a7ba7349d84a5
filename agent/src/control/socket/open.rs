//! The socket as the run knows it: where it is, and how it is taken away.
//!
//! Invariant: the path is removed only while it is the socket that this run has made. Source:
//! unix(7).

use std::os::fd::AsRawFd;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::sync::{OnceLock, Weak};

use crate::support::identity::Identity;

/// The socket, while it is there.
#[derive(Default)]
pub struct Socket {
    pub(super) open: OnceLock<Open>,
}

/// What is to be taken away.
pub(super) struct Open {
    pub(super) path: PathBuf,
    /// None if it was gone at once.
    pub(super) identity: Option<Identity>,
    /// The thread's: it is closed with the thread, so that nobody waits for an answer at a socket
    /// without one.
    pub(super) listener: Weak<UnixListener>,
}

impl Socket {
    /// The run ends: takes the socket away.
    pub fn close(&self) {
        if let Some(open) = self.open.get() {
            // It may have been removed with its folder, and another run may have taken the name.
            if let Some(identity) = &open.identity {
                identity.remove(&open.path);
            }
            if let Some(listener) = open.listener.upgrade() {
                // SAFETY: the descriptor is open, as the listener is still there.
                unsafe { libc::shutdown(listener.as_raw_fd(), libc::SHUT_RDWR) };
            }
        }
    }
}
