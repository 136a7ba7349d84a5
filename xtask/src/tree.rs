//! The folders of the checkout that xtask reads and writes.

use std::path::{Path, PathBuf};

/// The root of the checkout: where cargo runs xtask from, for it may have been moved since it was compiled.
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

/// `path` as people type it: relative to the root where it lies below.
pub fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}
