//! The new code, written as it was laid out.
//!
//! Invariant: every instruction, edit and trampoline begins where the layout has it; what stays as
//! it was is copied.
//! Source: JVMS chapter 6 (switch padding, offsets of jumps).

use super::trampolines::{detour, reaches};
use super::{Body, Edits, Layout, for_each_change};
use crate::format::code::Code;
use crate::format::opcode::{self as op, *};

impl Layout {
    /// Writes the new code, without what goes behind it.
    pub(crate) fn emit(&self, code: &Code<'_>, edits: &Edits, out: &mut Vec<u8>) {
        out.reserve(self.end() as usize + 64);
        if !self.is_plain() {
            return self.emit_each(code, edits, out);
        }
        let begun = out.len();
        self.emit_prologue(edits, out);
        let mut copied = 0;
        for_each_change(code, edits, |number, edit, is_switch| {
            let bci = code.bci(number);
            out.extend_from_slice(&code.bytes[copied..bci]);
            if let Some(edit) = edit {
                out.extend_from_slice(&edits.bytes[edit.before.clone()]);
            }
            copied = code.bci(number + 1);
            match edit.map_or(&Body::Keep, |edit| &edit.body) {
                Body::Keep if is_switch => self.emit_kept(code, number, out),
                // It begins the next run.
                Body::Keep => copied = bci,
                Body::Bytes(range) => out.extend_from_slice(&edits.bytes[range.clone()]),
                Body::Exit => jump(out, GOTO, self.here(number), self.end(), false),
                Body::Fall => {}
            }
        });
        out.extend_from_slice(&code.bytes[copied..]);
        self.lead_jumps(code, &mut out[begun..]);
    }

    /// Lets the jumps, which were copied, lead to the new places. No edit stands in the place of
    /// one.
    fn lead_jumps(&self, code: &Code<'_>, new: &mut [u8]) {
        for jump in code.jumps() {
            let here = self.here(jump.from);
            let offset = self.start(jump.to).wrapping_sub(here);
            let place = here as usize;
            match new[place] {
                GOTO_W | JSR_W => new[place + 1..place + 5].copy_from_slice(&offset.to_be_bytes()),
                _ => new[place + 1..place + 3].copy_from_slice(&(offset as u16).to_be_bytes()),
            }
        }
    }

    /// [`Layout::emit`] with trampolines and long jumps.
    fn emit_each(&self, code: &Code<'_>, edits: &Edits, out: &mut Vec<u8>) {
        let begun = out.len();
        self.emit_prologue(edits, out);
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

    fn emit_prologue(&self, edits: &Edits, out: &mut Vec<u8>) {
        let begun = out.len();
        out.extend_from_slice(&edits.bytes[edits.prologue.clone()]);
        for &(at, to) in &edits.leaps {
            let offset = self.end() as usize + to - at;
            out[begun + at + 1..begun + at + 5].copy_from_slice(&(offset as u32).to_be_bytes());
        }
    }

    fn emit_kept(&self, code: &Code<'_>, number: usize, out: &mut Vec<u8>) {
        let bytes = code.instruction(number);
        let here = self.here(number);
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
                    let offset = self.start(target).wrapping_sub(here);
                    out[place..place + 4].copy_from_slice(&offset.to_be_bytes());
                }
            }
            opcode if crate::format::code::is_jump(opcode) => {
                let Ok(to) = code.jump_target(number) else { return };
                let target = match self.start(to) {
                    direct if !op::is_conditional(opcode) || reaches(here, direct) => direct,
                    direct => self.bridge(code, number, to).unwrap_or(direct),
                };
                jump(out, opcode, here, target, self.is_wide(number));
            }
            _ => out.extend_from_slice(bytes),
        }
    }
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
