//! Where every instruction goes: insertions, replaced instructions, widened jumps, switch padding.
//!
//! An instruction has two new places: `start`, where the code inserted before it begins (jumps,
//! ranges and lines lead there), and `here`, where it stands itself (`Uninitialized` types and
//! annotations mean that).
//! Invariant: instructions keep their order, and every jump reaches.
//! Source: JVMS 4.7.3, 4.9.1 (offsets), chapter 6 (switch padding).

mod emission;
mod trampolines;

use crate::SkipReason;
use crate::bci_map::maps::{self, MapRun, RunKind};
use crate::bci_map::opcode_hash::Weight;
use crate::format::code::Code;
use crate::format::opcode::{self as op, *};
use std::ops::Range;
use trampolines::{TRAMPOLINE_LEN, Trampoline, detour};

/// What stands where an instruction stood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    /// The instruction.
    Keep,
    /// Other bytes, in [`Edits::bytes`].
    Bytes(Range<usize>),
    /// A jump behind the last instruction.
    Exit,
    /// Nothing: the last instruction, whose work the code behind it does.
    Fall,
}

/// One change at one instruction.
pub(crate) struct Edit {
    pub(crate) number: usize,
    /// Code inserted before it, in [`Edits::bytes`].
    pub(crate) before: Range<usize>,
    pub(crate) body: Body,
}

/// All changes of a method, by ascending instruction.
#[derive(Default)]
pub(crate) struct Edits {
    pub(crate) bytes: Vec<u8>,
    pub(crate) prologue: Range<usize>,
    /// Long jumps out of the prologue: where each stands there, and where it leads to, counted from
    /// the end of the method's own code.
    pub(crate) leaps: Vec<(usize, usize)>,
    pub(crate) list: Vec<Edit>,
}

impl Edits {
    /// Does the code stay as it is?
    pub(crate) fn is_empty(&self) -> bool {
        self.prologue.is_empty() && self.list.is_empty()
    }

    /// What the code weighs where this, which was written, comes into it, and nothing is widened or
    /// bridged.
    pub(crate) fn weight(&self, code: &Code<'_>, written: Weight) -> Weight {
        self.list.iter().fold(code.weight() + written, |weight, edit| match edit.body {
            Body::Keep => weight,
            Body::Bytes(_) | Body::Fall => weight - Weight::of(code.opcode(edit.number)),
            Body::Exit => weight - Weight::of(code.opcode(edit.number)) + Weight::of(GOTO),
        })
    }
}

const MAX_CODE: u32 = 65535;

/// The new places of a method's instructions.
pub(crate) struct Layout {
    code_at: usize,
    places: Places,
    /// Where the instruction ends; empty where that is the next start, for no trampoline follows
    /// any.
    ends: Vec<u32>,
    /// Which `goto` and `jsr` have the long form; empty if none has.
    wide: Vec<bool>,
    trampolines: Vec<Trampoline>,
}

/// The places of each instruction, and of the end, and what is where then; handed from method to
/// method.
#[derive(Default)]
pub(crate) struct Places {
    list: Vec<LaidOut>,
    runs: Vec<MapRun>,
}

/// The two places of an instruction.
#[derive(Clone, Copy, Default)]
pub(crate) struct LaidOut {
    start: u32,
    here: u32,
}

/// A run that moves as a whole.
fn shift(places: &mut [LaidOut], old: &[u32], run: Range<usize>, moved: u32) {
    for (place, old) in places[run.clone()].iter_mut().zip(&old[run]) {
        let at = old.wrapping_add(moved);
        *place = LaidOut { start: at, here: at };
    }
}

impl Layout {
    /// Places everything. `may_host(k, to)`: may a trampoline to `to` stand behind instruction `k`?
    pub(crate) fn place(
        code: &Code<'_>,
        edits: &Edits,
        places: Places,
        may_host: &dyn Fn(usize, usize) -> bool,
    ) -> Result<Self, SkipReason> {
        let count = code.count();
        let mut layout = Self { code_at: code.at, places, ends: Vec::new(), wide: Vec::new(), trampolines: Vec::new() };
        layout.arrange_plain(code, edits);
        loop {
            let end = layout.end();
            if end > MAX_CODE {
                return Err(SkipReason::MethodTooLarge { bytes: end });
            }
            if end <= i16::MAX as u32 {
                return Ok(layout);
            }
            if layout.is_plain() {
                layout.wide = vec![false; count];
                layout.ends = vec![0; count];
                layout.arrange(code, edits);
            }
            if !layout.extend_reach(code, edits, may_host)? {
                return Ok(layout);
            }
            layout.arrange(code, edits);
        }
    }

    /// Gives a buffer back, to be filled again.
    pub(crate) fn into_places(self) -> Places {
        self.places
    }

    /// Has every instruction that is kept its own form, but for the padding of switches?
    pub(crate) fn is_plain(&self) -> bool {
        self.ends.is_empty()
    }

    /// What is where, for [`BciMap`](crate::BciMap); `None` where something is widened or bridged.
    pub(crate) fn runs(&self) -> Option<&[MapRun]> {
        self.is_plain().then_some(self.places.runs.as_slice())
    }

    /// [`Layout::arrange`] where nothing is widened or bridged: from one change to the next all
    /// moves alike.
    fn arrange_plain(&mut self, code: &Code<'_>, edits: &Edits) {
        let old = code.starts();
        let Places { list, runs } = &mut self.places;
        list.resize(old.len(), LaidOut::default());
        let places = list.as_mut_slice();
        runs.clear();
        if !edits.prologue.is_empty() {
            maps::push(runs, 0, 0, RunKind::Inserted);
        }
        let mut moved = edits.prologue.len() as u32;
        let mut next = 0;
        for_each_change(code, edits, |number, edit, is_switch| {
            if next < number {
                maps::push(runs, old[next].wrapping_add(moved), old[next] as u16, RunKind::Copied);
            }
            shift(places, old, next..number + 1, moved);
            next = number + 1;
            let LaidOut { start, here } = &mut places[number];
            if let Some(edit) = edit.filter(|edit| !edit.before.is_empty()) {
                *here += edit.before.len() as u32;
                maps::push(runs, *start, old[number] as u16, RunKind::Inserted);
            }
            let here = *here;
            let len = old[next] - old[number];
            let new = match edit.map_or(&Body::Keep, |edit| &edit.body) {
                Body::Keep if is_switch => {
                    let padding = |at: u32| op::aligned(at as usize) as u32 - at;
                    len - padding(old[number]) + padding(here)
                }
                Body::Keep => len,
                Body::Bytes(range) => range.len() as u32,
                Body::Exit => 3,
                Body::Fall => 0,
            };
            if new > 0 {
                let copied = new == len && edit.is_none_or(|edit| edit.body == Body::Keep);
                maps::push(runs, here, old[number] as u16, if copied { RunKind::Copied } else { RunKind::Changed });
            }
            moved = (here + new).wrapping_sub(old[next]);
        });
        shift(places, old, next..old.len(), moved);
        if next < code.count() {
            maps::push(runs, places[next].start, old[next] as u16, RunKind::Copied);
        }
        maps::push(runs, places[code.count()].start, old[code.count() - 1] as u16, RunKind::Inserted);
    }

    fn arrange(&mut self, code: &Code<'_>, edits: &Edits) {
        let mut at = edits.prologue.len() as u32;
        let mut edit = edits.list.iter().peekable();
        let mut tramp = self.trampolines.iter().peekable();
        for number in 0..code.count() {
            self.places.list[number].start = at;
            let edit = edit.next_if(|edit| edit.number == number);
            at += edit.map_or(0, |edit| edit.before.len() as u32);
            self.places.list[number].here = at;
            at += match edit.map_or(&Body::Keep, |edit| &edit.body) {
                Body::Keep => match code.opcode(number) {
                    GOTO | JSR if self.wide[number] => 5,
                    TABLESWITCH | LOOKUPSWITCH => {
                        let bci = code.bci(number);
                        let padding = (op::aligned(bci) - bci) as u32;
                        code.length(number) as u32 - padding + (op::aligned(at as usize) as u32 - at)
                    }
                    _ => code.length(number) as u32,
                },
                Body::Bytes(range) => range.len() as u32,
                Body::Exit => {
                    if self.wide[number] {
                        5
                    } else {
                        3
                    }
                }
                Body::Fall => 0,
            };
            self.ends[number] = at;
            if tramp.peek().is_some_and(|tramp| tramp.behind == number) {
                at += detour(code, number);
            }
            while tramp.next_if(|tramp| tramp.behind == number).is_some() {
                at += TRAMPOLINE_LEN;
            }
        }
        self.places.list[code.count()].start = at;
    }

    /// The offset of the code in the class file, for errors.
    pub(crate) fn code_at(&self) -> usize {
        self.code_at
    }

    /// Where the code inserted before an instruction begins. The number behind the last gives
    /// [`Layout::end`].
    pub(crate) fn start(&self, number: usize) -> u32 {
        self.places.list[number].start
    }

    /// Where an instruction stands itself.
    pub(crate) fn here(&self, number: usize) -> u32 {
        self.places.list[number].here
    }

    /// Where what stands at an instruction now ends.
    pub(crate) fn end_of(&self, number: usize) -> u32 {
        self.ends.get(number).copied().unwrap_or_else(|| self.start(number + 1))
    }

    fn is_wide(&self, number: usize) -> bool {
        self.wide.get(number) == Some(&true)
    }

    /// Where the code behind the last instruction goes.
    pub(crate) fn end(&self) -> u32 {
        self.places.list[self.places.list.len() - 1].start
    }
}

/// Goes through the edits and the switches (true), which are padded anew, by ascending instruction.
pub(crate) fn for_each_change<'e>(
    code: &Code<'_>,
    edits: &'e Edits,
    mut change: impl FnMut(usize, Option<&'e Edit>, bool),
) {
    let mut switches = code.switches();
    for edit in &edits.list {
        let mut is_switch = false;
        while let Some((&switch, rest)) = switches.split_first().filter(|next| *next.0 as usize <= edit.number) {
            is_switch = switch as usize == edit.number;
            if !is_switch {
                change(switch as usize, None, true);
            }
            switches = rest;
        }
        change(edit.number, Some(edit), is_switch);
    }
    for &switch in switches {
        change(switch as usize, None, true);
    }
}
