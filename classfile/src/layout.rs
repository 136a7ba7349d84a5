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
    starts: Vec<u32>,
    heres: Vec<u32>,
    /// Where the instruction ends (a trampoline may follow before the next start).
    ends: Vec<u32>,
    wide: Vec<bool>,
    trampolines: Vec<Trampoline>,
}

impl Layout {
    /// Places everything. `may_host(k, to)`: may a trampoline to `to` stand behind instruction `k`?
    pub(crate) fn place(
        code: &Code<'_>,
        edits: &Edits,
        may_host: &dyn Fn(usize, usize) -> bool,
    ) -> Result<Self, SkipReason> {
        let count = code.count();
        let mut layout = Self {
            code_at: code.at,
            starts: vec![0; count + 1],
            heres: vec![0; count],
            ends: vec![0; count],
            wide: vec![false; count],
            trampolines: Vec::new(),
        };
        loop {
            layout.arrange(code, edits);
            let end = layout.starts[count];
            if end > MAX_CODE {
                return Err(SkipReason::MethodTooLarge { bytes: end });
            }
            if end <= i16::MAX as u32 || !layout.extend_reach(code, edits, may_host)? {
                return Ok(layout);
            }
        }
    }

    fn arrange(&mut self, code: &Code<'_>, edits: &Edits) {
        let mut at = edits.prologue.len() as u32;
        let mut edit = edits.list.iter().peekable();
        let mut tramp = self.trampolines.iter().peekable();
        for number in 0..code.count() {
            self.starts[number] = at;
            let edit = edit.next_if(|edit| edit.number == number);
            at += edit.map_or(0, |edit| edit.before.len() as u32);
            self.heres[number] = at;
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
        self.starts[code.count()] = at;
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
        let exits = exits.map(|edit| (edit.number, self.end() - self.heres[edit.number]));
        let far: Vec<_> = exits.filter(|exit| exit.1 > i16::MAX as u32).map(|exit| exit.0).collect();
        for jump in &code.jumps {
            let opcode = code.opcode(jump.from);
            if matches!(opcode, GOTO_W | JSR_W) || reaches(self.heres[jump.from], self.starts[jump.to]) {
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
        let at = self.heres[from];
        let falls = edits.list.last().filter(|edit| edit.body == Body::Fall).map(|edit| edit.number);
        let usable = |number: &usize| Some(*number) != falls && fits(*number);
        let near = |number: &usize| self.ends[*number].abs_diff(at) < NEAR;
        let ahead = (from..code.count()).take_while(near).find(usable);
        let back = (0..from).rev().take_while(near).find(usable);
        [ahead, back].into_iter().flatten().min_by_key(|number| self.ends[*number].abs_diff(at))
    }

    /// A trampoline to `to` that the jump at `from` reaches, and its place.
    fn bridge(&self, code: &Code<'_>, from: usize, to: usize) -> Option<u32> {
        let here = self.heres[from];
        let to_target = self.trampolines.iter().enumerate().filter(|tramp| tramp.1.to == to);
        to_target.map(|(index, _)| self.trampoline_at(code, index)).find(|at| reaches(here, *at))
    }

    /// The offset of the code in the class file, for errors.
    pub(crate) fn code_at(&self) -> usize {
        self.code_at
    }

    /// Where the code inserted before an instruction begins. The number behind the last gives [`Layout::end`].
    pub(crate) fn start(&self, number: usize) -> u32 {
        self.starts[number]
    }

    /// Where an instruction stands itself.
    pub(crate) fn here(&self, number: usize) -> u32 {
        self.heres[number]
    }

    /// How long what stands at an instruction is now.
    pub(crate) fn place_len(&self, number: usize) -> u32 {
        self.ends[number] - self.heres[number]
    }

    /// Where the code behind the last instruction goes.
    pub(crate) fn end(&self) -> u32 {
        self.starts[self.starts.len() - 1]
    }

    pub(crate) fn trampolines(&self) -> &[Trampoline] {
        &self.trampolines
    }

    /// The place of a trampoline, by its index.
    pub(crate) fn trampoline_at(&self, code: &Code<'_>, index: usize) -> u32 {
        let behind = self.trampolines[index].behind;
        let before = self.trampolines[..index].iter().rev().take_while(|tramp| tramp.behind == behind).count();
        self.ends[behind] + detour(code, behind) + before as u32 * TRAMPOLINE_LEN
    }

    /// The new code, without what goes behind it.
    pub(crate) fn emit(&self, code: &Code<'_>, edits: &Edits) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.end() as usize + 64);
        out.extend_from_slice(&edits.bytes[edits.prologue.clone()]);
        let mut edit = edits.list.iter().peekable();
        let mut tramp = self.trampolines.iter().peekable();
        for number in 0..code.count() {
            let edit = edit.next_if(|edit| edit.number == number);
            if let Some(edit) = edit {
                out.extend_from_slice(&edits.bytes[edit.before.clone()]);
            }
            match edit.map_or(&Body::Keep, |edit| &edit.body) {
                Body::Keep => self.emit_kept(code, number, &mut out),
                Body::Bytes(range) => out.extend_from_slice(&edits.bytes[range.clone()]),
                Body::Exit => jump(&mut out, GOTO, self.heres[number], self.end(), self.wide[number]),
                Body::Fall => {}
            }
            if tramp.peek().is_some_and(|tramp| tramp.behind == number) && detour(code, number) > 0 {
                jump(&mut out, GOTO, self.ends[number], self.starts[number + 1], false);
            }
            while let Some(tramp) = tramp.next_if(|tramp| tramp.behind == number) {
                let at = out.len() as u32;
                jump(&mut out, GOTO, at, self.starts[tramp.to], true);
            }
        }
        out
    }

    fn emit_kept(&self, code: &Code<'_>, number: usize, out: &mut Vec<u8>) {
        let bytes = code.instruction(number);
        let here = self.heres[number];
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
                    let offset = self.starts[target].wrapping_sub(here);
                    out[place..place + 4].copy_from_slice(&offset.to_be_bytes());
                }
            }
            opcode if crate::code::is_jump(opcode) => {
                let found = code.jumps.binary_search_by_key(&number, |jump| jump.from);
                let Some(to) = found.ok().map(|index| code.jumps[index].to) else { return };
                let target = match self.starts[to] {
                    direct if !op::is_conditional(opcode) || reaches(here, direct) => direct,
                    direct => self.bridge(code, number, to).unwrap_or(direct),
                };
                jump(out, opcode, here, target, self.wide[number]);
            }
            _ => out.extend_from_slice(bytes),
        }
    }
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
