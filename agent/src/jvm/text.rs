//! Between the JVM's text and ours: modified UTF-8, where NUL and what lies beyond the BMP are written in another way.
//!
//! Invariant: text that was changed once is not changed again, so keys may be made of either form.
//! Source: JVMS 4.4.7.

use std::borrow::Cow;
use std::ffi::CString;

use simd_cesu8::mutf8;

/// Text of the JVM. A surrogate that stands alone, which no text of ours can hold, becomes a replacement character.
pub fn ours(bytes: &[u8]) -> Cow<'_, str> {
    // Most text is the same in both forms.
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => mutf8::decode_lossy(bytes),
    }
}

/// Text for the JVM.
pub fn the_jvms(text: &str) -> CString {
    // There is no zero in it, for that is written as two bytes.
    CString::new(mutf8::encode(text)).unwrap_or_default()
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
}
