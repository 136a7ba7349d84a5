//! What a misspelt command may have meant.
//!
//! Invariant: only what is no file is taken for one.

use std::ffi::OsStr;
use std::path::Path;

/// The one line for a first word that is neither an option nor a file, but like one of these
/// commands.
pub fn line(first: Option<&OsStr>, commands: &[String]) -> Option<String> {
    let word = first?.to_str().filter(|word| !word.starts_with('-') && !Path::new(word).exists())?;
    let far = |name: &'_ String| (strsim::damerau_levenshtein(word, name), name.clone());
    let (distance, name) = commands.iter().map(far).min()?;
    let like = distance > 0 && distance <= (name.len() / 3).max(1);
    like.then(|| format!("no file {word}: did you mean lucce-decode {name}?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_like_a_command_is_told_from_a_log() {
        let commands = ["ctl", "leaks", "doctor"].map(String::from);
        let said = |word: &str| line(Some(OsStr::new(word)), &commands);
        assert_eq!(said("doctr").as_deref(), Some("no file doctr: did you mean lucce-decode doctor?"));
        assert_eq!(said("leak").as_deref(), Some("no file leak: did you mean lucce-decode leaks?"));
        for word in ["events.log", "--docto", "Cargo.toml", "", "leaks"] {
            assert_eq!(said(word), None, "{word}");
        }
        assert_eq!(line(None, &commands), None);
    }
}
