//! Is a fetched file the pinned one?

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::Result;

/// Is `file` there, with this SHA-256 (lower-case hexadecimal)?
pub fn is_pinned(file: &Path, sha256: &str) -> bool {
    digest(file).is_ok_and(|found| found == sha256)
}

/// The SHA-256 of a file.
///
/// # Errors
/// One line when it cannot be read.
pub fn digest_of(file: &Path) -> Result<String> {
    digest(file).map_err(|e| format!("cannot read {}: {e}", file.display()))
}

fn digest(file: &Path) -> io::Result<String> {
    let mut from = File::open(file)?;
    let mut hash = Sha256::new();
    let mut buffer = [0; 1 << 16];
    loop {
        match from.read(&mut buffer)? {
            0 => return Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()),
            n => hash.update(&buffer[..n]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_its_digest() {
        let file = std::env::temp_dir().join(format!("xtask-pinned-{}", std::process::id()));
        std::fs::write(&file, "abc").unwrap();
        assert!(is_pinned(&file, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
        assert!(!is_pinned(&file, &"0".repeat(64)));
        std::fs::remove_file(&file).unwrap();
        assert!(!is_pinned(&file, &"0".repeat(64)));
    }
}
