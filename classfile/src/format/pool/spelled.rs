//! An entry of the pool written out, so that entries of two class files can be compared: with what
//! it names in place of indices.
//!
//! Invariant: two entries are spelled alike only if they mean the same; what cannot be read is
//! spelled by its index.
//! Source: JVMS 4.4, 4.7.23.

use super::{CLASS, DYNAMIC, FIELD, INVOKE_DYNAMIC, METHOD_HANDLE, METHOD_TYPE, NAME_AND_TYPE, PoolView, SIZES, UTF8};

/// A `CONSTANT_String`.
const STRING: u8 = 8;
const MODULE: u8 = 19;
const PACKAGE: u8 = 20;
/// Entries name others only a few steps deep, but dynamic constants, whose arguments may be dynamic
/// themselves.
const DEEPEST: u32 = 16;

/// A class's pool with its bootstrap methods.
pub(crate) struct Spelling<'s, 'a> {
    pool: &'s PoolView<'a>,
    /// For each bootstrap method its handle and its arguments, as indices.
    bootstraps: Vec<Vec<u16>>,
}

impl<'s, 'a> Spelling<'s, 'a> {
    /// `bootstraps`: the contents of the class's attribute of that name; empty if it has none.
    pub(crate) fn new(pool: &'s PoolView<'a>, bootstraps: &[u8]) -> Self {
        let mut words = bootstraps.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
        let count = words.next().unwrap_or(0);
        let mut read = || {
            let mut indices = vec![words.next()?];
            let arguments = words.next()?;
            indices.extend((0..arguments).map_while(|_| words.next()));
            Some(indices)
        };
        let bootstraps = (0..count).map_while(|_| read()).collect();
        Self { pool, bootstraps }
    }

    /// Spells the entry behind `out`.
    pub(crate) fn spell(&self, index: u16, out: &mut Vec<u8>) {
        self.spell_at(index, 0, out);
    }

    fn spell_at(&self, index: u16, depth: u32, out: &mut Vec<u8>) {
        let tag = self.pool.tag(index).filter(|_| depth < DEEPEST);
        let Some(tag) = tag else { return out.extend_from_slice(&index.to_be_bytes()) };
        out.push(tag);
        let mut next = |index| self.spell_at(index, depth + 1, out);
        match (tag, self.rest(index, tag)) {
            (UTF8, size) => {
                out.extend_from_slice(size);
                out.extend_from_slice(self.pool.utf8(index).unwrap_or_default());
            }
            (CLASS | STRING | METHOD_TYPE | MODULE | PACKAGE, &[a, b]) => next(u16::from_be_bytes([a, b])),
            (FIELD..=NAME_AND_TYPE, &[a, b, c, d]) => {
                next(u16::from_be_bytes([a, b]));
                next(u16::from_be_bytes([c, d]));
            }
            (DYNAMIC | INVOKE_DYNAMIC, &[a, b, c, d]) => {
                next(u16::from_be_bytes([c, d]));
                match self.bootstraps.get(usize::from(u16::from_be_bytes([a, b]))) {
                    Some(indices) => indices.iter().for_each(|index| next(*index)),
                    None => out.extend_from_slice(&[a, b]),
                }
            }
            (METHOD_HANDLE, &[kind, a, b]) => {
                out.push(kind);
                self.spell_at(u16::from_be_bytes([a, b]), depth + 1, out);
            }
            (_, value) => out.extend_from_slice(value),
        }
    }
}

impl<'a> Spelling<'_, 'a> {
    /// What follows the tag of an entry; of a text its length alone.
    fn rest(&self, index: u16, tag: u8) -> &'a [u8] {
        let at = self.pool.offsets.get(usize::from(index)).map_or(0, |at| *at as usize + 1);
        self.pool.bytes.get(at..at + usize::from(SIZES[usize::from(tag)])).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_the_same_is_spelled_alike_wherever_it_stands() {
        // "A", class A; the same behind another text.
        let one = PoolView::new(3, &[1, 0, 1, b'A', 7, 0, 1]);
        let other = PoolView::new(4, &[1, 0, 1, b'B', 1, 0, 1, b'A', 7, 0, 2]);
        let spelled = |pool: &PoolView<'_>, index| {
            let mut out = Vec::new();
            Spelling::new(pool, &[]).spell(index, &mut out);
            out
        };
        assert_eq!(spelled(&one, 2), spelled(&other, 3));
        assert_ne!(spelled(&one, 1), spelled(&other, 1));
    }

    #[test]
    fn a_constant_that_names_itself_has_an_end() {
        // A dynamic constant whose bootstrap method has it for an argument.
        let pool = PoolView::new(2, &[17, 0, 0, 0, 1]);
        let mut out = Vec::new();
        Spelling::new(&pool, &[0, 1, 0, 1, 0, 1, 0, 1]).spell(1, &mut out);
        assert!(!out.is_empty());
    }
}
