//! Strings of the program's own (names of threads, kinds, classes and methods, options, notes) as
//! people and terminals may have them.
//!
//! Invariant: none of them forges a line, moves the cursor, turns the reading direction or hides a
//! character; different strings stay different. JSON has them as they are.
//! Source: Unicode 16, general categories Cc, Cf, Zl and Zp; ECMA-48 (control functions); JVMS
//! 4.2.2 (names of classes and methods may hold any character but a few, and surrogates that stand
//! alone); docs/FORMAT.md, "What lucce-decode prints".

use std::borrow::Cow;

use lucce_words::text::{MARK, Piece, pieces};

/// What is written out beside control characters: formats (Cf), line and paragraph separators (Zl,
/// Zp), first and last of each range.
const UNSEEN: [(char, char); 22] = [
    ('\u{AD}', '\u{AD}'),
    ('\u{600}', '\u{605}'),
    ('\u{61C}', '\u{61C}'),
    ('\u{6DD}', '\u{6DD}'),
    ('\u{70F}', '\u{70F}'),
    ('\u{890}', '\u{891}'),
    ('\u{8E2}', '\u{8E2}'),
    ('\u{180E}', '\u{180E}'),
    ('\u{200B}', '\u{200F}'),
    ('\u{2028}', '\u{202E}'),
    ('\u{2060}', '\u{2064}'),
    ('\u{2066}', '\u{206F}'),
    ('\u{FEFF}', '\u{FEFF}'),
    ('\u{FFF9}', '\u{FFFB}'),
    ('\u{110BD}', '\u{110BD}'),
    ('\u{110CD}', '\u{110CD}'),
    ('\u{13430}', '\u{1343F}'),
    ('\u{1BCA0}', '\u{1BCA3}'),
    ('\u{1D173}', '\u{1D17A}'),
    ('\u{E0001}', '\u{E0001}'),
    ('\u{E0020}', '\u{E007F}'),
    // What is left of a text that was cut.
    (MARK, MARK),
];

fn is_unseen(each: char) -> bool {
    each.is_control() || each >= UNSEEN[0].0 && UNSEEN.iter().any(|&(first, last)| (first..=last).contains(&each))
}

/// The text with control characters, format characters, separators of lines, and surrogates that
/// stand alone written as `\n`, `\r`, `\t` or by their number, `\u{1b}`; so is a backslash with
/// which something else would read as such.
pub fn plain(text: &str) -> Cow<'_, str> {
    escaped(text, |_| false)
}

/// The same as a part of a collapsed stack, where `;` begins the next one.
pub fn part(text: &str) -> Cow<'_, str> {
    escaped(text, |each| each == ';')
}

fn escaped(text: &str, too: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(|each| each == '\\' || is_unseen(each) || too(each)) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len() + 8);
    let mut pieces = pieces(text).peekable();
    while let Some(piece) = pieces.next() {
        match piece {
            Piece::Lone(unit) => plain += &format!("\\u{{{unit:x}}}"),
            Piece::Char('\\') if matches!(pieces.peek(), Some(Piece::Char('n' | 'r' | 't' | 'u'))) => {
                plain.extend('\\'.escape_unicode());
            }
            Piece::Char(each @ ('\n' | '\r' | '\t')) => plain.extend(each.escape_default()),
            Piece::Char(each) if is_unseen(each) || too(each) => plain.extend(each.escape_unicode()),
            Piece::Char(each) => plain.push(each),
        }
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use lucce_words::text::of_units;

    use super::*;

    #[test]
    fn what_is_not_seen_is_written_out_and_nothing_else() {
        assert_eq!(plain("a\nb\t\u{1b}[31m\u{9b}\u{7f}\0"), "a\\nb\\t\\u{1b}[31m\\u{9b}\\u{7f}\\u{0}");
        assert_eq!(
            plain("a\u{2028}b\u{202e}c\u{2066}d\u{feff}\u{ad}"),
            "a\\u{2028}b\\u{202e}c\\u{2066}d\\u{feff}\\u{ad}"
        );
        let name = "wörker-1 \\ \"日本\" 🦀 \u{E000} C:\\dir";
        assert_eq!(plain(name), name);
        assert!(matches!(plain("wörker"), Cow::Borrowed("wörker")));
        assert_eq!(part("a;b\n"), "a\\u{3b}b\\n");
    }

    #[test]
    fn surrogates_that_stand_alone_are_told_apart() {
        let of = |units: &[u16]| plain(&of_units(units.iter().copied())).into_owned();
        assert_eq!(of(&[0xD800]), "\\u{d800}");
        assert_eq!(of(&[0x61, 0xDFFF, 0xD801]), "a\\u{dfff}\\u{d801}");
        assert_eq!(of(&[0xD835, 0xDCB3]), "\u{1D4B3}");
        assert_eq!(of(&[0xDBFF, 0xDFFD]), "\\u{10fffd}");
    }

    #[test]
    fn different_texts_stay_different() {
        let parts =
            ["\\", "n", "u{d800}", "\n", "\u{10FFFD}\u{E000}", "\u{10FFFD}\u{10FFFD}", "\u{202e}", "u{202e}", ";"];
        let mut seen = std::collections::HashMap::new();
        for one in parts {
            for two in parts {
                for three in parts {
                    let text = format!("{one}{two}{three}");
                    if let Some(other) = seen.insert(part(&text).into_owned(), text.clone()) {
                        assert_eq!(other, text);
                    }
                }
            }
        }
    }
}
