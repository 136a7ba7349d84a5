//! Files from the network: verified, retried, cached.
//!
//! Invariant: a file under its final name has the pinned digest. It is written beside it and renamed, so an interrupted or doubled run
//! leaves a whole file or none.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use std::time::Duration;

use sha2::{Digest, Sha256};
use ureq::tls::{RootCerts, TlsConfig};

use crate::Result;

const ATTEMPTS: u32 = 4;

/// Makes `file` the content of `url`, unless it is there already.
///
/// # Errors
/// One line naming the address, when it cannot be had or its SHA-256 is not `sha256` (hexadecimal).
pub fn fetch(url: &str, sha256: &str, file: &Path) -> Result<()> {
    if digest(file).is_some_and(|found| found == sha256) {
        return Ok(());
    }
    let dir = file.parent().ok_or_else(|| format!("{} has no folder", file.display()))?;
    fs::create_dir_all(dir).map_err(|e| format!("cannot make {}: {e}", dir.display()))?;
    let part = file.with_extension(format!("part-{}", std::process::id()));
    println!("fetching {url}");
    let mut outcome = attempt(url, &part);
    for failures in 1..ATTEMPTS {
        if outcome.is_ok() {
            break;
        }
        std::thread::sleep(Duration::from_secs(1 << failures));
        outcome = attempt(url, &part);
    }
    let settled = outcome.map_err(|e| format!("cannot fetch {url}: {e}")).and_then(|found| {
        if found != sha256 {
            return Err(format!("{url} is not the pinned file: its SHA-256 is {found}, not {sha256}"));
        }
        fs::rename(&part, file).map_err(|e| format!("cannot write {}: {e}", file.display()))
    });
    if settled.is_err() {
        let _ = fs::remove_file(&part);
    }
    settled
}

/// One download; its digest.
fn attempt(url: &str, part: &Path) -> std::result::Result<String, Box<dyn std::error::Error>> {
    let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .tls_config(tls)
        .timeout_connect(Some(Duration::from_secs(30)))
        .timeout_global(Some(Duration::from_secs(900)))
        .build()
        .into();
    let mut body = agent.get(url).call()?.into_body().into_reader();
    let mut out = File::create(part)?;
    copy_hashed(&mut body, &mut out)
}

fn copy_hashed(from: &mut impl Read, to: &mut impl Write) -> std::result::Result<String, Box<dyn std::error::Error>> {
    let mut hash = Sha256::new();
    let mut buffer = [0; 1 << 16];
    loop {
        let n = from.read(&mut buffer)?;
        if n == 0 {
            to.flush()?;
            return Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect());
        }
        hash.update(&buffer[..n]);
        to.write_all(&buffer[..n])?;
    }
}

/// The SHA-256 of a file, in hexadecimal; `None` if it cannot be read.
fn digest(file: &Path) -> Option<String> {
    copy_hashed(&mut File::open(file).ok()?, &mut std::io::sink()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cached_file_with_the_pinned_digest_is_not_fetched_again() {
        let file = std::env::temp_dir().join(format!("xtask-cached-{}", std::process::id()));
        fs::write(&file, "abc").unwrap();
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(fetch("nowhere:", abc, &file), Ok(()));
        fs::remove_file(&file).unwrap();
    }
}
