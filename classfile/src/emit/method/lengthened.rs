//! The program's own `ldc`, where the constant pools of two definitions of a class are merged.
//!
//! HotSpot does so when a class is redefined: each constant that the class did not have before
//! comes behind the others, and an `ldc` whose index passes 255 becomes `ldc_w`. Code that the
//! agent has made would be longer than it was, and so seem to be another agent's.
//!
//! Invariant: each instruction has one edit.
//! Source: JVMS 6.5 (`ldc`, `ldc_w`); HotSpot `VM_RedefineClasses::rewrite_cp_refs_in_method`.

use super::Method;
use crate::emit::assembler::Assembler;
use crate::emit::layout::{Body, Edit};
use crate::format::opcode::LDC;

impl Method<'_, '_> {
    /// Has each `ldc` the longer form.
    pub(super) fn lengthen(&self, asm: &mut Assembler<'_, '_>, edits: &mut Vec<Edit>) {
        for number in (0..self.code.count()).filter(|number| self.code.opcode(*number) == LDC) {
            let start = asm.len();
            asm.constant(u16::from(self.code.instruction(number)[1]));
            let body = Body::Bytes(start..asm.len());
            match edits.binary_search_by_key(&number, |edit| edit.number) {
                Ok(at) => edits[at].body = body,
                Err(at) => edits.insert(at, Edit { number, before: start..start, body }),
            }
        }
    }
}
