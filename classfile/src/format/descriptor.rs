//! Field and method descriptors: sizes in slots, and the types they begin with.
//!
//! Invariant: a descriptor that is not well formed gives `None`, never a guess.
//! Source: JVMS 4.3.

use crate::format::opcode::{IRETURN, RETURN};

/// Slots of the arguments (without the receiver) and of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slots {
    pub(crate) arguments: usize,
    pub(crate) result: usize,
}

/// Splits the first field type off `desc`.
pub(crate) fn split_type(desc: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut last = 0;
    while desc.get(last) == Some(&b'[') {
        last += 1;
    }
    match desc.get(last)? {
        b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' => {}
        b'L' => last += memchr::memchr(b';', &desc[last..])?,
        _ => return None,
    }
    desc.split_at_checked(last + 1)
}

/// Slots of a field descriptor.
pub(crate) fn field_slots(desc: &[u8]) -> Option<usize> {
    let (first, rest) = split_type(desc)?;
    rest.is_empty().then_some(slots(first[0]))
}

/// Slots of a value whose type begins so, or none of `V`.
fn slots(first: u8) -> usize {
    match first {
        b'V' => 0,
        b'J' | b'D' => 2,
        _ => 1,
    }
}

/// Slots of a method descriptor.
pub(crate) fn method_slots(desc: &[u8]) -> Option<Slots> {
    let (arguments, result) = split_method(desc)?;
    Some(Slots { arguments, result: slots(result[0]) })
}

/// Slots of the arguments of a method descriptor, and its result type.
pub(crate) fn split_method(desc: &[u8]) -> Option<(usize, &[u8])> {
    let mut rest = desc.strip_prefix(b"(")?;
    let mut arguments = 0;
    loop {
        rest = match rest {
            // A class may have a parenthesis in its name: only here it is the last.
            [b')', result @ ..] => {
                let is_type = || split_type(result).is_some_and(|split| split.1.is_empty());
                return (result == b"V" || is_type()).then_some((arguments, result));
            }
            [b'B' | b'C' | b'F' | b'I' | b'S' | b'Z', behind @ ..] => {
                arguments += 1;
                behind
            }
            [b'J' | b'D', behind @ ..] => {
                arguments += 2;
                behind
            }
            _ => {
                arguments += 1;
                split_type(rest)?.1
            }
        };
    }
}

/// The result type of a method descriptor.
pub(crate) fn result(desc: &[u8]) -> Option<&[u8]> {
    split_method(desc).map(|split| split.1)
}

/// The return of a method with this result type. The JVM takes another where nothing leads to it,
/// as in code that only flow through `jsr` seems to reach.
pub(crate) fn own_return(result: &[u8]) -> u8 {
    // In the order of the opcodes: int, long, float, double, reference, nothing.
    match result[0] {
        b'J' => IRETURN + 1,
        b'F' => IRETURN + 2,
        b'D' => IRETURN + 3,
        b'L' | b'[' => IRETURN + 4,
        b'V' => RETURN,
        _ => IRETURN,
    }
}

/// The argument types of a method descriptor, in order.
pub(crate) fn arguments(desc: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = desc.strip_prefix(b"(").unwrap_or(&[]);
    std::iter::from_fn(move || {
        let (first, behind) = split_type(rest)?;
        rest = behind;
        Some(first)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_descriptor_counts_slots() {
        assert_eq!(method_slots(b"(IJ[[JLa/b;D)J"), Some(Slots { arguments: 7, result: 2 }));
        assert_eq!(method_slots(b"()V"), Some(Slots { arguments: 0, result: 0 }));
    }

    #[test]
    fn what_is_not_a_descriptor_gives_nothing() {
        for desc in [&b""[..], b"L", b"L;I", b"[", b"La/b", b"Q", b"II", b"(I)V"] {
            assert_eq!(field_slots(desc), None, "{}", String::from_utf8_lossy(desc));
        }
        for desc in [&b""[..], b"(", b"(I", b"(Q)V", b"(La)V", b"()", b"()VV", b"()[V"] {
            assert_eq!(method_slots(desc), None, "{}", String::from_utf8_lossy(desc));
        }
    }

    #[test]
    fn a_result_is_found_behind_a_class_with_a_parenthesis_in_its_name() {
        let desc = b"(I[La)b;)[J";
        assert_eq!(result(desc).map(|result| (result, own_return(result))), Some((&b"[J"[..], IRETURN + 4)));
    }

    #[test]
    fn arguments_come_in_order() {
        let types: Vec<_> = arguments(b"(I[[JLa/b;)V").collect();
        assert_eq!(types, [&b"I"[..], b"[[J", b"La/b;"]);
    }
}
