//! Class files of version 50 that the JVM verifies as if they had no frames.
//!
//! Where their frames do not fit, HotSpot falls back to the verifier that infers the types, for the
//! whole class. Frames do not fit that are not there where control arrives by a jump, or that stand
//! between two instructions: so writes who changes code and knows nothing of frames.
//! Invariant: true only for classes that the JVM surely verifies so, if it verifies them at all.
//! Types are not looked at.
//! Source: JVMS 4.10 (failover), 4.10.1; HotSpot `Verifier::verify`,
//! `ClassVerifier::verify_method`, `StackMapReader`.

use crate::SkipReason;
use crate::format::attribute::attribute;
use crate::format::members::Member;
use crate::format::opcode::{self as op, GOTO_W, JSR, JSR_W, RET, TABLESWITCH, WIDE};
use crate::format::pool::PoolView;
use crate::format::reader::Reader;

/// Has a method of these frames that do not fit its code? So has none whose code or frames cannot
/// be read.
pub(crate) fn fails_over(bytes: &[u8], pool: &PoolView<'_>, methods: &[Member<'_>]) -> bool {
    let mut frames = Vec::new();
    methods.iter().any(|method| fails(bytes, pool, method, &mut frames).unwrap_or(false))
}

fn fails(bytes: &[u8], pool: &PoolView<'_>, method: &Member<'_>, frames: &mut Vec<u32>) -> Result<bool, SkipReason> {
    let Some(whole) = method.code() else { return Ok(false) };
    let mut reader = Reader::within(bytes, whole.body());
    reader.skip(4)?;
    let len = reader.u4()? as usize;
    let code = reader.take(len)?;
    let handlers = usize::from(reader.u2()?);
    let handlers = reader.take(8 * handlers)?;
    frames.clear();
    for _ in 0..reader.u2()? {
        let attribute = attribute(&mut reader, pool)?;
        // A table of no length is none to HotSpot. One that is malformed it refuses, with the
        // class.
        if attribute.name == b"StackMapTable" && !attribute.body().is_empty() {
            places(&mut Reader::within(bytes, attribute.body()), frames)?;
        }
    }
    Ok(!fit(code, handlers, frames).unwrap_or(true))
}

/// Where the frames of a table stand, ascending.
fn places(reader: &mut Reader<'_>, frames: &mut Vec<u32>) -> Result<(), SkipReason> {
    let mut next = 0;
    for _ in 0..reader.u2()? {
        let tag = reader.u1()?;
        let at = next
            + match tag {
                0..=127 => u32::from(tag & 63),
                247.. => u32::from(reader.u2()?),
                _ => return Err(reader.error("frame type")),
            };
        match tag {
            64..=127 | 247 => skip_types(reader, 1)?,
            252..=254 => skip_types(reader, u16::from(tag - 251))?,
            255 => {
                for _locals_and_stack in 0..2 {
                    let count = reader.u2()?;
                    skip_types(reader, count)?;
                }
            }
            _ => {}
        }
        frames.push(at);
        next = at + 1;
    }
    if reader.is_at_end() { Ok(()) } else { Err(reader.error("StackMapTable length")) }
}

fn skip_types(reader: &mut Reader<'_>, count: u16) -> Result<(), SkipReason> {
    for _ in 0..count {
        match reader.u1()? {
            0..=6 => {}
            7 | 8 => {
                reader.skip(2)?;
            }
            _ => return Err(reader.error("verification type")),
        }
    }
    Ok(())
}

/// Is each frame at an instruction, and has each instruction one that control comes to other than
/// from the one before, or does not come to? The verifier by frames knows no subroutines. `None`
/// for code that cannot be read.
fn fit(code: &[u8], handlers: &[u8], frames: &[u32]) -> Option<bool> {
    let framed = |at: i64| u32::try_from(at).is_ok_and(|at| frames.binary_search(&at).is_ok());
    let mut left = frames.iter().peekable();
    let (mut at, mut ended) = (0, false);
    while at < code.len() {
        let has_frame = left.next_if(|frame| **frame as usize == at).is_some();
        let (opcode, len) = (code[at], op::length(code, at)?);
        let subroutine = matches!(opcode, JSR | JSR_W | RET) || opcode == WIDE && code[at + 1] == RET;
        let kind = op::kind(opcode);
        if ended && !has_frame || subroutine || kind & op::JUMP != 0 && !framed(at as i64 + jump(code, at)?) {
            return Some(false);
        }
        if kind & op::SWITCH != 0 {
            let base = op::aligned(at);
            let step = if opcode == TABLESWITCH { 4 } else { 8 };
            for target in std::iter::once(base).chain((base + 12..at + len).step_by(step)) {
                if !framed(at as i64 + i64::from(op::i4(code, target)?)) {
                    return Some(false);
                }
            }
        }
        ended = kind & op::ENDS != 0;
        at += len;
    }
    let caught = |handler: &[u8]| framed(op::u2(handler, 4).into());
    Some(ended && left.next().is_none() && handlers.chunks_exact(8).all(caught))
}

/// How far a jump goes.
fn jump(code: &[u8], at: usize) -> Option<i64> {
    match code[at] {
        GOTO_W => op::i4(code, at + 1).map(i64::from),
        _ => Some(i64::from(op::u2(code, at + 1) as i16)),
    }
}
