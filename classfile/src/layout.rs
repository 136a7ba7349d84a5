//! Where every instruction goes: insertions, replaced instructions, widened jumps, switch padding.
//!
//! An instruction has two new places: `start`, where the code inserted before it begins (jumps, ranges and lines lead
//! there), and `here`, where it stands itself (`Uninitialized` types and annotations mean that).
//! Invariant: every jump reaches. `goto` and `jsr` widen; a conditional jump goes over a *trampoline*, a `goto_w` near it
//! that takes over its target's frame. Trampolines stand behind an unconditional transfer, or between an instruction
//! and the frame behind it, where a `goto` leads round them: there are never types to invent.
//! Source: JVMS 4.7.3, 4.9.1 (offsets), chapter 6 (`goto_w`, `jsr_w`, switch padding).

use crate::SkipReason;
use crate::code::Code;
use crate::opcode::{self as op, *};
use std::ops::Range;

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
    pub(crate) list: Vec<Edit>,
}

/// A `goto_w` that lends its reach to conditional jumps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Trampoline {
    /// The instruction behind which it stands.
    behind: usize,
    pub(crate) to: usize,
}

const TRAMPOLINE_LEN: u32 = 5;
/// The `goto` round the trampolines behind an instruction that control passes.
const DETOUR_LEN: u32 = 3;
/// Trampolines farther away are not thought of: what grows in between would soon put them out of reach.
const NEAR: u32 = 32_000;
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
        let Places { starts, heres } = &mut self.places;
        let old = code.starts();
        starts.clear();
        heres.clear();
        let mut moved = edits.prologue.len() as u32;
        for (number, edit) in changes(code, edits) {
            let run = old[starts.len()..=number].iter().map(|start| start.wrapping_add(moved));
            starts.extend(run.clone());
            heres.extend(run);
            let before = edit.map_or(0, |edit| edit.before.len() as u32);
            let here = starts[number] + before;
            heres[number] = here;
            let bci = code.bci(number);
            let padding = |at: usize| (op::aligned(at) - at) as u32;
            let len = code.length(number) as u32;
            let new = match edit.map_or(&Body::Keep, |edit| &edit.body) {
                Body::Keep if op::kind(code.opcode(number)) & op::SWITCH != 0 => {
                    len - padding(bci) + padding(here as usize)
                }
                Body::Keep => len,
                Body::Bytes(range) => range.len() as u32,
                Body::Exit => 3,
                Body::Fall => 0,
            };
            moved = (here + new).wrapping_sub(old[number + 1]);
        }
        let run = old[starts.len()..].iter().map(|start| start.wrapping_add(moved));
        starts.extend(run.clone());
        heres.extend(run);
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

    /// Widens or bridges what does not reach; true if the layout must be made again.
    fn extend_reach(
        &mut self,
        code: &Code<'_>,
        edits: &Edits,
        may_host: &dyn Fn(usize, usize) -> bool,
    ) -> Result<bool, SkipReason> {
        let mut changed = false;
        let exits = edits.list.iter().filter(|edit| edit.body == Body::Exit);
        let exits = exits.map(|edit| (edit.number, self.end() - self.here(edit.number)));
        let far: Vec<_> = exits.filter(|exit| exit.1 > i16::MAX as u32).map(|exit| exit.0).collect();
        for jump in code.jumps() {
            let opcode = code.opcode(jump.from);
            if matches!(opcode, GOTO_W | JSR_W) || reaches(self.places.heres[jump.from], self.places.starts[jump.to]) {
                continue;
            }
            if !op::is_conditional(opcode) {
                changed |= !std::mem::replace(&mut self.wide[jump.from], true);
            } else if self.bridge(code, jump.from, jump.to).is_none() {
                let behind = self.host(code, edits, jump.from, |number| may_host(number, jump.to));
                let behind = behind.ok_or(SkipReason::JumpOverflow { bci: code.bci(jump.from) as u16 })?;
                let place = self.trampolines.partition_point(|tramp| tramp.behind <= behind);
                self.trampolines.insert(place, Trampoline { behind, to: jump.to });
                changed = true;
            }
        }
        for number in far {
            changed |= !std::mem::replace(&mut self.wide[number], true);
        }
        Ok(changed)
    }

    /// The nearest instruction behind which a trampoline may stand.
    fn host(&self, code: &Code<'_>, edits: &Edits, from: usize, fits: impl Fn(usize) -> bool) -> Option<usize> {
        let at = self.places.heres[from];
        let falls = edits.list.last().filter(|edit| edit.body == Body::Fall).map(|edit| edit.number);
        let usable = |number: &usize| Some(*number) != falls && fits(*number);
        let near = |number: &usize| self.end_of(*number).abs_diff(at) < NEAR;
        let ahead = (from..code.count()).take_while(near).find(usable);
        let back = (0..from).rev().take_while(near).find(usable);
        [ahead, back].into_iter().flatten().min_by_key(|number| self.end_of(*number).abs_diff(at))
    }

    /// A trampoline to `to` that the jump at `from` reaches, and its place.
    fn bridge(&self, code: &Code<'_>, from: usize, to: usize) -> Option<u32> {
        let here = self.places.heres[from];
        let to_target = self.trampolines.iter().enumerate().filter(|tramp| tramp.1.to == to);
        to_target.map(|(index, _)| self.trampoline_at(code, index)).find(|at| reaches(here, *at))
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

    /// How long what stands at an instruction is now.
    pub(crate) fn place_len(&self, number: usize) -> u32 {
        self.end_of(number) - self.here(number)
    }

    fn end_of(&self, number: usize) -> u32 {
        self.ends.get(number).copied().unwrap_or_else(|| self.start(number + 1))
    }

    fn is_wide(&self, number: usize) -> bool {
        self.wide.get(number) == Some(&true)
    }

    /// Where the code behind the last instruction goes.
    pub(crate) fn end(&self) -> u32 {
        self.places.starts[self.places.starts.len() - 1]
    }

    pub(crate) fn trampolines(&self) -> &[Trampoline] {
        &self.trampolines
    }

    /// The place of a trampoline, by its index.
    pub(crate) fn trampoline_at(&self, code: &Code<'_>, index: usize) -> u32 {
        let behind = self.trampolines[index].behind;
        let before = self.trampolines[..index].iter().rev().take_while(|tramp| tramp.behind == behind).count();
        self.end_of(behind) + detour(code, behind) + before as u32 * TRAMPOLINE_LEN
    }

    /// Writes the new code, without what goes behind it.
    pub(crate) fn emit(&self, code: &Code<'_>, edits: &Edits, out: &mut Vec<u8>) {
        out.reserve(self.end() as usize + 64);
        if !self.is_plain() {
            return self.emit_each(code, edits, out);
        }
        out.extend_from_slice(&edits.bytes[edits.prologue.clone()]);
        let mut copied = 0;
        let mut edit = edits.list.iter().peekable();
        let mut transfers = code.transfers().iter().map(|number| *number as usize).peekable();
        loop {
            // A jump or switch that is no edit, or an edit, whichever comes first.
            let next = edit.peek().map_or(usize::MAX, |edit| edit.number);
            let transfer = transfers.next_if(|number| *number <= next);
            let Some(number) = transfer.or((next < usize::MAX).then_some(next)) else { break };
            let bci = code.bci(number);
            out.extend_from_slice(&code.bytes[copied..bci]);
            let edit = edit.next_if(|edit| edit.number == number);
            if let Some(edit) = edit {
                out.extend_from_slice(&edits.bytes[edit.before.clone()]);
            }
            copied = code.bci(number + 1);
            match edit.map_or(&Body::Keep, |edit| &edit.body) {
                Body::Keep if transfer.is_some() => self.emit_kept(code, number, out),
                // It begins the next run.
                Body::Keep => copied = bci,
                Body::Bytes(range) => out.extend_from_slice(&edits.bytes[range.clone()]),
                Body::Exit => jump(out, GOTO, self.here(number), self.end(), false),
                Body::Fall => {}
            }
        }
        out.extend_from_slice(&code.bytes[copied..]);
    }

    /// [`Layout::emit`] with trampolines and long jumps.
    fn emit_each(&self, code: &Code<'_>, edits: &Edits, out: &mut Vec<u8>) {
        let begun = out.len();
        out.extend_from_slice(&edits.bytes[edits.prologue.clone()]);
        let mut edit = edits.list.iter().peekable();
        let mut tramp = self.trampolines.iter().peekable();
        for number in 0..code.count() {
            let edit = edit.next_if(|edit| edit.number == number);
            if let Some(edit) = edit {
                out.extend_from_slice(&edits.bytes[edit.before.clone()]);
            }
            match edit.map_or(&Body::Keep, |edit| &edit.body) {
                Body::Keep => self.emit_kept(code, number, out),
                Body::Bytes(range) => out.extend_from_slice(&edits.bytes[range.clone()]),
                Body::Exit => jump(out, GOTO, self.here(number), self.end(), self.is_wide(number)),
                Body::Fall => {}
            }
            if tramp.peek().is_some_and(|tramp| tramp.behind == number) && detour(code, number) > 0 {
                jump(out, GOTO, self.end_of(number), self.start(number + 1), false);
            }
            while let Some(tramp) = tramp.next_if(|tramp| tramp.behind == number) {
                let at = (out.len() - begun) as u32;
                jump(out, GOTO, at, self.start(tramp.to), true);
            }
        }
    }

    fn emit_kept(&self, code: &Code<'_>, number: usize, out: &mut Vec<u8>) {
        let bytes = code.instruction(number);
        let here = self.places.heres[number];
        match bytes[0] {
            TABLESWITCH | LOOKUPSWITCH => {
                let bci = code.bci(number);
                let operands = op::aligned(bci) - bci;
                let padding = op::aligned(here as usize) - here as usize - 1;
                out.push(bytes[0]);
                // Old padding stays as far as it goes: before version 51 the verifier looks at it.
                out.extend((0..padding).map(|at| bytes[1..operands].get(at).copied().unwrap_or(0)));
                let base = out.len();
                out.extend_from_slice(&bytes[operands..]);
                for at in code.switch_offsets(number) {
                    let target = code.switch_target(number, at).unwrap_or(number);
                    let place = base + at - bci - operands;
                    let offset = self.places.starts[target].wrapping_sub(here);
                    out[place..place + 4].copy_from_slice(&offset.to_be_bytes());
                }
            }
            opcode if crate::code::is_jump(opcode) => {
                let Ok(to) = code.jump_target(number) else { return };
                let target = match self.places.starts[to] {
                    direct if !op::is_conditional(opcode) || reaches(here, direct) => direct,
                    direct => self.bridge(code, number, to).unwrap_or(direct),
                };
                jump(out, opcode, here, target, self.is_wide(number));
            }
            _ => out.extend_from_slice(bytes),
        }
    }
}

/// The edits and the switches, which are padded anew, by ascending instruction.
pub(crate) fn changes<'e>(code: &Code<'_>, edits: &'e Edits) -> impl Iterator<Item = (usize, Option<&'e Edit>)> {
    let mut edit = edits.list.iter().peekable();
    let is_switch = |number: &usize| op::kind(code.opcode(*number)) & op::SWITCH != 0;
    let mut switches = code.transfers().iter().map(|number| *number as usize).filter(is_switch).peekable();
    std::iter::from_fn(move || {
        let next = edit.peek().map_or(usize::MAX, |edit| edit.number);
        let switch = switches.next_if(|number| *number <= next);
        let number = switch.or((next < usize::MAX).then_some(next))?;
        Some((number, edit.next_if(|edit| edit.number == number)))
    })
}

/// Bytes of the `goto` round trampolines behind an instruction.
fn detour(code: &Code<'_>, number: usize) -> u32 {
    if op::ends_flow(code.opcode(number)) { 0 } else { DETOUR_LEN }
}

fn reaches(from: u32, to: u32) -> bool {
    i16::try_from(i64::from(to) - i64::from(from)).is_ok()
}

/// Writes a jump; `wide` asks for the long form of `goto` and `jsr`.
fn jump(out: &mut Vec<u8>, opcode: u8, from: u32, to: u32, wide: bool) {
    let offset = to.wrapping_sub(from);
    match opcode {
        GOTO | JSR if wide => {
            out.push(opcode + (GOTO_W - GOTO));
            out.extend_from_slice(&offset.to_be_bytes());
        }
        GOTO_W | JSR_W => {
            out.push(opcode);
            out.extend_from_slice(&offset.to_be_bytes());
        }
        _ => {
            out.push(opcode);
            out.extend_from_slice(&(offset as u16).to_be_bytes());
        }
    }
}
