//! The folders of the checkout that xtask reads and writes.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Result;

/// The root of the checkout: where cargo runs xtask from, for it may have been moved since it was
/// compiled.
pub fn root() -> PathBuf {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    PathBuf::from(manifest).parent().expect("xtask is a folder of the workspace").to_path_buf()
}

/// Downloads and outputs of xtask, whatever cargo's own target folder is.
pub fn cache() -> PathBuf {
    root().join("target")
}

/// An output of `cargo build --release`, such as `liblucce.so`.
pub fn release(file: &str) -> PathBuf {
    target("release").join(file)
}

/// Where cargo puts what it builds with that profile.
pub fn target(profile: &str) -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    let folder = target.join(profile);
    std::path::absolute(&folder).unwrap_or(folder)
}

/// Copies a file, and makes the folder that it goes to.
///
/// # Errors
/// One line.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    let folder = to.parent().unwrap_or(to);
    fs::create_dir_all(folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
    fs::copy(from, to).map(drop).map_err(|e| format!("cannot copy {} to {}: {e}", from.display(), to.display()))
}

/// Copies what lies in a folder, but for entries with these names.
///
/// # Errors
/// One line.
pub fn copy_folder(from: &Path, to: &Path, without: &[&str]) -> Result<()> {
    for entry in fs::read_dir(from).map_err(|e| format!("cannot read {}: {e}", from.display()))?.flatten() {
        let (name, path) = (entry.file_name(), entry.path());
        if without.iter().any(|out| name == *out) {
            continue;
        }
        if path.is_dir() { copy_folder(&path, &to.join(name), without)? } else { copy(&path, &to.join(name))? }
    }
    Ok(())
}

/// `path` as people type it: relative to the root where it lies below.
pub fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}
