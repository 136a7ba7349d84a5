//! How many bytes of a log each kind of record takes.
//!
//! Invariant: every byte of a payload that has been read belongs to one kind, so that the kinds add
//! up to the payloads.
//! Source: docs/FORMAT.md, "Tables" and "Records".

use std::collections::BTreeMap;

use crate::tag;

/// Stands for the rest of a block behind what is no record: no writer uses it as a tag.
const MALFORMED: u8 = 0;

/// Uncompressed bytes by kind, tags included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally([u64; 256]);

impl Default for Tally {
    fn default() -> Self {
        Self([0; 256])
    }
}

impl Tally {
    pub(crate) fn add(&mut self, tag: u8, bytes: usize) {
        self.0[usize::from(tag)] += bytes as u64;
    }

    pub(crate) fn add_malformed(&mut self, bytes: usize) {
        self.add(MALFORMED, bytes);
    }

    /// Adds what another block holds.
    pub fn merge(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(sum, bytes)| *sum += bytes);
    }

    /// The kinds that there are, by name.
    pub fn kinds(&self) -> BTreeMap<&'static str, u64> {
        let mut kinds = BTreeMap::new();
        for (tag, &bytes) in (0..=u8::MAX).zip(&self.0).filter(|(_, bytes)| **bytes > 0) {
            *kinds.entry(name(tag)).or_default() += bytes;
        }
        kinds
    }
}

/// What figures call the items with this tag.
fn name(tag: u8) -> &'static str {
    match tag {
        tag::STRING => "string",
        tag::WALK => "walk",
        tag::CLASS => "class",
        tag::METHOD => "method",
        tag::SITE => "site",
        tag::EDGE => "edge",
        tag::CUT => "cut",
        tag::UNROLLED => "unrolled",
        tag::SEGMENT => "segment",
        tag::CUT_NUMBER => "cut_number",
        tag::NEW_VERSION => "new_version",
        tag::SKIP => "skip",
        tag::THREAD => "thread",
        tag::NODE => "node",
        tag::KIND | tag::PROGRAM_KIND => "kind",
        tag::EVENT => "event",
        tag::VIA => "via",
        tag::COUNTERS => "counters",
        tag::MISMATCH => "mismatch",
        tag::NOTE => "note",
        tag::END => "end",
        tag::PAPER_EDGE => "paper_edge",
        tag::PAPER_CONTEXTS => "paper_contexts",
        tag::PAPER_LAST_VERSION => "paper_last_version",
        tag::TALLY => "tally",
        tag::PROFILE => "profile",
        tag::PROFILE_CONTEXT => "profile_context",
        tag::THREAD_OF => "thread_of",
        tag::ORIGIN => "origin",
        tag::ROTATED => "rotated",
        tag::KEYFRAME => "keyframe",
        tag::NUMBERING => "numbering",
        tag::LEARNED => "learned",
        tag::REFUSED => "refused",
        tag::SUMS_UNTIL => "sums until",
        tag::SIZED.. => "unknown",
        _ => "malformed",
    }
}
