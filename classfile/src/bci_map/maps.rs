//! From rewritten bytecode indices back to the original ones, and from those to lines.
//!
//! Invariant: the maps answer for every index; what was inserted answers for the instruction it
//! serves.
//! Source: JVMS 4.7.12; HotSpot `Method::line_number_from_bci` for lines that overlap.

mod recorded;

use crate::SkipReason;
use crate::emit::layout::{Body, Edit, Edits, Layout};
use crate::format::code::{Code, Contents};
use crate::format::opcode::end;
use crate::format::reader::Reader;
use lucce_words::Bci;
use std::ops::Range;

/// Rewritten bytecode index to original one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BciMap {
    runs: Vec<MapRun>,
    /// Rewritten indices, ascending, where the method may not have been entered yet, besides those
    /// of inserted code.
    unentered: Vec<Range<u32>>,
    /// May the method be inactive?
    is_lazy: bool,
}

/// What holds from one rewritten index to the next run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MapRun {
    at: u32,
    original: u16,
    kind: RunKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunKind {
    /// The original instructions, byte by byte.
    Copied,
    /// One instruction in another form.
    Changed,
    Inserted,
}

impl BciMap {
    /// The original index of the instruction at `rewritten`. Inserted code belongs to the
    /// instruction behind it, the prologue to 0, exit and handler code to the last instruction.
    /// Without hooks the index itself.
    pub fn original(&self, rewritten: u32) -> Bci {
        match self.run(rewritten) {
            Some(MapRun { at, original, kind: RunKind::Copied }) => {
                Bci(original.saturating_add((rewritten - at) as u16))
            }
            Some(run) => Bci(run.original),
            None => Bci(rewritten as u16),
        }
    }

    /// Is the instruction at `rewritten` one that was inserted?
    pub fn is_inserted(&self, rewritten: u32) -> bool {
        self.run(rewritten).is_some_and(|run| run.kind == RunKind::Inserted)
    }

    /// Is it certain that an activation standing at `rewritten` has its word? Not where it may not
    /// have begun, nor anywhere if it may be inactive.
    pub fn has_word(&self, rewritten: u32) -> bool {
        !self.is_lazy && self.past_entry(rewritten)
    }

    /// Is it certain that an activation standing at `rewritten` is behind its entry, so that what
    /// its caller has published is no more? Not in inserted code, some of which is the entry, nor
    /// where the method is reached without one.
    pub fn past_entry(&self, rewritten: u32) -> bool {
        let behind = self.unentered.partition_point(|run| run.start <= rewritten);
        let unentered = behind.checked_sub(1).is_some_and(|run| self.unentered[run].contains(&rewritten));
        !unentered && !self.is_inserted(rewritten)
    }

    /// Is the method entered behind its start?
    pub fn is_entered_late(&self) -> bool {
        !self.unentered.is_empty()
    }

    /// Does the code at `rewritten` stand behind the method's own, where activations leave?
    pub fn is_leaving(&self, rewritten: u32) -> bool {
        self.runs.last().is_some_and(|last| last.kind == RunKind::Inserted && rewritten >= last.at)
    }

    /// Does an instruction of this code begin wherever the map says that one of the rewritten code
    /// does, as far as it says so?
    pub fn fits(&self, code: &[u8]) -> bool {
        let mut at = 0;
        self.runs.iter().all(|run| {
            while at < run.at as usize {
                let end = code.get(at).and_then(|opcode| end(code, at, *opcode));
                at = end.unwrap_or(usize::MAX);
            }
            at == run.at as usize
        })
    }

    /// The map from the same indices to those of code that `before` leads back to, where this one
    /// leads to code that was itself rewritten.
    pub(crate) fn through(&self, before: &Self) -> Self {
        let mut through = Self { runs: Vec::new(), ..self.clone() };
        let ends = self.runs.iter().skip(1).map(|run| run.at).chain([u32::MAX]);
        for (run, end) in self.runs.iter().zip(ends) {
            let first = u32::from(run.original);
            if run.kind != RunKind::Copied {
                through.push(run.at, before.original(first).0, run.kind);
                continue;
            }
            let behind = before.runs.partition_point(|run| run.at <= first);
            let starts = before.runs[behind..].iter().map(|run| run.at);
            for from in std::iter::once(first).chain(starts) {
                let at = run.at + (from - first);
                if at >= end {
                    break;
                }
                let copied = before.run(from).is_none_or(|run| run.kind == RunKind::Copied);
                through.push(at, before.original(from).0, if copied { RunKind::Copied } else { RunKind::Changed });
            }
        }
        through
    }

    fn run(&self, rewritten: u32) -> Option<MapRun> {
        let behind = self.runs.partition_point(|run| run.at <= rewritten);
        self.runs.get(behind.checked_sub(1)?).copied()
    }

    /// `unentered`: runs of instructions that are reached without an entry.
    pub(crate) fn new(
        code: &Code<'_>,
        edits: &Edits,
        layout: &Layout,
        unentered: &[Range<usize>],
        is_lazy: bool,
    ) -> Self {
        let unentered = unentered.iter().map(|run| layout.start(run.start)..layout.start(run.end)).collect();
        if let Some(runs) = layout.runs() {
            return Self { runs: runs.to_vec(), unentered, is_lazy };
        }
        let mut map = Self { runs: Vec::new(), unentered, is_lazy };
        if !edits.prologue.is_empty() {
            map.push(0, 0, RunKind::Inserted);
        }
        let mut edit = edits.list.iter().peekable();
        for number in 0..code.count() {
            map.place(code, layout, number, edit.next_if(|edit| edit.number == number));
        }
        map.push(layout.end(), code.bci(code.count() - 1) as u16, RunKind::Inserted);
        map
    }

    fn place(&mut self, code: &Code<'_>, layout: &Layout, number: usize, edit: Option<&Edit>) {
        let original = code.bci(number) as u16;
        let (start, here, end) = (layout.start(number), layout.here(number), layout.end_of(number));
        if start < here {
            self.push(start, original, RunKind::Inserted);
        }
        let kept = edit.is_none_or(|edit| edit.body == Body::Keep);
        let same_len = (end - here) as usize == code.length(number);
        if here < end {
            self.push(here, original, if kept && same_len { RunKind::Copied } else { RunKind::Changed });
        }
        if end < layout.start(number + 1) {
            self.push(end, original, RunKind::Inserted);
        }
    }

    fn push(&mut self, at: u32, original: u16, kind: RunKind) {
        push(&mut self.runs, at, original, kind);
    }
}

/// Adds a run behind the others, if it does not go on where the last stands.
pub(crate) fn push(runs: &mut Vec<MapRun>, at: u32, original: u16, kind: RunKind) {
    let goes_on = |last: &MapRun| {
        (last.kind, kind) == (RunKind::Copied, RunKind::Copied)
            && u32::from(original).wrapping_sub(u32::from(last.original)) == at - last.at
    };
    if !runs.last().is_some_and(goes_on) {
        runs.push(MapRun { at, original, kind });
    }
}

/// Bytecode index to source line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineTable {
    /// Ascending by index; entries of one index in the order of the file.
    entries: Vec<(u16, u16)>,
}

impl LineTable {
    /// The line of the instruction at `bci`: that of the entry there, else of the nearest entry
    /// before it.
    pub fn line(&self, bci: Bci) -> Option<u16> {
        self.line_from(self.entries.partition_point(|entry| entry.0 < bci.0), bci)
    }

    /// `first`: where the entries at `bci` and behind it begin.
    fn line_from(&self, first: usize, bci: Bci) -> Option<u16> {
        match self.entries.get(first) {
            // Of several entries at one place HotSpot takes the first for this place and the last
            // behind it.
            Some(entry) if entry.0 == bci.0 => Some(entry.1),
            _ => Some(self.entries.get(first.checked_sub(1)?)?.1),
        }
    }

    /// [`LineTable::line`] for ascending indices.
    pub(crate) fn ascending(&self) -> impl FnMut(Bci) -> Option<u16> {
        let mut first = 0;
        move |bci| {
            while self.entries.get(first).is_some_and(|entry| entry.0 < bci.0) {
                first += 1;
            }
            self.line_from(first, bci)
        }
    }

    /// The lines of code that `before` leads back to, where these are of code that was rewritten.
    pub(crate) fn through(&self, before: &BciMap) -> Self {
        Self { entries: self.entries.iter().map(|&(at, line)| (before.original(at.into()).0, line)).collect() }
    }

    /// A table of the entries that stand in this order in the file.
    pub fn new(mut entries: Vec<(u16, u16)>) -> Self {
        if !entries.is_sorted_by_key(|entry| entry.0) {
            entries.sort_by_key(|entry| entry.0);
        }
        Self { entries }
    }

    /// The table of a method.
    pub(crate) fn read(code: &Code<'_>) -> Result<Self, SkipReason> {
        Ok(Self::new(Self::entries(code)?))
    }

    /// Index and line of every entry of every LineNumberTable of a method, in the order of the
    /// file.
    pub(crate) fn entries(code: &Code<'_>) -> Result<Vec<(u16, u16)>, SkipReason> {
        let mut entries = Vec::new();
        for attribute in code.attributes().iter().filter(|attribute| attribute.contents == Contents::Lines) {
            let mut reader = Reader::within(code.class, attribute.body());
            let count = usize::from(reader.u2()?);
            let pairs = reader.take(4 * count)?.chunks_exact(4);
            entries.reserve_exact(count);
            entries.extend(pairs.map(|p| (u16::from_be_bytes([p[0], p[1]]), u16::from_be_bytes([p[2], p[3]]))));
        }
        Ok(entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_holds_until_the_next_entry() {
        let table = LineTable { entries: vec![(2, 10), (5, 11), (5, 12), (9, 13)] };
        let lines: Vec<_> = [0, 2, 4, 5, 6, 9, 100].iter().map(|bci| table.line(Bci(*bci))).collect();
        assert_eq!(lines, [None, Some(10), Some(10), Some(11), Some(12), Some(13), Some(13)]);
    }

    #[test]
    fn runs_answer_for_copied_changed_and_inserted_code() {
        let run = |at, original, kind| MapRun { at, original, kind };
        let map = BciMap {
            runs: vec![
                run(0, 0, RunKind::Inserted),
                run(20, 0, RunKind::Copied),
                run(25, 5, RunKind::Inserted),
                run(30, 5, RunKind::Changed),
            ],
            unentered: std::iter::once(20..23).collect(),
            is_lazy: false,
        };
        let answers: Vec<_> =
            [0, 19, 20, 24, 27, 31].iter().map(|at| (map.original(*at).0, map.is_inserted(*at))).collect();
        assert_eq!(answers, [(0, true), (0, true), (0, false), (4, false), (5, true), (5, false)]);
        // At 20 and 25 must begin an instruction, and the code must go on to 30. 18: two bytes
        // long.
        let code = |begins: [u8; 2]| [&[0; 19][..], &begins[..1], &[0; 4], &begins[1..], &[0; 8]].concat();
        assert_eq!([[0, 0], [0, 18], [18, 0]].map(|begins| map.fits(&code(begins))), [true, false, false]);
        assert!(!map.fits(&[0; 29]) && map.fits(&[0; 30]));
        assert_eq!(BciMap::default().original(7), Bci(7));
        // Before that something of three bytes had been put before index 3, and something in place
        // of what was at 4.
        let before = BciMap {
            runs: vec![
                run(0, 0, RunKind::Copied),
                run(3, 3, RunKind::Inserted),
                run(6, 3, RunKind::Copied),
                run(7, 4, RunKind::Changed),
            ],
            unentered: Vec::new(),
            is_lazy: false,
        };
        let both = map.through(&before);
        for at in 0..40 {
            assert_eq!(both.original(at), before.original(map.original(at).0.into()), "{at}");
            assert_eq!((both.is_inserted(at), both.has_word(at)), (map.is_inserted(at), map.has_word(at)), "{at}");
        }
        assert_eq!(map.through(&BciMap::default()), map);
        assert_eq!(
            [0, 20, 22, 23, 24, 25, 30].map(|at| map.has_word(at)),
            [false, false, false, true, true, false, true]
        );
    }
}
