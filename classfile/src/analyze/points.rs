//! Where in a method's code something may be called, initialised or computed.
//!
//! Invariant: [`Points`] finds each instruction of the kinds that the hooks may have to do with,
//! and only these. [`Suspects`] finds each byte that would be one that calls, initialises or
//! computes, whether an instruction begins there or not: more than there are, and much faster, for
//! no length is waited for. Source: JVMS chapter 6.

use crate::format::opcode::{GETSTATIC, INVOKEVIRTUAL, LDC, LDC2_W, LENGTH, NEW, POINT, PUTSTATIC, end, kind};

/// Finds the instructions at which the hooks may have something to do.
#[derive(Clone, Copy)]
pub(crate) struct Points(&'static [u8; 256]);

impl Points {
    /// `computes`: may `ldc` compute its constant, and so run code?
    pub(crate) fn new(computes: bool) -> Self {
        Self(if computes { &PLAIN } else { &PLAIN_AND_LDC })
    }

    /// The next of them from `bci` on, or the end; `None` for what is no code.
    pub(crate) fn next(self, code: &[u8], mut bci: usize) -> Option<usize> {
        while let Some(op) = code.get(bci) {
            match usize::from(self.0[usize::from(*op)]) {
                0 if kind(*op) & POINT != 0 => return Some(bci),
                0 => bci = end(code, bci, *op)?,
                len => bci += len,
            }
        }
        (bci == code.len()).then_some(bci)
    }
}

/// Lengths of instructions that are no points and always of one length.
static PLAIN: [u8; 256] = plain(false);
static PLAIN_AND_LDC: [u8; 256] = plain(true);

const fn plain(ldc: bool) -> [u8; 256] {
    let mut table = LENGTH;
    let mut op = 0;
    while op < table.len() {
        if kind(op as u8) & POINT != 0 && !(ldc && matches!(op as u8, LDC..=LDC2_W)) {
            table[op] = 0;
        }
        op += 1;
    }
    table
}

/// The bytes of code that may be an `ldc` that computes, `getstatic`, `putstatic`, an invocation or
/// `new`.
pub(crate) struct Suspects<'a> {
    code: &'a [u8],
    at: usize,
    computes: bool,
}

/// So many bytes are looked at as one.
const LANES: usize = 32;

impl<'a> Suspects<'a> {
    /// `computes`: may `ldc` compute its constant, and so run code?
    pub(crate) fn new(code: &'a [u8], computes: bool) -> Self {
        Self { code, at: 0, computes }
    }

    fn is_any(&self, lanes: &[u8; LANES]) -> bool {
        // Each way has a loop of its own, without a branch in it.
        let any = |computes: bool| lanes.iter().fold(0, |any, byte| any | u8::from(is_suspect(*byte, computes))) != 0;
        if self.computes { any(true) } else { any(false) }
    }
}

fn is_suspect(byte: u8, computes: bool) -> bool {
    let within = |first: u8, last: u8| byte.wrapping_sub(first) <= last - first;
    within(GETSTATIC, PUTSTATIC) | within(INVOKEVIRTUAL, NEW) | (computes & within(LDC, LDC2_W))
}

impl Iterator for Suspects<'_> {
    /// Where the byte stands.
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        loop {
            if self.at.is_multiple_of(LANES) {
                let lanes = |at: usize| self.code.get(at..).and_then(<[u8]>::first_chunk);
                while lanes(self.at).is_some_and(|lanes| !self.is_any(lanes)) {
                    self.at += LANES;
                }
            }
            let byte = *self.code.get(self.at)?;
            self.at += 1;
            if is_suspect(byte, self.computes) {
                return Some(self.at - 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_that_may_call_is_suspected_wherever_it_stands() {
        for computes in [false, true] {
            for byte in 0..=u8::MAX {
                let suspected = matches!(byte, GETSTATIC | PUTSTATIC | INVOKEVIRTUAL..=NEW)
                    || computes && matches!(byte, LDC..=LDC2_W);
                for at in 0..3 * LANES {
                    let mut code = [0; 3 * LANES - 5];
                    let Some(place) = code.get_mut(at) else { break };
                    *place = byte;
                    let expected: Vec<usize> = suspected.then_some(at).into_iter().collect();
                    assert_eq!(Suspects::new(&code, computes).collect::<Vec<_>>(), expected, "{byte} at {at}");
                }
            }
        }
    }

    #[test]
    fn neighbours_are_all_suspected() {
        let code = [NEW; 70];
        assert!(Suspects::new(&code, false).eq(0..70));
    }
}
