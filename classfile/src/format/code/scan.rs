//! The scan of a Code attribute, which fills its tables.
//!
//! Invariant: code that breaks the invariant of [`super`] is an error that names the place, and
//! nothing is mended.
//! Source: JVMS 4.7.3, 4.9.1.

use super::passing::Passing;
use super::{Attribute, Code, Contents, Handler, Jump, LABEL, LEFT, Tables, WATCHED};
use crate::SkipReason;
use crate::bci_map::opcode_hash::Weight;
use crate::format::attribute::{self, attribute};
use crate::format::member_refs::MemberRefs;
use crate::format::opcode::{self as op, JSR, JSR_W};
use crate::format::pool::{CLASS, PoolView};
use crate::format::reader::Reader;
use crate::format::version::Version;
use std::ops::Range;

impl<'a> Code<'a> {
    /// Scans the attribute. `tables` may come from another method ([`Code::into_tables`]).
    pub(crate) fn read(
        class: &'a [u8],
        pool: &PoolView<'a>,
        version: Version,
        attribute: &attribute::Attribute<'_>,
        tables: Box<Tables>,
    ) -> Result<Self, SkipReason> {
        Self::read_with(None, class, pool, version, attribute, tables)
    }

    /// Scans the attribute, and looks for the depths of the stack where somebody knows what the
    /// pool's entries name.
    pub(crate) fn read_with(
        members: Option<&mut MemberRefs<'_, 'a>>,
        class: &'a [u8],
        pool: &PoolView<'a>,
        version: Version,
        attribute: &attribute::Attribute<'_>,
        tables: Box<Tables>,
    ) -> Result<Self, SkipReason> {
        let mut reader = Reader::within(class, attribute.body());
        let (max_stack, max_locals, len) = if version.is_pre_release() {
            (u16::from(reader.u1()?), u16::from(reader.u1()?), u32::from(reader.u2()?))
        } else {
            (reader.u2()?, reader.u2()?, reader.u4()?)
        };
        if !(1..=65535).contains(&len) {
            return Err(reader.error("code length"));
        }
        let at = reader.at();
        let bytes = reader.take(len as usize)?;
        let mut code = Self { class, version, max_stack, max_locals, bytes, at, entries: pool.count(), tables };
        code.tables.scan(bytes, at, members, max_stack, handler_starts(reader.clone()))?;
        // The JVM takes no such class, and more locals would make it one that it takes.
        if code.tables.locals > u32::from(max_locals) {
            return Err(SkipReason::malformed("local", at));
        }
        code.find_jumps()?;
        code.read_handlers(&mut reader, pool)?;
        code.read_attributes(&mut reader, pool)?;
        if !reader.is_at_end() {
            return Err(reader.error("Code attribute length"));
        }
        // Without frames only what is reached counts, which the analysis of the flow sees, and
        // `wide ret` is an end as well.
        if version.has_frames() && !op::ends_flow(code.opcode(code.count() - 1)) {
            return Err(SkipReason::malformed("code falls off its end", at + bytes.len()));
        }
        Ok(code)
    }

    fn find_jumps(&mut self) -> Result<(), SkipReason> {
        self.tables.jumps.clear();
        self.tables.switches.clear();
        let depth = |tables: &Tables, number: usize| tables.depths.get(number).copied();
        for index in 0..self.tables.transfers.len() {
            let from = self.tables.transfers[index] as usize;
            let opcode = self.opcode(from);
            if op::kind(opcode) & op::SWITCH != 0 {
                self.tables.switches.push(from as u32);
                for at in self.switch_offsets(from) {
                    let target = self.switch_target(from, at)?;
                    self.tables.flags[target] |= LABEL;
                    let taken = depth(&self.tables, from).map(|depth| depth.wrapping_sub(1));
                    self.tables.sure &= depth(&self.tables, target) == taken;
                }
                continue;
            }
            let to = self.jump_target(from)?;
            self.tables.flags[to] |= LABEL;
            // What control takes along: the next instruction's depth, but for what never goes on to
            // it.
            let taken = depth(&self.tables, from + usize::from(op::kind(opcode) & op::ENDS == 0));
            self.tables.sure &= depth(&self.tables, to) == taken;
            self.tables.jumps.push(Jump { from, to });
            // Where a subroutine comes back to is a label as well: `ret` jumps there.
            if matches!(opcode, JSR | JSR_W) && from + 1 < self.count() {
                self.tables.flags[from + 1] |= LABEL;
            }
        }
        Ok(())
    }

    fn read_handlers(&mut self, reader: &mut Reader<'a>, pool: &PoolView<'a>) -> Result<(), SkipReason> {
        self.tables.handlers.clear();
        for _ in 0..reader.u2()? {
            let error = reader.error("exception table entry");
            let mut number = || Ok::<_, SkipReason>(self.number(u32::from(reader.u2()?)));
            let (start, end, target) = (number()?, number()?, number()?);
            let catch_type = reader.u2()?;
            let caught = catch_type == 0 || pool.tag(catch_type) == Some(CLASS);
            match (start, end, target) {
                (Some(start), Some(end), Some(target)) if start < end && target < self.count() && caught => {
                    self.tables.flags[target] |= LABEL;
                    self.tables.sure &= start < target && self.tables.depths.get(target) == Some(&1);
                    self.tables.flags[start] |= WATCHED;
                    self.tables.flags.get_mut(end).into_iter().for_each(|flags| *flags |= LEFT);
                    self.tables.handlers.push(Handler { start, end, target, catch_type });
                }
                _ => return Err(error),
            }
        }
        Ok(())
    }

    /// Refuses what the JVM refuses: with more code, more locals and more entries of the pool it
    /// would be right.
    fn check_variables(&self, body: Range<usize>, contents: Contents, pool: &PoolView<'a>) -> Result<(), SkipReason> {
        let mut reader = Reader::within(self.class, body);
        let max_locals = usize::from(self.max_locals);
        for _ in 0..reader.u2()? {
            let error = reader.error("local variable");
            let (start, _length, name, desc) = (reader.u2()?, reader.u2()?, reader.u2()?, reader.u2()?);
            let last = usize::from(reader.u2()?) + 1;
            // Only where it matters, and not in a table of generic types, which are references.
            let is_wide = || contents == Contents::Variables && matches!(pool.utf8(desc), Some(b"J" | b"D"));
            let absent = usize::from(name.max(desc)) >= self.entries;
            if absent || usize::from(start) >= self.bytes.len() || last > max_locals || last == max_locals && is_wide()
            {
                return Err(error);
            }
        }
        Ok(())
    }

    fn read_attributes(&mut self, reader: &mut Reader<'a>, pool: &PoolView<'a>) -> Result<(), SkipReason> {
        self.tables.attributes.clear();
        for _ in 0..reader.u2()? {
            let attribute = attribute(reader, pool)?;
            let contents = match attribute.name {
                b"StackMapTable" if self.version.reads_frames() => Contents::Frames,
                b"LineNumberTable" => Contents::Lines,
                b"LocalVariableTable" => Contents::Variables,
                b"LocalVariableTypeTable" => Contents::VariableTypes,
                b"RuntimeVisibleTypeAnnotations" | b"RuntimeInvisibleTypeAnnotations" => Contents::TypeAnnotations,
                _ => Contents::Other,
            };
            if matches!(contents, Contents::Variables | Contents::VariableTypes) {
                self.check_variables(attribute.body(), contents, pool)?;
            }
            self.tables.attributes.push(Attribute { contents, whole: attribute.whole });
        }
        Ok(())
    }
}

impl Tables {
    fn scan<'a>(
        &mut self,
        bytes: &[u8],
        at: usize,
        members: Option<&mut MemberRefs<'_, 'a>>,
        max_stack: u16,
        handlers: impl Iterator<Item = u16>,
    ) -> Result<(), SkipReason> {
        // Room for as many instructions as there can be, so that none of them looks whether there
        // is some.
        let most = bytes.len() + 1;
        let (starts, numbers) = (self.starts.open(most), self.numbers.open(most));
        let (points, transfers) = (self.points.open(most), self.transfers.open(most));
        let depths = self.depths.open(most);
        let mut passing = Passing::new(members, max_stack, bytes.len(), handlers, &mut self.marks);
        let (mut bci, mut number) = (0, 0);
        let (mut point, mut transfer) = (0, 0);
        let (mut weight, mut locals) = (Weight::default(), 0);
        while bci < bytes.len() {
            numbers[bci] = number as u32;
            starts[number] = bci as u32;
            let opcode = bytes[bci];
            weight = weight + Weight::of(opcode);
            let kind = op::kind(opcode);
            // What does not belong there is written over: whether it does cannot be predicted.
            points[point] = number as u32;
            point += usize::from(kind & op::POINT != 0);
            // The two bytes behind the opcode, whatever they are.
            let behind = op::u2(bytes, bci + 1);
            locals = locals.max(op::locals(opcode, behind));
            if opcode == op::WIDE {
                locals = locals.max(op::wide_locals(bytes, bci));
            }
            let end = bci + op::length(bytes, bci).ok_or(SkipReason::malformed("instruction", at + bci))?;
            depths[number] = passing.pass(bytes, bci, behind);
            if kind & (op::JUMP | op::SWITCH | op::ENDS) != 0 {
                transfers[transfer] = number as u32;
                transfer += usize::from(kind & (op::JUMP | op::SWITCH) != 0);
                passing.leave(bytes, bci, end);
            }
            bci = end;
            number += 1;
        }
        self.sure = passing.is_sure();
        numbers[bci] = number as u32;
        starts[number] = bci as u32;
        self.starts.close(number + 1);
        self.numbers.close(most);
        self.depths.close(number);
        self.points.close(point);
        self.transfers.close(transfer);
        self.weight = weight;
        self.locals = locals;
        self.flags.clear();
        self.flags.resize(number, 0);
        Ok(())
    }

    pub(super) fn number(&self, bci: u32) -> Option<usize> {
        let number = *self.numbers.get(bci as usize)? as usize;
        self.starts.get(number).is_some_and(|start| *start == bci).then_some(number)
    }
}

/// Where the handlers of the exception table begin that is read next, as it says.
fn handler_starts(mut reader: Reader<'_>) -> impl Iterator<Item = u16> {
    let count = reader.u2().unwrap_or(0);
    let mut next = move || {
        reader.skip(4)?;
        let target = reader.u2()?;
        reader.skip(2).map(|_| target)
    };
    (0..count).map_while(move |_| next().ok())
}
