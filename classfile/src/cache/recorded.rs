//! What came of a class, as bytes that stand for it the next time the same class is met: its new
//! bytes, what is said of its methods and sites, and the answers that all of it follows from.
//!
//! Invariant: with ids of its own, what is read back is what the rewriter would say of the same
//! bytes, as long as [`Recorded::holds`]; and whatever the bytes are, reading them ends with a
//! [`SkipReason`] or with a class, never with a panic. What a class says of itself is not repeated:
//! names lead back into its bytes.
//! Source: [`Policy`], whose invariant it is built on.

mod metadata_codec;
mod names;
mod policy_trace;

use crate::format::reader::Reader;
use crate::instrument::{Instrumented, Policy};
use crate::skip::SkipReason;
use names::NameWriter;
pub(crate) use names::count;
pub use policy_trace::PolicyTrace;
use policy_trace::Question;

/// A class as it was recorded.
#[derive(Debug)]
pub struct Recorded<'a> {
    /// What was said of it, but for its bytes and for methods that have code and no hooks.
    pub class: Instrumented<'a>,
    /// The class file to define; `None`: as it came.
    pub bytes: Option<&'a [u8]>,
    questions: Vec<(Question<'a>, bool)>,
}

/// What came of the class file `original`, as the rewriter has just said it, with what `trace` has
/// heard meanwhile. `None` where it does not stand for the class: a method was left for a reason,
/// which is to be said anew, or has a weight, or something is longer than a class file can tell.
pub fn record(original: &[u8], class: &Instrumented<'_>, trace: &PolicyTrace<'_>) -> Option<Vec<u8>> {
    if class.methods.iter().any(|method| method.weight != 0) {
        // It depends on how often a class of that name was defined before.
        return None;
    }
    let changed = class.bytes != original;
    let mut out = Vec::with_capacity(class.bytes.len() + 1024);
    trace.write(&mut out)?;
    let bytes = if changed { class.bytes.as_slice() } else { &[] };
    out.push(u8::from(changed));
    count(bytes.len(), &mut out)?;
    out.extend_from_slice(bytes);
    metadata_codec::write(class, &mut NameWriter::new(original, &mut out))?;
    Some(out)
}

impl<'a> Recorded<'a> {
    /// Reads what [`record()`] made of the class file `original`.
    ///
    /// # Errors
    /// It was made of another class, or is damaged.
    pub fn read(original: &'a [u8], record: &'a [u8]) -> Result<Self, SkipReason> {
        let mut reader = Reader::new(record, 0);
        let questions = policy_trace::read(original, &mut reader)?;
        let changed = reader.u1()? != 0;
        let len = reader.u4()? as usize;
        let bytes = reader.take(len)?;
        let class = metadata_codec::read(original, &mut reader)?;
        Ok(Self { class, bytes: changed.then_some(bytes), questions })
    }

    /// Would the rewriter get answers that allow what it did? Another answer than then is no matter
    /// where only more was done than is needed now.
    pub fn holds(&self, policy: &dyn Policy) -> bool {
        self.questions.iter().all(|(question, answer)| question.allows(*answer, question.ask(policy)))
    }
}
