//! Where the agent's library is: there is one for each C library that a JVM may have been built
//! for.
//!
//! Source: elf(5), `PT_INTERP`; musl's `ldso/dynlink.c`.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The C library of a JVM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CLibrary {
    /// GNU's.
    Gnu,
    /// musl, as in Alpine.
    Musl,
}

impl CLibrary {
    /// That of a program, by the loader it names; GNU's, if it cannot be read. Loaders have links
    /// for their names, so what a process has mapped would not tell.
    pub fn of(program: &Path) -> Self {
        let mut first = Vec::new();
        let read = File::open(program).and_then(|file| file.take(FIRST).read_to_end(&mut first));
        if read.is_ok() { Self::of_bytes(&first) } else { Self::Gnu }
    }

    /// musl's loader has this name on every architecture.
    fn of_bytes(first: &[u8]) -> Self {
        const LOADER: &[u8] = b"/ld-musl-";
        if first.windows(LOADER.len()).any(|window| window == LOADER) { Self::Musl } else { Self::Gnu }
    }

    const fn file(self) -> &'static str {
        match self {
            Self::Gnu => "liblucce.so",
            Self::Musl => "liblucce-musl.so",
        }
    }
}

/// Within so many bytes a program names its loader: linkers put it behind the headers.
const FIRST: u64 = 4096;

/// Folders that have it, as seen from that of this program: the same, or where Unix has libraries
/// of a folder `bin`.
const FOLDERS: [&str; 2] = ["", "../lib"];

/// The library that was named.
///
/// # Errors
/// One line: it is not there.
pub fn named(path: &Path) -> Result<PathBuf, String> {
    if !path.is_file() {
        return Err(format!("no agent at {}: name it with --agent", path.display()));
    }
    std::path::absolute(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// The one that this program came with for such a JVM.
///
/// # Errors
/// One line: there is none.
pub fn own(jvm: CLibrary) -> Result<PathBuf, String> {
    let program = std::env::current_exe().unwrap_or_default();
    let [beside, in_lib] = FOLDERS.map(|folder| program.with_file_name(folder).join(jvm.file()));
    named(if in_lib.is_file() && !beside.is_file() { &in_lib } else { &beside })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_c_library_is_known_by_the_loader() {
        assert_eq!(CLibrary::of_bytes(b"\x7fELF\x02\0\0/lib/ld-musl-aarch64.so.1\0"), CLibrary::Musl);
        assert_eq!(CLibrary::of(&std::env::current_exe().unwrap()), CLibrary::Gnu);
        assert_eq!(CLibrary::of(Path::new("/none")), CLibrary::Gnu);
    }
}
