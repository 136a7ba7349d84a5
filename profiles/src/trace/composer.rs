//! Makes the bytes of a trace, block by block.
//!
//! Invariant: the blocks must be kept in the order in which they were taken, for each builds on the
//! predictions of those before it.

use lucce_words::{MethodId, SiteId};

use super::checksum::crc32;
use super::prediction::Prediction;
use super::{CONTEXT, END, ENDED, ENTRIES, MAGIC, METHOD, SITE, TraceContext, TraceNode, VERSION};
use lucce_words::varint::Put;

/// The writer's side. It holds what was not taken yet.
pub struct TraceComposer {
    payload: Vec<u8>,
    prediction: Prediction,
    begun: bool,
}

impl Default for TraceComposer {
    fn default() -> Self {
        Self::new()
    }
}

impl TraceComposer {
    /// The beginning of a file.
    pub fn new() -> Self {
        Self { payload: Vec::new(), prediction: Prediction::new(), begun: false }
    }

    /// Names a method.
    pub fn method(&mut self, id: MethodId, class: &str, name: &str, desc: &str) {
        self.item(METHOD, &[id.0.into()]);
        [class, name, desc].into_iter().for_each(|text| self.payload.string(text));
    }

    /// Says where a site is.
    pub fn site(&mut self, id: SiteId, method: MethodId, bci: u16) {
        self.item(SITE, &[id.0.into(), method.0.into(), bci.into()]);
    }

    /// Defines a context.
    pub fn context(&mut self, id: TraceContext, node: TraceNode) {
        self.item(CONTEXT, &[id.0.into(), node.parent.0.into(), node.site.0.into(), node.method.0.into()]);
    }

    /// A thread has entered these contexts, and handed them on at `time`.
    pub fn entries(&mut self, thread: u32, time: u64, contexts: &[TraceContext]) {
        self.item(ENTRIES, &[thread.into(), time, contexts.len() as u64]);
        self.prediction.put(&mut self.payload, contexts);
    }

    /// A thread has ended.
    pub fn ended(&mut self, thread: u32, time: u64) {
        self.item(ENDED, &[thread.into(), time]);
    }

    /// The trace ends here, and so many entries behind it are not in it.
    pub fn end(&mut self, dropped: u64) {
        self.item(END, &[dropped]);
    }

    /// Bytes that [`Self::take`] would make a block of.
    pub fn pending(&self) -> usize {
        self.payload.len()
    }

    /// All since the last call as one block, to be appended to the file; nothing if there is
    /// nothing. Far below 16 MiB is wanted.
    pub fn take(&mut self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.payload.len() + 20);
        if !self.begun {
            self.begun = true;
            out.extend_from_slice(&MAGIC);
            out.extend_from_slice(&VERSION.to_le_bytes());
        }
        if !self.payload.is_empty() {
            out.extend_from_slice(&(self.payload.len() as u32).to_le_bytes());
            out.extend_from_slice(&crc32(&self.payload).to_le_bytes());
            out.append(&mut self.payload);
        }
        out
    }

    fn item(&mut self, tag: u8, numbers: &[u64]) {
        self.payload.push(tag);
        numbers.iter().for_each(|&number| self.payload.var(number));
    }
}
