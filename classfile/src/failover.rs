//! Class files of version 50 that the JVM verifies as if they had no frames.
//!
//! Where their frames do not fit, HotSpot falls back to the verifier that infers the types, for the whole class. Frames that are not there where
//! control arrives by a jump do not fit: so writes who changes code and knows nothing of frames.
//! Invariant: true only for classes that the JVM surely verifies so, if it verifies them at all.
//! Source: JVMS 4.10 (failover); HotSpot `Verifier::verify`.

use crate::SkipReason;
use crate::class::{Member, attribute};
use crate::opcode as op;
use crate::pool::PoolView;
use crate::reader::Reader;

/// Has a method of these a jump or a handler, and no StackMapTable? Code that cannot be read has neither.
pub(crate) fn fails_over(bytes: &[u8], pool: &PoolView<'_>, methods: &[Member<'_>]) -> bool {
    methods.iter().any(|method| lacks_frames(bytes, pool, method).unwrap_or(false))
}

fn lacks_frames(bytes: &[u8], pool: &PoolView<'_>, method: &Member<'_>) -> Result<bool, SkipReason> {
    let Some(whole) = method.code() else { return Ok(false) };
    let mut reader = Reader::within(bytes, whole.body());
    reader.skip(4)?;
    let len = reader.u4()? as usize;
    let code = reader.take(len)?;
    let handlers = usize::from(reader.u2()?);
    reader.skip(8 * handlers)?;
    for _ in 0..reader.u2()? {
        if attribute(&mut reader, pool)?.name == b"StackMapTable" {
            return Ok(false);
        }
    }
    Ok(handlers > 0 || has_jump(code).unwrap_or(false))
}

/// `None` for code that cannot be read.
fn has_jump(code: &[u8]) -> Option<bool> {
    let mut at = 0;
    while at < code.len() {
        if op::kind(code[at]) & (op::JUMP | op::SWITCH) != 0 {
            return Some(true);
        }
        at += op::length(code, at)?;
    }
    Some(false)
}
