//! Messages about options: the right form, and what a misspelt one may have meant.
//!
//! Invariant: what they name is in the table of options, and [`super::Options::set`] takes each
//! example there. Source: [`super::table`].

use super::OptionError;
use super::table::{Row, name, rows};

/// An example of an option that is right.
pub(super) fn form(key: &str) -> Option<&'static str> {
    rows().map(|row| row.example).find(|example| name(example) == key)
}

/// The error of an option that there is not.
pub(super) fn unknown(key: &str, value: Option<&str>) -> OptionError {
    let meant = match closest(key, rows().map(Row::name)) {
        Some(meant) => match value {
            Some(value) => format!("did you mean {meant}={value}?"),
            None => format!("did you mean {}?", form(meant).unwrap_or(meant)),
        },
        None => "the option help lists all".into(),
    };
    OptionError(format!("unknown option '{key}': {meant}"))
}

/// The error of an option that is nothing without a value.
pub(super) fn needs_value(key: &str) -> OptionError {
    OptionError(format!("option '{key}' needs a value: {}", form(key).unwrap_or(key)))
}

/// The one of these names that is meant by a word which is none of them; `None` if it is not like
/// any.
pub fn closest(word: &str, names: impl IntoIterator<Item = &'static str>) -> Option<&'static str> {
    let word = word.to_lowercase();
    let far = |name: &'static str| {
        let distance = strsim::damerau_levenshtein(&word, name);
        // The beginning of a word, or the same with another ending, is as good as a slip.
        let same = word.bytes().zip(name.bytes()).take_while(|(one, other)| one == other).count();
        let whole = same >= 3 && same == word.len().min(name.len());
        let near = whole || 2 * same > word.len().max(name.len());
        (if near { distance.min(1) } else { distance }, distance, name)
    };
    let (near, _, name) = names.into_iter().map(far).min()?;
    (near <= (name.len().max(word.len()) / 3).max(1)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::super::Options;
    use super::*;

    #[test]
    fn each_example_is_taken_and_help_has_it() {
        let help = super::super::help();
        for row in rows() {
            let alone = ["", "verify=1,encoder=cct,", "encoder=icpp,", "profile=all,"]
                .map(|with| Options::parse(&format!("{with}{}", row.example)).map(drop));
            let alone = alone.into_iter().find(Result::is_ok).unwrap_or_else(|| Options::parse(row.example).map(drop));
            assert_eq!(alone, Ok(()), "{}", row.example);
            assert!(row.forms.iter().any(|form| name(form) == row.name()), "{}", row.example);
            assert!(help.contains(&format!("\n  {}", row.forms[0])), "{}", row.example);
        }
    }

    #[test]
    fn a_slip_is_told_from_another_word() {
        for (word, meant) in [
            ("aloc", Some("alloc")),
            ("ALLOC", Some("alloc")),
            ("exception", Some("exceptions")),
            ("excepitons", Some("exceptions")),
            ("lock", Some("locks")),
            ("entry", Some("entries")),
            ("verfy", Some("verify")),
            ("rotate_every", Some("rotate-every")),
            ("includes", Some("include")),
            ("colour", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(closest(word, rows().map(Row::name)), meant, "{word}");
        }
    }
}
