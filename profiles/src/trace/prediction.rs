//! Entries as runs of right predictions: behind a context comes what came last time.
//!
//! Invariant: writer and reader change their tables alike, by what the entries are alone.

use lucce_words::Paged;

use super::TraceContext;
use lucce_words::varint::{Get, Put};

/// Of each context the one that followed it last.
pub(super) struct Prediction(Paged<TraceContext>);

/// Contexts beyond this are no writer's: a damaged file must not make the table grow.
const MOST: u32 = 1 << 26;

impl Prediction {
    pub(super) fn new() -> Self {
        Self(Paged::new(TraceContext::UNKNOWN))
    }

    /// Appends entries.
    pub(super) fn put(&mut self, out: &mut Vec<u8>, contexts: &[TraceContext]) {
        let (mut before, mut right) = (TraceContext::UNKNOWN, 0);
        for &context in contexts {
            if self.0[before.index()] == context {
                right += 1;
            } else {
                out.var(right);
                out.zigzag(i64::from(context.0) - i64::from(before.0));
                right = 0;
                self.0[before.index()] = context;
            }
            before = context;
        }
        if right > 0 {
            out.var(right);
        }
    }

    /// Reads so many; `None` if no writer has made them.
    pub(super) fn take(&mut self, from: &mut Get<'_>, number: usize) -> Option<Vec<TraceContext>> {
        let mut contexts = Vec::with_capacity(number);
        let mut before = TraceContext::UNKNOWN;
        while contexts.len() < number {
            let right = usize::try_from(from.var()?).ok().filter(|&right| right <= number - contexts.len())?;
            for _ in 0..right {
                before = self.0[before.index()];
                contexts.push(before);
            }
            if contexts.len() < number {
                let next = i64::from(before.0).checked_add(from.zigzag()?)?;
                let next = TraceContext(u32::try_from(next).ok().filter(|&next| next < MOST)?);
                self.0[before.index()] = next;
                before = next;
                contexts.push(next);
            }
        }
        Some(contexts)
    }
}
