//! Which file it is that has a name.
//!
//! Invariant: what a run takes away is what it has made: two files that have one name after the
//! other are told apart.
//! Source: docs/guide/production.md.

use std::fs::{Metadata, symlink_metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::SystemTime;

/// What tells files apart that have one name after the other. Numbers of deleted files are given
/// again, but not their times.
#[derive(Debug, PartialEq, Eq)]
pub struct Identity {
    device: u64,
    number: u64,
    /// Where the file system knows it.
    created: Option<SystemTime>,
}

impl Identity {
    /// Of what this says.
    pub fn of(file: &Metadata) -> Self {
        Self { device: file.dev(), number: file.ino(), created: file.created().ok() }
    }

    /// Of what has this name now, not of what a symbolic link leads to.
    pub fn at(path: &Path) -> Option<Self> {
        symlink_metadata(path).ok().as_ref().map(Self::of)
    }

    /// Removes the file with this name if it is this one. Was it?
    pub fn remove(&self, path: &Path) -> bool {
        Self::at(path).as_ref() == Some(self) && std::fs::remove_file(path).is_ok()
    }
}
