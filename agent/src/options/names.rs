//! The names of options, each as it is written, and what a misspelt one may have meant.
//!
//! Invariant: all options of [`super::Options::set`] are here, and each form is one that it takes.

use super::OptionError;

/// Each option in a form that is right.
pub(super) const FORMS: [&str; 36] = [
    "file=app.log",
    "rotate=256m",
    "rotate-every=1h",
    "keep=8",
    "keyframe=32m",
    "labels=service:orders",
    "window=10s",
    "include=com.acme.*",
    "exclude=com.acme.gen.*",
    "jdk=on",
    "alloc=512k",
    "leaks",
    "entries=com.acme.*.handle*",
    "profile=10007",
    "hot=1e-4",
    "exceptions",
    "locks",
    "cpu=10ms",
    "verify=1000",
    "dump=classes",
    "encoder=pcc",
    "icpp=natural",
    "walks=on",
    "cct-memory=1g",
    "trace=app.trace",
    "contexts",
    "async=on",
    "hooks=all",
    "awake=com.acme.Hot.*",
    "wake=200000",
    "control=off",
    "start=off",
    "cache=app.lucce",
    "quiet",
    "help",
    "encoder=cct",
];

/// The form of an option.
pub(super) fn form(key: &str) -> Option<&'static str> {
    FORMS.into_iter().find(|form| name(form) == key)
}

fn name(form: &str) -> &str {
    form.split_once('=').map_or(form, |(name, _)| name)
}

/// The error of an option that there is not.
pub(super) fn unknown(key: &str, value: Option<&str>) -> OptionError {
    let meant = match closest(key, FORMS.map(name)) {
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

/// The one of these names that is meant by a word which is none of them; `None` if it is not like any.
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
    fn each_form_is_taken() {
        for form in FORMS {
            let alone = ["", "verify=1,encoder=cct,", "encoder=icpp,", "profile=all,"]
                .map(|with| Options::parse(&format!("{with}{form}")).map(drop));
            let alone = alone.into_iter().find(Result::is_ok).unwrap_or_else(|| Options::parse(form).map(drop));
            assert_eq!(alone, Ok(()), "{form}");
            assert!(super::super::HELP.contains(&format!("\n  {}", name(form))), "{form}");
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
            assert_eq!(closest(word, FORMS.map(name)), meant, "{word}");
        }
    }
}
