//! Where the agent's library is.

use std::path::{Path, PathBuf};

/// The library that was named, or the one beside this program.
///
/// # Errors
/// One line: there is none.
pub fn find(given: Option<&Path>) -> Result<PathBuf, String> {
    let beside = || std::env::current_exe().ok().map(|own| own.with_file_name("liblucce.so"));
    let path = given.map(Path::to_owned).or_else(beside).unwrap_or_else(|| "liblucce.so".into());
    if !path.is_file() {
        return Err(format!("no agent at {}: name it with --agent", path.display()));
    }
    std::path::absolute(&path).map_err(|error| format!("{}: {error}", path.display()))
}
