//! Fingerprints of contexts: what a context is called in every run, JVM and machine.
//!
//! Invariant: a fingerprint follows from the names and places of the frames alone. No number of a
//! log, and no reason for an unknown end, is in it.
//! Source: docs/FORMAT.md, "Fingerprints"; FIPS 180-4 (SHA-256).

mod names;

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};

use crate::{Trace, TraceEnd, TraceFrame};

pub use names::{normal_class, normal_desc, normal_method};

/// 128 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(pub u128);

/// Both fingerprints of one context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprints {
    /// Over classes, methods, descriptors and places as they are.
    pub exact: Fingerprint,
    /// Over normal names, without places: the same in the next build, if no method was renamed.
    pub names: Fingerprint,
}

/// What a context has on top of its caller's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part<'a> {
    /// A frame.
    Frame {
        /// As people write it: `java.util.Map$Entry`.
        class: &'a str,
        /// Name.
        method: &'a str,
        /// Descriptor.
        desc: &'a str,
        /// Where in the method.
        at: At,
    },
    /// How the frames below came to those above: `submitted at`.
    Step(&'a str),
    /// Nothing is known from here down.
    Unknown,
}

/// A place in a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// A bytecode index.
    Bci(u16),
    /// A line: of frames that were read from the real stack no more is known.
    Line(u32),
    /// Not known, as of a native method.
    Nowhere,
}

impl At {
    /// The index if it is known, otherwise the line.
    pub fn new(bci: Option<u16>, line: Option<u32>) -> Self {
        bci.map(Self::Bci).or(line.map(Self::Line)).unwrap_or(Self::Nowhere)
    }
}

impl Fingerprints {
    /// Those of a thread's base, where no frame is.
    pub const BASE: Self = Self { exact: Fingerprint(0), names: Fingerprint(0) };

    /// Those of the context with one part more on top.
    #[must_use]
    pub fn with(self, part: Part<'_>) -> Self {
        let exact = self.exact.with(part);
        let names = match part {
            Part::Frame { class, method, desc, .. } => {
                let (class, method, desc) = (normal_class(class), normal_method(method), normal_desc(desc));
                self.names.with(Part::Frame { class: &class, method: &method, desc: &desc, at: At::Nowhere })
            }
            other => self.names.with(other),
        };
        Self { exact, names }
    }

    /// Those of a trace.
    pub fn of(trace: &Trace<'_>) -> Self {
        let base = match trace.end {
            TraceEnd::Root => Self::BASE,
            TraceEnd::Unknown(_) => Self::BASE.with(Part::Unknown),
        };
        trace.frames.iter().rev().fold(base, |below, frame| below.with(Part::from(frame)))
    }

    /// Is this one of the two?
    pub fn has(&self, fingerprint: Fingerprint) -> bool {
        self.exact == fingerprint || self.names == fingerprint
    }
}

impl Fingerprint {
    fn with(self, part: Part<'_>) -> Self {
        let mut hash = Sha256::new();
        hash.update(self.0.to_be_bytes());
        let (tag, texts): (u8, &[&str]) = match &part {
            Part::Unknown => (0, &[]),
            &Part::Step(verb) => (1, &[verb]),
            &Part::Frame { class, method, desc, at: At::Nowhere } => (2, &[class, method, desc]),
            &Part::Frame { class, method, desc, at: At::Bci(_) } => (3, &[class, method, desc]),
            &Part::Frame { class, method, desc, at: At::Line(_) } => (4, &[class, method, desc]),
        };
        hash.update([tag]);
        for text in texts {
            hash.update((text.len() as u32).to_le_bytes());
            hash.update(text);
        }
        match part {
            Part::Frame { at: At::Bci(bci), .. } => hash.update(bci.to_le_bytes()),
            Part::Frame { at: At::Line(line), .. } => hash.update(line.to_le_bytes()),
            _ => {}
        }
        let digest: [u8; 32] = hash.finalize().into();
        Self(digest[..16].iter().fold(0, |bits, &byte| bits << 8 | u128::from(byte)))
    }
}

impl<'a> From<&TraceFrame<'a>> for Part<'a> {
    fn from(frame: &TraceFrame<'a>) -> Self {
        let &TraceFrame { class, method, desc, bci, line, .. } = frame;
        Self::Frame { class, method, desc, at: At::new(bci.map(|bci| bci.0), line) }
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:032x}", self.0)
    }
}

/// It is no fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAFingerprint;

impl FromStr for Fingerprint {
    type Err = NotAFingerprint;

    /// 32 hexadecimal digits.
    fn from_str(text: &str) -> Result<Self, NotAFingerprint> {
        let digits = text.len() == 32 && text.bytes().all(|each| each.is_ascii_hexdigit());
        digits.then(|| u128::from_str_radix(text, 16).ok()).flatten().map(Self).ok_or(NotAFingerprint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame<'a>(class: &'a str, method: &'a str, at: At) -> Part<'a> {
        Part::Frame { class, method, desc: "()V", at }
    }

    /// The bytes that docs/FORMAT.md gives as an example, made there with other tools.
    #[test]
    fn a_fingerprint_is_what_the_document_says() {
        let main = Fingerprints::BASE.with(frame("shop.Main", "main", At::Bci(7)));
        assert_eq!(main.exact.to_string(), EXACT);
        assert_eq!(main.names.to_string(), NAMES);
        assert_eq!(EXACT.parse(), Ok(main.exact));
        assert!(main.has(main.names) && main.has(main.exact) && !main.has(Fingerprint(0)));
    }
    const EXACT: &str = "001f67e8b68108100b3f1c2f50f46f6f";
    const NAMES: &str = "4058fe6f65bbd862d8087031d16d7481";

    #[test]
    fn every_part_of_a_context_tells_in_its_exact_fingerprint() {
        let mut parts = vec![Part::Unknown, Part::Step("submitted at"), Part::Step("started at")];
        for at in [At::Nowhere, At::Bci(1), At::Line(1), At::Bci(256)] {
            parts.extend([frame("a", "b", at), frame("ab", "", at), frame("", "ab", at)]);
            parts.push(Part::Frame { class: "a", method: "b", desc: "(I)V", at });
        }
        let mut seen = std::collections::HashSet::from([Fingerprints::BASE.exact]);
        for below in std::iter::once(None).chain(parts.iter().map(Some)) {
            let below = below.map_or(Fingerprints::BASE, |part| Fingerprints::BASE.with(*part));
            assert!(parts.iter().all(|part| seen.insert(below.with(*part).exact)));
        }
    }

    #[test]
    fn places_and_numbers_of_a_run_do_not_tell_among_names() {
        let names = |class, method, at| Fingerprints::BASE.with(frame(class, method, at)).names;
        let one = names("a.B$$Lambda.0x00007f31d80033e8", "run", At::Bci(3));
        assert_eq!(one, names("a.B$$Lambda$14.0x0000000840064440", "run", At::Line(9)));
        assert_ne!(one, names("a.C$$Lambda.0x00007f31d80033e8", "run", At::Bci(3)));
    }

    #[test]
    fn only_32_digits_are_a_fingerprint() {
        for wrong in
            ["", "c12", "0123456789abcdef", "+1234567890123456789012345678901", "g0000000000000000000000000000000"]
        {
            assert_eq!(wrong.parse::<Fingerprint>(), Err(NotAFingerprint), "{wrong}");
        }
        assert_eq!("000000000000000000000000000000FF".parse(), Ok(Fingerprint(255)));
    }
}
