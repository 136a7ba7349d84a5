//! Strings of the program's own (names of threads, kinds and classes, options, notes) as a terminal may have them.
//!
//! Invariant: no control character of theirs is printed, so none forges a line or moves the cursor. JSON has them as they are, in its escapes.
//! Source: ECMA-48 (control functions); JVMS 4.2.2 (names of classes and methods may hold any character but a few).

use std::borrow::Cow;

/// The text with its control characters written as `\n`, `\u{1b}`.
pub fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len() + 8);
    for each in text.chars() {
        if each.is_control() {
            plain.extend(each.escape_default());
        } else {
            plain.push(each);
        }
    }
    Cow::Owned(plain)
}

/// The same as a part of a collapsed stack, where `;` begins the next one.
pub fn part(text: &str) -> String {
    plain(text).replace(';', ":")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_written_out_and_nothing_else() {
        assert_eq!(plain("a\nb\t\u{1b}[31m\u{9b}\u{7f}"), "a\\nb\\t\\u{1b}[31m\\u{9b}\\u{7f}");
        let name = "wörker-1 \\ \"日本\" 🦀";
        assert!(matches!(plain(name), Cow::Borrowed(same) if same == name));
        assert_eq!(part("a;b\n"), "a:b\\n");
    }
}
