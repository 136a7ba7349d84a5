//! Where every instruction goes: insertions, replaced instructions, widened jumps, switch padding.
//!
//! An instruction has two new places: `start`, where the code inserted before it begins (jumps, ranges and lines lead
//! there), and `here`, where it stands itself (`Uninitialized` types and annotations mean that).
//! Invariant: instructions keep their order, and every jump reaches.
//! Source: JVMS 4.7.3, 4.9.1 (offsets), chapter 6 (switch padding).

mod emission;
mod trampolines;

use crate::SkipReason;
use crate::code::Code;
use crate::opcode::{self as op, *};
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
    /// Long jumps out of the prologue: where each stands there, and where it leads to, counted from the end of the method's own code.
    pub(crate) leaps: Vec<(usize, usize)>,
    pub(crate) list: Vec<Edit>,
}

const MAX_CODE: u32 = 65535;

/// The new places of a method's instructions.
pub(crate) struct Layout {
    code_at: usize,
    places: Places,
    /// Where the instruction ends; empty where that is the next start, for no trampoline follows any.
    ends: Vec<u32>,
    /// Which `goto` and `jsr` have the long form; empty if none has.
    wide: Vec<bool>,
    trampolines: Vec<Trampoline>,
}

/// The two places of each instruction; handed from method to method.
#[derive(Default)]
pub(crate) struct Places {
    starts: Vec<u32>,
    heres: Vec<u32>,
}

impl Places {
    /// Makes room for so many.
    fn resize(&mut self, count: usize) {
        self.starts.resize(count, 0);
        self.heres.resize(count, 0);
    }

    /// Both places of a run that moves as a whole.
    fn shift(&mut self, old: &[u32], run: Range<usize>, moved: u32) {
        let new = self.starts[run.clone()].iter_mut().zip(&mut self.heres[run.clone()]);
        for ((start, here), old) in new.zip(&old[run]) {
            (*start, *here) = (old.wrapping_add(moved), old.wrapping_add(moved));
        }
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

    /// [`Layout::arrange`] where nothing is widened or bridged: from one change to the next all moves alike.
    fn arrange_plain(&mut self, code: &Code<'_>, edits: &Edits) {
        let old = code.starts();
        self.places.resize(old.len());
        let mut moved = edits.prologue.len() as u32;
        let mut next = 0;
        for (number, edit) in changes(code, edits) {
            self.places.shift(old, next..number + 1, moved);
            next = number + 1;
            let here = self.places.heres[number] + edit.map_or(0, |edit| edit.before.len() as u32);
            self.places.heres[number] = here;
            let len = old[next] - old[number];
            let new = match edit.map_or(&Body::Keep, |edit| &edit.body) {
                Body::Keep if op::kind(code.opcode(number)) & op::SWITCH != 0 => {
                    let padding = |at: u32| op::aligned(at as usize) as u32 - at;
                    len - padding(old[number]) + padding(here)
                }
                Body::Keep => len,
                Body::Bytes(range) => range.len() as u32,
                Body::Exit => 3,
                Body::Fall => 0,
            };
            moved = (here + new).wrapping_sub(old[next]);
        }
        self.places.shift(old, next..old.len(), moved);
    }

    fn arrange(&mut self, code: &Code<'_>, edits: &Edits) {
        let mut at = edits.prologue.len() as u32;
        let mut edit = edits.list.iter().peekable();
        let mut tramp = self.trampolines.iter().peekable();
        for number in 0..code.count() {
            self.places.starts[number] = at;
            let edit = edit.next_if(|edit| edit.number == number);
            at += edit.map_or(0, |edit| edit.before.len() as u32);
            self.places.heres[number] = at;
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
        self.places.starts[code.count()] = at;
    }

    /// The offset of the code in the class file, for errors.
    pub(crate) fn code_at(&self) -> usize {
        self.code_at
    }

    /// Where the code inserted before an instruction begins. The number behind the last gives [`Layout::end`].
    pub(crate) fn start(&self, number: usize) -> u32 {
        self.places.starts[number]
    }

    /// Where an instruction stands itself.
    pub(crate) fn here(&self, number: usize) -> u32 {
        self.places.heres[number]
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
        self.places.starts[self.places.starts.len() - 1]
    }
}

/// The edits and the switches, which are padded anew, by ascending instruction.
pub(crate) fn changes<'e>(code: &Code<'_>, edits: &'e Edits) -> impl Iterator<Item = (usize, Option<&'e Edit>)> {
    let mut edit = edits.list.iter().peekable();
    let mut switches = code.switches().iter().map(|number| *number as usize).peekable();
    std::iter::from_fn(move || {
        let next = edit.peek().map_or(usize::MAX, |edit| edit.number);
        let switch = switches.next_if(|number| *number <= next);
        let number = switch.or((next < usize::MAX).then_some(next))?;
        Some((number, edit.next_if(|edit| edit.number == number)))
    })
}
