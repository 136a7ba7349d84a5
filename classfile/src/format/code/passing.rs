//! The depth of the operand stack, as a scan sees it that passes each instruction once.
//!
//! Invariant: the depths that [`crate::analyze::depth`] finds, or none. They are known where each
//! instruction is reached from those before it: from the one before it, by a jump ahead, or as the
//! handler of what begins before it; and where nothing is wrong. The scan looks afterwards whether
//! all jumps agree.
//! Source: JVMS 4.10.2, cut down to depths.

use crate::analyze::depth::UNREACHED;
use crate::analyze::depth::{self, STEPS};
use crate::format::member_refs::MemberRefs;
use crate::format::opcode::{self as op, *};

/// The scan's view of the stack.
pub(super) struct Passing<'p, 'm, 'a> {
    /// Nobody, once there is something that a single look is not enough for.
    members: Option<&'p mut MemberRefs<'m, 'a>>,
    depth: i32,
    /// The greatest depth that is taken.
    most: i32,
    /// Negative if something is.
    wrong: i32,
    /// Has the code ended where no control goes on?
    closed: bool,
    /// By bytecode index: one more than the depth with which control comes there from before, or 0.
    marks: &'p mut Vec<u16>,
}

impl<'p, 'm, 'a> Passing<'p, 'm, 'a> {
    /// At the start of code of so many bytes, whose handlers begin at `handlers`.
    pub(super) fn new(
        members: Option<&'p mut MemberRefs<'m, 'a>>,
        max_stack: u16,
        len: usize,
        handlers: impl Iterator<Item = u16>,
        marks: &'p mut Vec<u16>,
    ) -> Self {
        marks.clear();
        marks.resize(len, 0);
        for handler in handlers {
            marks.get_mut(usize::from(handler)).into_iter().for_each(|mark| *mark = 2);
        }
        Self { members, depth: 0, most: max_stack.min(UNREACHED - 1).into(), wrong: 0, closed: false, marks }
    }

    /// Passes an instruction that lies whole within the code, with these two bytes behind its
    /// opcode; gives the depth before it.
    #[inline]
    pub(super) fn pass(&mut self, bytes: &[u8], bci: usize, behind: u16) -> u16 {
        let Some(members) = &mut self.members else { return 0 };
        let before = self.depth;
        let step = STEPS[usize::from(bytes[bci])];
        // As in the analysis: most are taken for such as name a member that is nothing.
        let member = members.effect(step.operand(behind));
        let (popped, pushed) = match member.filter(|member| step.fits(*member)) {
            Some(member) => step.slots(member),
            None => self.ask(member.is_some(), &bytes[bci..]),
        };
        let left = before - popped as i32;
        self.wrong |= left | (self.most - before);
        self.depth = left + pushed as i32;
        before as u16
    }

    /// `exists`: has the pool what it names?
    #[cold]
    fn ask(&mut self, exists: bool, instruction: &[u8]) -> (usize, usize) {
        let effect =
            self.members.as_mut().filter(|_| exists).and_then(|members| depth::effect(instruction, members).ok());
        if effect.is_none() || instruction[0] == WIDE && instruction[1] == RET {
            self.give_up();
        }
        effect.unwrap_or_default()
    }

    fn give_up(&mut self) {
        self.members = None;
    }

    /// Leads control away from the jump, switch or end at `bci`, which has been passed; the next
    /// instruction begins at `end`.
    pub(super) fn leave(&mut self, bytes: &[u8], bci: usize, end: usize) {
        if self.members.is_none() {
            return;
        }
        let opcode = bytes[bci];
        match opcode {
            // What is left behind must be cleared.
            IRETURN..=RETURN if self.depth != 0 => self.give_up(),
            JSR | JSR_W | RET => self.give_up(),
            TABLESWITCH | LOOKUPSWITCH => {
                for at in op::switch_offsets(opcode, bci, end) {
                    self.mark(bci, op::i4(bytes, at).unwrap_or(0));
                }
            }
            _ if op::kind(opcode) & op::JUMP != 0 => self.mark(bci, op::jump_offset(bytes, bci)),
            _ => {}
        }
        if op::ends_flow(opcode) {
            match self.marks.get(end) {
                None => self.closed = true,
                Some(0) => self.give_up(),
                Some(mark) => self.depth = i32::from(*mark) - 1,
            }
        }
    }

    /// Control may come from `bci` to what is so far away.
    fn mark(&mut self, bci: usize, offset: i32) {
        let target = usize::try_from(bci as i64 + i64::from(offset)).ok();
        if let Some(mark) = target.and_then(|target| self.marks.get_mut(target)) {
            *mark = (self.depth + 1) as u16;
        }
    }

    /// Are all depths known, if the jumps agree?
    pub(super) fn is_sure(&self) -> bool {
        self.members.is_some() && self.wrong >= 0 && self.closed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::class::ClassFile;
    use crate::format::code::Code;
    use crate::format::member_refs::{MemberRefBuffers, MemberRefs};

    /// Of how many of the methods that are `wanted`, by their number, the depths are known, each
    /// the same as the analysis finds.
    fn known(bytes: &[u8], wanted: impl Fn(usize) -> bool) -> usize {
        let Ok(class) = ClassFile::read(bytes) else { return 0 };
        let mut members = MemberRefs::new(&class, MemberRefBuffers::default());
        let mut known = 0;
        let methods = class.methods.iter().enumerate().filter(|(nth, _)| wanted(*nth));
        for attribute in methods.filter_map(|(_, method)| method.code()) {
            let tables = Default::default();
            let code = Code::read_with(Some(&mut members), bytes, &class.pool, class.version, attribute, tables);
            let Ok(code) = code else { continue };
            let Some(depths) = code.depths() else { continue };
            let mut found = Vec::new();
            let result = depth::analyse(&code, &mut members, &mut depth::DepthBuffers::default(), &mut found);
            assert_eq!((result, &found[..]), (Ok(true), depths), "code at {}", code.at);
            known += 1;
        }
        known
    }

    #[test]
    fn what_is_known_is_what_the_analysis_finds_whatever_the_code() {
        for fixture in [
            &include_bytes!("../../../tests/fixtures/Sample.class")[..],
            include_bytes!("../../../tests/fixtures/Sample17.class"),
        ] {
            let all = known(fixture, |_| true);
            assert!(all > 8, "most methods' depths are known: {all}");
            let class = ClassFile::read(fixture).expect("a class");
            let mut bytes = fixture.to_vec();
            for (changed, method) in class.methods.iter().enumerate() {
                for at in method.code().map(|code| code.body()).into_iter().flatten() {
                    for other in (0..=u8::MAX).step_by(3) {
                        bytes[at] = other;
                        known(&bytes, |nth| nth == changed);
                    }
                    bytes[at] = fixture[at];
                }
            }
        }
    }
}
