//! Where the agent's library is.

use std::path::{Path, PathBuf};

/// Where it lies, as seen from the folder of this program: beside it, or where Unix has libraries
/// of a folder `bin`.
const PLACES: [&str; 2] = ["liblucce.so", "../lib/liblucce.so"];

/// The library that was named, or the one that this program came with.
///
/// # Errors
/// One line: there is none.
pub fn find(given: Option<&Path>) -> Result<PathBuf, String> {
    let own = || {
        let program = std::env::current_exe().ok()?;
        let places = PLACES.map(|place| program.with_file_name(place));
        places.iter().find(|path| path.is_file()).or(places.first()).cloned()
    };
    let path = given.map(Path::to_owned).or_else(own).unwrap_or_else(|| PLACES[0].into());
    if !path.is_file() {
        return Err(format!("no agent at {}: name it with --agent", path.display()));
    }
    std::path::absolute(&path).map_err(|error| format!("{}: {error}", path.display()))
}
