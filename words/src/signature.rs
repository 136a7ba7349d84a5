//! Which class a signature names: of `Lpkg/Name;` the class `pkg/Name`.
//!
//! Invariant: nothing else in the project takes signatures apart. A hidden class has a dot in its
//! signature, which stays.
//! Source: JVMS 4.3.2 (field descriptors), 4.2.1 (internal names); JVMTI GetClassSignature.

/// The internal name of the class; `None` for arrays and primitive types.
pub fn class(signature: &str) -> Option<&str> {
    signature.strip_prefix('L')?.strip_suffix(';')
}

/// Like [`class`], for text that need not be UTF-8, as it stands in class files.
pub fn class_of_bytes(signature: &[u8]) -> Option<&[u8]> {
    signature.strip_prefix(b"L")?.strip_suffix(b";")
}

/// What a constant of a class calls the type: its internal name, or the signature itself where it
/// is an array.
pub fn internal_name(signature: &str) -> &str {
    class(signature).unwrap_or(signature)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_classes_lose_their_frame() {
        assert_eq!(class("Ljava/lang/Object;"), Some("java/lang/Object"));
        assert_eq!(class_of_bytes(b"La/B.0x1;"), Some(&b"a/B.0x1"[..]));
        for other in ["[Ljava/lang/Object;", "I", "L", "LLong", ""] {
            assert_eq!((class(other), class_of_bytes(other.as_bytes()), internal_name(other)), (None, None, other));
        }
    }
}
