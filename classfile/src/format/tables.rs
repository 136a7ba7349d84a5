//! The debug tables of a method: lines and local variables, relocated.
//!
//! Invariant: an index leads to the code inserted before its instruction, index 0 to the very
//! start, so that lines and variables cover the prologue. Indices within an instruction, which the
//! JVM does not forbid here, keep their distance. Two entries of one variable that the JVM knew
//! apart, and would not any more, are one.
//! Source: JVMS 4.7.12 to 4.7.14; how HotSpot reads a table that has an index twice, and what it
//! takes for a duplicate.

use crate::SkipReason;
use crate::bci_map::maps::LineTable;
use crate::emit::layout::Layout;
use crate::format::code::{Code, Contents};
use crate::format::opcode::length;
use crate::format::reader::Reader;
use lucce_words::Bci;
use std::cell::OnceCell;
use std::collections::HashSet;
use std::ops::Range;

/// The new place of any index up to the end of the code.
#[inline]
fn place(code: &Code<'_>, layout: &Layout, bci: u32) -> Option<u32> {
    let exact = code.number(bci).map(|number| (number, 0));
    let (number, behind) = exact.or_else(|| code.containing(bci))?;
    Some(match behind {
        0 if number == 0 => 0,
        0 => layout.start(number),
        _ => (layout.here(number) + behind).min(layout.start(number + 1)),
    })
}

/// Which of a method's LineNumberTables it is. The JVM reads them as one, in the order of the file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lines {
    Only,
    /// Of several.
    First,
    Further,
}

/// LineNumberTable. `text`: where `out` has the method's new code.
pub(crate) fn lines(
    code: &Code<'_>,
    layout: &Layout,
    (range, text): (Range<usize>, Range<usize>),
    which: Lines,
    out: &mut Vec<u8>,
) -> Result<(), SkipReason> {
    let mut reader = Reader::within(code.class, range);
    let count = reader.u2()?;
    let start = out.len();
    out.extend_from_slice(&count.to_be_bytes());
    let mut next = 0;
    let mut ascending = true;
    out.reserve(4 * usize::from(count));
    for _ in 0..count {
        let bci = u32::from(reader.u2()?);
        let new = place(code, layout, bci).filter(|_| (bci as usize) < code.bytes.len());
        put(out, new.ok_or_else(|| reader.error("line number offset"))?, reader.u2()?);
        ascending &= bci >= next;
        next = bci + 1;
    }
    if which == Lines::First || which == Lines::Only && !ascending {
        let more = corrections(code, layout, &out[text])?;
        let count = usize::from(count) + more.len();
        let count = u16::try_from(count).map_err(|_| SkipReason::TableTooLong { what: "line numbers" })?;
        let mut table = count.to_be_bytes().to_vec();
        more.iter().for_each(|&(at, line)| put(&mut table, at, line));
        out.splice(start..start + 2, table);
    }
    finish(&reader)
}

fn put(out: &mut Vec<u8>, at: u32, line: u16) {
    let ([a, b], [c, d]) = ((at as u16).to_be_bytes(), line.to_be_bytes());
    out.extend_from_slice(&[a, b, c, d]);
}

/// Entries to stand before all others, so that each instruction keeps the line that the JVM gives
/// it, and what is inserted for it has that, too.
///
/// Of several entries of one index the JVM takes the first for the instruction there, and the last
/// behind it. Where something is inserted before that instruction, it stands behind that index; and
/// so do the further instructions of what is inserted.
fn corrections(code: &Code<'_>, layout: &Layout, text: &[u8]) -> Result<Vec<(u32, u16)>, SkipReason> {
    let entries = LineTable::entries(code)?;
    let moved = entries.iter().filter_map(|&(at, line)| Some((place(code, layout, at.into())? as u16, line)));
    let moved = LineTable::new(moved.collect());
    let original = LineTable::new(entries);
    let mut more = Vec::new();
    // What follows would have the line of a correction, if it had no entry of its own.
    let mut behind = false;
    for number in 0..code.count() {
        let wanted = original.line(Bci(code.bci(number) as u16));
        for at in stands(layout, text, number) {
            let wrong = moved.line(Bci(at as u16)) != wanted;
            if let (true, Some(line)) = (wrong || behind, wanted) {
                more.push((at, line));
            }
            behind = wrong;
        }
    }
    Ok(more)
}

/// Where instructions of the new code begin between which the JVM's answers for one of the method's
/// own may differ, ascending: the first that is inserted before it and the second, itself, and what
/// is inserted behind it.
fn stands(layout: &Layout, text: &[u8], number: usize) -> impl Iterator<Item = u32> {
    let next = |at: u32| length(text, at as usize).map(|length| at + length as u32);
    let (here, end) = (layout.here(number), layout.start(number + 1));
    let first = if number == 0 { 0 } else { layout.start(number) };
    let inserted = [Some(first), next(first)].into_iter().flatten().filter(move |at| *at < here);
    let own = [Some(here), next(here)].into_iter().flatten().filter(move |at| *at < end);
    inserted.chain(own)
}

/// Where in the class file the entries of a method's tables of local variables stand that are left
/// out, ascending; empty until one is looked for.
#[derive(Default)]
pub(crate) struct Repeated(OnceCell<Option<Vec<usize>>>);

/// LocalVariableTable and LocalVariableTypeTable, with one more entry (as new indices) if there is
/// room for it.
pub(crate) fn variables(
    code: &Code<'_>,
    layout: &Layout,
    range: Range<usize>,
    more: Option<[u16; 5]>,
    repeated: &Repeated,
    out: &mut Vec<u8>,
) -> Result<(), SkipReason> {
    let mut reader = Reader::within(code.class, range);
    let count = reader.u2()?;
    let more = more.filter(|_| count < u16::MAX);
    let count_at = out.len();
    let mut written = count + u16::from(more.is_some());
    out.extend_from_slice(&written.to_be_bytes());
    for part in more.iter().flatten() {
        out.extend_from_slice(&part.to_be_bytes());
    }
    for _ in 0..count {
        let at = reader.at();
        let (old, len) = (reader.u2()?, reader.u2()?);
        let (start, new_len) = span(code, layout, old, len).ok_or_else(|| reader.error("local variable range"))?;
        let rest = reader.take(6)?;
        let narrowed = [old, old.wrapping_add(len)].into_iter().any(|bci| meets_next(code, layout, bci));
        if narrowed && repeated.has(code, layout, at)? {
            written -= 1;
            continue;
        }
        out.extend_from_slice(&start.to_be_bytes());
        out.extend_from_slice(&new_len.to_be_bytes());
        out.extend_from_slice(rest);
    }
    out[count_at..count_at + 2].copy_from_slice(&written.to_be_bytes());
    finish(&reader)
}

/// May the index have the place of a greater one? So where nothing is left of an instruction, and
/// perhaps within one.
fn meets_next(code: &Code<'_>, layout: &Layout, bci: u16) -> bool {
    let number = code.number(bci.into());
    number.is_none_or(|number| number < code.count() && layout.start(number) == layout.start(number + 1))
}

/// Is it of a LocalVariableTable; name, local and new range.
type Entry = (bool, u16, u16, (u16, u16));

impl Repeated {
    /// Is the entry there left out? The JVM refuses a second one of the same name, local and range,
    /// so of those whose ranges became one, one stays. Those that had one range before stay all:
    /// what the JVM refuses does not become right.
    #[inline(never)]
    fn has(&self, code: &Code<'_>, layout: &Layout, at: usize) -> Result<bool, SkipReason> {
        let found = self.0.get_or_init(|| Self::find(code, layout)).as_ref();
        Ok(found.ok_or(SkipReason::malformed("local variable", at))?.binary_search(&at).is_ok())
    }

    /// `None` if something is wrong with the tables.
    #[cold]
    fn find(code: &Code<'_>, layout: &Layout) -> Option<Vec<usize>> {
        let mut entries = Vec::new();
        for table in code.attributes() {
            if !matches!(table.contents, Contents::Variables | Contents::VariableTypes) {
                continue;
            }
            let mut reader = Reader::within(code.class, table.body());
            let mut next = || reader.u2().ok();
            for entry in 0..next()? {
                let at = table.body().start + 2 + 10 * usize::from(entry);
                let (start, len) = (next()?, next()?);
                let new = span(code, layout, start, len)?;
                let (name, _type, local) = (next()?, next()?, next()?);
                entries.push(((table.contents == Contents::Variables, name, local, new), (start, len), at));
            }
        }
        // Each of a table of generic types must be one of the others, too: one that is not could
        // become one.
        let of = |(one, range, _): &(Entry, (u16, u16), usize)| (one.1, one.2, *range);
        let variables: HashSet<_> = entries.iter().filter(|entry| entry.0.0).map(of).collect();
        if !entries.iter().all(|entry| entry.0.0 || variables.contains(&of(entry))) {
            return None;
        }
        entries.sort_unstable();
        let pairs = entries.iter().zip(entries.iter().skip(1));
        let became_one = pairs.filter(|(one, next)| one.0 == next.0 && one.1 != next.1);
        let mut repeated: Vec<_> = became_one.map(|(one, _)| one.2).collect();
        repeated.sort_unstable();
        Some(repeated)
    }
}

/// A range of code: its new start and length.
pub(crate) fn span(code: &Code<'_>, layout: &Layout, start: u16, len: u16) -> Option<(u16, u16)> {
    let end = u32::from(start) + u32::from(len);
    let (start, end) = (place(code, layout, u32::from(start))?, place(code, layout, end)?);
    // An empty range stays empty, also at index 0.
    Some((start as u16, if len == 0 { 0 } else { (end - start) as u16 }))
}

fn finish(reader: &Reader<'_>) -> Result<(), SkipReason> {
    if reader.is_at_end() { Ok(()) } else { Err(reader.error("table length")) }
}
