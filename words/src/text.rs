//! Text of the JVM as Rust text. A Java string, and a name in a class file, is a sequence of UTF-16
//! units, in which a surrogate may stand alone; Rust text, UTF-8 and most readers of JSON have no
//! such thing.
//!
//! Invariant: different Java strings are different texts. A surrogate that stands alone is written
//! as [`MARK`] and U+E000 plus its place among the surrogates (U+D800 is U+10FFFD U+E000); [`MARK`]
//! itself, which is for private use, is written twice. All else is itself.
//! Source: JVMS 4.4.7; docs/FORMAT.md, "Primitives" (`text`).

use std::borrow::Cow;

/// What stands before a surrogate that is alone. No log holds it otherwise, but twice.
pub const MARK: char = '\u{10FFFD}';
/// Stands for the first surrogate, U+D800; for each other one as many places behind.
const FIRST: u32 = 0xE000;
const SURROGATES: u32 = 0xD800;
const LAST: u32 = 0xDFFF;
/// Behind [`MARK`], in texts that end at a zero: a zero. It stands where one more surrogate would.
const ZERO: char = '\u{E800}';

/// A character of a Java string, or a surrogate that is half of none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A character.
    Char(char),
    /// A surrogate, 0xD800 to 0xDFFF.
    Lone(u16),
}

/// The text of UTF-16 units.
pub fn of_units(units: impl IntoIterator<Item = u16>) -> String {
    let mut text = String::new();
    for unit in char::decode_utf16(units) {
        match unit {
            Ok(MARK) => text.extend([MARK, MARK]),
            Ok(each) => text.push(each),
            Err(lone) => {
                // The surrogates are 2048, so that this is a character of the private use area.
                let place = u32::from(lone.unpaired_surrogate()) - SURROGATES;
                text.extend([MARK, char::from_u32(FIRST + place).unwrap_or(char::REPLACEMENT_CHARACTER)]);
            }
        }
    }
    text
}

/// What a text stands for. A mark with nothing behind it that belongs to it, as in a text that was
/// cut, is itself.
pub fn pieces(text: &str) -> impl Iterator<Item = Piece> {
    let mut chars = text.chars().peekable();
    std::iter::from_fn(move || {
        let each = chars.next()?;
        if each != MARK {
            return Some(Piece::Char(each));
        }
        let lone = |next: char| {
            let unit = (next as u32).checked_sub(FIRST)? + SURROGATES;
            u16::try_from(unit).ok().filter(|_| unit <= LAST)
        };
        let piece = match chars.peek().copied() {
            Some(MARK) => Piece::Char(MARK),
            Some(next) => match lone(next) {
                Some(unit) => Piece::Lone(unit),
                None => return Some(Piece::Char(MARK)),
            },
            None => return Some(Piece::Char(MARK)),
        };
        chars.next();
        Some(piece)
    })
}

/// The UTF-16 units of a text.
pub fn units(text: &str) -> impl Iterator<Item = u16> {
    pieces(text).flat_map(|piece| {
        let (mut both, mut units) = ([0; 2], [None; 2]);
        match piece {
            Piece::Lone(unit) => units[0] = Some(unit),
            Piece::Char(each) => {
                for (to, unit) in units.iter_mut().zip(each.encode_utf16(&mut both)) {
                    *to = Some(*unit);
                }
            }
        }
        units.into_iter().flatten()
    })
}

/// The text without a zero, for where a zero ends it.
pub fn without_zero(text: &str) -> Cow<'_, str> {
    if text.contains('\0') {
        Cow::Owned(text.replace('\0', &String::from_iter([MARK, ZERO])))
    } else {
        Cow::Borrowed(text)
    }
}

/// The text that [`without_zero`] was given.
pub fn with_zero(text: &str) -> Cow<'_, str> {
    if !text.contains(ZERO) {
        return Cow::Borrowed(text);
    }
    let (mut whole, mut rest) = (String::with_capacity(text.len()), text.chars().peekable());
    while let Some(each) = rest.next() {
        match (each, rest.peek().copied()) {
            (MARK, Some(ZERO)) => whole.push('\0'),
            (MARK, Some(next)) => whole.extend([MARK, next]),
            _ => {
                whole.push(each);
                continue;
            }
        }
        rest.next();
    }
    Cow::Owned(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_alone_and_in_pairs_comes_back() {
        let odd = [0, 0x61, 0xD7FF, 0xD800, 0xDBFF, 0xDC00, 0xDFFD, 0xDFFF, 0xE000, 0xE7FF, 0xE800, 0xFFFD, 0xFFFF];
        let mut texts = std::collections::HashSet::new();
        for first in odd {
            for second in odd {
                for third in odd {
                    let string = [first, second, third];
                    let text = of_units(string);
                    assert_eq!(units(&text).collect::<Vec<_>>(), string, "{string:x?}");
                    assert!(!without_zero(&text).contains('\0'));
                    assert_eq!(with_zero(&without_zero(&text)), text, "{string:x?}");
                    assert!(texts.insert(without_zero(&text).into_owned()), "{string:x?}");
                }
            }
        }
        assert!((0xD800..=0xDFFF).all(|unit| units(&of_units([unit])).eq([unit])));
    }

    #[test]
    fn what_every_text_can_hold_stays_as_it_is() {
        for text in ["", "plain", "\u{e4}\u{4e2d}", "m\u{1D4B3}", "a\0b", "\u{E000}\u{E800}\u{10FFFF}"] {
            assert_eq!(of_units(text.encode_utf16()), text);
            assert!(pieces(text).eq(text.chars().map(Piece::Char)));
        }
    }

    #[test]
    fn a_mark_with_nothing_that_belongs_to_it_is_itself() {
        for text in ["\u{10FFFD}", "\u{10FFFD}x", "\u{10FFFD}\u{E800}"] {
            assert!(pieces(text).eq(text.chars().map(Piece::Char)), "{text:?}");
        }
        assert!(pieces("\u{10FFFD}\u{10FFFD}\u{E000}").eq(['\u{10FFFD}', '\u{E000}'].map(Piece::Char)));
        assert!(pieces("\u{10FFFD}\u{E7FF}").eq([Piece::Lone(0xDFFF)]));
    }
}
