//! Jumps that reach no longer: `goto` and `jsr` widen; a conditional jump goes over a *trampoline*,
//! a `goto_w` near it that takes over its target's frame.
//!
//! Invariant: trampolines stand behind an unconditional transfer, or between an instruction and the
//! frame behind it, where a `goto` leads round them: there are never types to invent.
//! Source: JVMS 4.7.4 (frames), chapter 6 (`goto_w`, `jsr_w`).

use super::{Body, Edits, Layout};
use crate::SkipReason;
use crate::format::code::Code;
use crate::format::opcode::{self as op, *};

/// A `goto_w` that lends its reach to conditional jumps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Trampoline {
    /// The instruction behind which it stands.
    pub(super) behind: usize,
    pub(crate) to: usize,
}

pub(super) const TRAMPOLINE_LEN: u32 = 5;
/// The `goto` round the trampolines behind an instruction that control passes.
const DETOUR_LEN: u32 = 3;
/// Trampolines farther away are not thought of: what grows in between would soon put them out of
/// reach.
const NEAR: u32 = 32_000;

impl Layout {
    /// Widens or bridges what does not reach; true if the layout must be made again.
    pub(super) fn extend_reach(
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
            if matches!(opcode, GOTO_W | JSR_W) || reaches(self.here(jump.from), self.start(jump.to)) {
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
        let at = self.here(from);
        let falls = edits.list.last().filter(|edit| edit.body == Body::Fall).map(|edit| edit.number);
        let usable = |number: &usize| Some(*number) != falls && fits(*number);
        let near = |number: &usize| self.end_of(*number).abs_diff(at) < NEAR;
        let ahead = (from..code.count()).take_while(near).find(usable);
        let back = (0..from).rev().take_while(near).find(usable);
        [ahead, back].into_iter().flatten().min_by_key(|number| self.end_of(*number).abs_diff(at))
    }

    /// A trampoline to `to` that the jump at `from` reaches, and its place.
    pub(super) fn bridge(&self, code: &Code<'_>, from: usize, to: usize) -> Option<u32> {
        let here = self.here(from);
        let to_target = self.trampolines.iter().enumerate().filter(|tramp| tramp.1.to == to);
        to_target.map(|(index, _)| self.trampoline_at(code, index)).find(|at| reaches(here, *at))
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
}

/// Bytes of the `goto` round trampolines behind an instruction.
pub(super) fn detour(code: &Code<'_>, number: usize) -> u32 {
    if op::ends_flow(code.opcode(number)) { 0 } else { DETOUR_LEN }
}

pub(super) fn reaches(from: u32, to: u32) -> bool {
    i16::try_from(i64::from(to) - i64::from(from)).is_ok()
}
