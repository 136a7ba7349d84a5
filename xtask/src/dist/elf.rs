//! What an ELF file asks of the system that loads it.
//!
//! Source: System V ABI, "Program Header" and "Dynamic Section"; the GNU extension for symbol
//! versions (`SHT_GNU_verneed`).

use std::fs;
use std::path::Path;

use object::Endianness;
use object::elf::{DT_NEEDED, EM_AARCH64, EM_X86_64, FileHeader64, PT_INTERP};
use object::read::elf::{Dyn, FileHeader, ProgramHeader};

use crate::Result;

/// What it was compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machine {
    X86_64,
    Aarch64,
}

/// What it asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elf {
    /// `None`: for another one.
    pub machine: Option<Machine>,
    /// Does it name a program that loads it? A static program names none.
    pub interpreter: bool,
    /// The libraries that it names.
    pub needed: Vec<String>,
    /// The highest version of the GNU C library among the symbols that it needs.
    pub glibc: Option<(u32, u32)>,
}

impl Elf {
    /// Reads a 64-bit file.
    ///
    /// # Errors
    /// One line: it cannot be read, or is no such file.
    pub fn read(file: &Path) -> Result<Self> {
        let data = fs::read(file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
        parse(&data).map_err(|e| format!("{}: {e}", file.display()))
    }
}

fn parse(data: &[u8]) -> object::Result<Elf> {
    let header = FileHeader64::<Endianness>::parse(data)?;
    let endian = header.endian()?;
    let machine = match header.e_machine(endian) {
        EM_X86_64 => Some(Machine::X86_64),
        EM_AARCH64 => Some(Machine::Aarch64),
        _ => None,
    };
    let interpreter = header.program_headers(endian, data)?.iter().any(|segment| segment.p_type(endian) == PT_INTERP);
    let sections = header.sections(endian, data)?;
    let mut needed = Vec::new();
    if let Some((entries, names)) = sections.dynamic(endian, data)? {
        let names = sections.strings(endian, data, names)?;
        for entry in entries.iter().filter(|entry| entry.tag32(endian) == Some(DT_NEEDED)) {
            needed.push(text(entry.string(endian, names)?));
        }
    }
    let mut glibc = None;
    if let Some((mut libraries, names)) = sections.gnu_verneed(endian, data)? {
        let names = sections.strings(endian, data, names)?;
        while let Some((_, mut versions)) = libraries.next()? {
            while let Some(version) = versions.next()? {
                glibc = glibc.max(version_of(&text(version.name(endian, names)?)));
            }
        }
    }
    Ok(Elf { machine, interpreter, needed, glibc })
}

/// `GLIBC_2.17`; `GLIBC_2.2.5` counts as 2.2.
fn version_of(name: &str) -> Option<(u32, u32)> {
    let mut numbers = name.strip_prefix("GLIBC_")?.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_says_what_it_needs() {
        let elf = Elf::read(&std::env::current_exe().unwrap()).unwrap();
        let here = if cfg!(target_arch = "x86_64") { Machine::X86_64 } else { Machine::Aarch64 };
        assert_eq!(elf.machine, Some(here));
        assert!(elf.interpreter && elf.needed.iter().any(|name| name == "libc.so.6"), "{elf:?}");
        assert!(elf.glibc.is_some_and(|version| version >= (2, 17)), "{elf:?}");
    }

    #[test]
    fn versions_are_compared_as_numbers() {
        assert!(version_of("GLIBC_2.17") > version_of("GLIBC_2.2.5"));
        assert_eq!(version_of("GLIBC_PRIVATE"), None);
        assert_eq!(version_of("GCC_3.0"), None);
    }
}
