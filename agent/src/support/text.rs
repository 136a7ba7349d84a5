//! Between the JVM's text and ours: modified UTF-8, where NUL and what lies beyond the BMP are
//! written in another way, and a surrogate may stand alone.
//!
//! Invariant: different texts of the JVM are different texts of ours, and come back as they were.
//! Text that was changed once is not changed again, so keys may be made of either form.
//! Source: JVMS 4.4.7; `lucce_words::text`, which writes what no Rust text can hold.

use std::borrow::Cow;
use std::ffi::CString;

use lucce_words::text;
use simd_cesu8::mutf8;

/// Text of the JVM. What is no text at all, as only classes can hold that are not verified, has
/// replacement characters in it.
pub fn ours(bytes: &[u8]) -> Cow<'_, str> {
    // Most text is the same in both forms.
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(text::of_units(Units(bytes))),
    }
}

/// Text for the JVM.
pub fn the_jvms(ours: &str) -> CString {
    let bytes = if ours.contains(text::MARK) {
        Cow::Owned(text::units(ours).flat_map(encoded).collect())
    } else {
        mutf8::encode(ours)
    };
    // There is no zero in it, for that is written as two bytes.
    CString::new(bytes).unwrap_or_default()
}

/// The bytes of a unit.
fn encoded(unit: u16) -> impl Iterator<Item = u8> {
    let six = |shift: u32| (unit >> shift & 0x3F) as u8 | 0x80;
    let (bytes, count) = match unit {
        1..=0x7F => ([unit as u8, 0, 0], 1),
        0 | 0x80..=0x7FF => ([(unit >> 6) as u8 | 0xC0, six(0), 0], 2),
        _ => ([(unit >> 12) as u8 | 0xE0, six(6), six(0)], 3),
    };
    bytes.into_iter().take(count)
}

/// The UTF-16 units of modified UTF-8.
struct Units<'t>(&'t [u8]);

impl Iterator for Units<'_> {
    type Item = u16;

    fn next(&mut self) -> Option<u16> {
        let more = |byte: u8| (byte & 0xC0 == 0x80).then_some(u16::from(byte & 0x3F));
        let (unit, length) = match *self.0 {
            [] => return None,
            [one @ ..0x80, ..] => (Some(u16::from(one)), 1),
            [one @ 0xC0..0xE0, two, ..] => (more(two).map(|two| u16::from(one & 0x1F) << 6 | two), 2),
            [one @ 0xE0..0xF0, two, three, ..] => {
                (more(two).zip(more(three)).map(|(two, three)| u16::from(one) << 12 | two << 6 | three), 3)
            }
            _ => (None, 1),
        };
        self.0 = &self.0[if unit.is_some() { length } else { 1 }..];
        Some(unit.unwrap_or(char::REPLACEMENT_CHARACTER as u16))
    }
}

/// A zero-terminated copy; zeros inside are written in another way.
pub fn zero_terminated(ours: &str) -> CString {
    CString::new(text::without_zero(ours).into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_beyond_the_bmp_is_one_character() {
        let pair = b"m\xED\xA0\xB5\xED\xB2\xB3";
        assert_eq!(ours(pair), "m\u{1D4B3}");
        assert_eq!(the_jvms("m\u{1D4B3}").as_bytes(), pair);
        assert_eq!((ours(b"a\xC0\x80b"), the_jvms("a\0b").as_bytes()), ("a\0b".into(), &b"a\xC0\x80b"[..]));
    }

    #[test]
    fn what_is_ours_stays() {
        for text in ["", "plain", "\u{e4}\u{4e2d}", "m\u{1D4B3}", "a\0b"] {
            assert_eq!(ours(text.as_bytes()), text);
        }
        let alone = ours(b"x\xED\xA0\xB5y").into_owned();
        assert!(alone.starts_with('x') && alone.ends_with('y'));
        assert_eq!(ours(alone.as_bytes()), alone);
    }

    #[test]
    fn every_text_of_the_jvm_comes_back() {
        // Surrogates alone, in the wrong order, at both ends; a zero; the mark itself, which is a
        // pair here.
        let parts: [&[u8]; 9] = [
            b"a",
            b"\xC0\x80",
            b"\xC3\xA4",
            b"\xEE\x80\x80",
            b"\xED\xA0\x80",
            b"\xED\xA0\x81",
            b"\xED\xB0\x80",
            b"\xED\xBF\xBF",
            b"\xED\xAF\xBF\xED\xBF\xBD",
        ];
        let mut texts = std::collections::HashSet::new();
        for one in parts {
            for two in parts {
                for three in parts {
                    let bytes = [one, two, three].concat();
                    let text = ours(&bytes).into_owned();
                    assert_eq!(the_jvms(&text).as_bytes(), bytes, "{text:?}");
                    assert_eq!(ours(text.as_bytes()), text);
                    texts.insert(text);
                }
            }
        }
        assert_eq!(texts.len(), 9 * 9 * 9);
    }

    #[test]
    fn what_is_no_text_has_replacement_characters() {
        for (bytes, text) in [
            (&b"a\x80b"[..], "a\u{FFFD}b"),
            (b"\xC3", "\u{FFFD}"),
            (b"\xE0\x80", "\u{FFFD}\u{FFFD}"),
            (b"\xF0\x9F\xA6", "\u{FFFD}\u{FFFD}\u{FFFD}"),
        ] {
            assert_eq!(ours(bytes), text);
        }
    }
}
