//! What a misspelt command may have meant.
//!
//! Invariant: only what is no file is taken for one.

use std::ffi::OsStr;
use std::path::Path;

/// The commands that have a name.
const COMMANDS: [&str; 3] = ["ctl", "leaks", "doctor"];

/// The one line for a first word that is neither an option nor a file, but like a command.
pub fn line(first: Option<&OsStr>) -> Option<String> {
    let word = first?.to_str().filter(|word| !word.starts_with('-') && !Path::new(word).exists())?;
    let far = |name: &'static str| (strsim::damerau_levenshtein(word, name), name);
    let (distance, name) = COMMANDS.map(far).into_iter().min()?;
    (distance <= (name.len() / 3).max(1)).then(|| format!("no file {word}: did you mean lucce-decode {name}?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_like_a_command_is_told_from_a_log() {
        let said = |word: &str| line(Some(OsStr::new(word)));
        assert_eq!(said("doctr").as_deref(), Some("no file doctr: did you mean lucce-decode doctor?"));
        assert_eq!(said("leak").as_deref(), Some("no file leak: did you mean lucce-decode leaks?"));
        for word in ["events.log", "--docto", "Cargo.toml", ""] {
            assert_eq!(said(word), None, "{word}");
        }
        assert_eq!(line(None), None);
    }
}
