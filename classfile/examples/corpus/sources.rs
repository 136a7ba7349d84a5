//! Reading classes from directories and archives.
//!
//! Invariant: classes come with the path they have below their root, in a stable order.

use std::fs;
use std::io::Read;
use std::path::Path;

/// A class file: path below the root, and bytes.
pub struct Class {
    /// With `/`, ending in `.class`.
    pub path: String,
    /// The class file.
    pub bytes: Vec<u8>,
}

/// Every class of a directory, jar or jmod.
pub fn read(source: &Path) -> Result<Vec<Class>, String> {
    let mut classes = Vec::new();
    if source.is_dir() {
        walk(source, source, &mut classes).map_err(|error| error.to_string())?;
    } else {
        archive(source, &mut classes)?;
    }
    classes.sort_by(|one, other| one.path.cmp(&other.path));
    classes.dedup_by(|one, other| one.path == other.path);
    Ok(classes)
}

fn walk(root: &Path, dir: &Path, classes: &mut Vec<Class>) -> std::io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            walk(root, &path, classes)?;
        } else if path.extension().is_some_and(|extension| extension == "class") {
            let below = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            classes.push(Class { path: below, bytes: fs::read(&path)? });
        }
    }
    Ok(())
}

fn archive(source: &Path, classes: &mut Vec<Class>) -> Result<(), String> {
    let file = fs::File::open(source).map_err(|error| error.to_string())?;
    let mut archive = zip::ZipArchive::new(file).map_err(|error| error.to_string())?;
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(|error| error.to_string())?;
        let name = entry.name().to_owned();
        if !name.ends_with(".class") || name.split('/').any(|part| part == "..") || entry.enclosed_name().is_none() {
            continue;
        }
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).map_err(|error| format!("{name}: {error}"))?;
        classes.push(Class { path: name.trim_start_matches("classes/").to_owned(), bytes });
    }
    Ok(())
}
