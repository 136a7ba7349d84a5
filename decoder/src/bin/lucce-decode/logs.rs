//! Several logs as one: their sums in one profile.
//!
//! Invariant: a damaged log is read as far as it goes, and a line says so.
//! Source: docs/guide/decoder.md.

use std::fs;
use std::path::{Path, PathBuf};

use lucce_decoder::Log;
use lucce_decoder::export::{Gathered, Profile};
use lucce_log::glob_matches;

use crate::state::State;
use crate::{damage, progress, say};

/// The sums of all logs, and whether one of them is damaged or cut. A line has been printed then.
///
/// # Errors
/// One line for the first that cannot be read.
pub fn profile(paths: &[PathBuf], origins: bool) -> Result<(Profile, bool), String> {
    let paths: Vec<PathBuf> = paths.iter().flat_map(|path| expanded(path)).collect();
    let (mut profile, mut damaged) = (Profile::new(origins), false);
    for path in &paths {
        damaged |= add(path, paths.len() > 1, &mut profile)?;
    }
    Ok((profile, damaged))
}

/// The files that a name with `*` or `?` means, in the order of their names. A file of that very name comes first, and alone.
pub fn expanded(path: &Path) -> Vec<PathBuf> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if !name.contains(['*', '?']) || path.exists() {
        return vec![path.into()];
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter(|entry| glob_matches(&name, &entry.file_name().to_string_lossy()));
    let mut found: Vec<PathBuf> = names.map(|entry| path.with_file_name(entry.file_name())).collect();
    found.sort();
    if found.is_empty() { vec![path.into()] } else { found }
}

/// Adds a log to the profile. Is it damaged or cut?
fn add(path: &Path, several: bool, profile: &mut Profile) -> Result<bool, String> {
    let (lock, bytes) = crate::load(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let progress = progress::Progress::new(bytes.len() as u64);
    let mut gathered = Gathered::new();
    let log = Log::stream(&bytes, |log, done| {
        gathered.take(log);
        progress.at(done);
    });
    let log = log.map_err(|error| format!("{}: {error}", path.display()))?;
    progress.finish();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let prefix = if several { format!("{name}:") } else { String::new() };
    let undecodable = log.loss().undecodable_events().saturating_add(profile.add(&log, gathered, &prefix));
    let state = State::of(&log, lock);
    let line = damage::told(&log, state, undecodable);
    if let Some(line) = &line {
        say(&if several { format!("{}: {line}", path.display()) } else { line.clone() });
    }
    Ok(line.is_some() && state != State::Written)
}
