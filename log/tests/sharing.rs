//! What the log writes once is read once: all records that name a string or a list of frames share
//! it.
//!
//! Invariant: reading takes memory in proportion to the payload, however often it names what it
//! defines.
//! Source: docs/FORMAT.md, "Tables".

mod common;
#[allow(dead_code, reason = "only blocks are made here")]
#[path = "../fuzz/target.rs"]
mod target;

use std::collections::HashMap;

use lucce_log::{BlockBuilder, MAX_STRING, Record, RecordError, WalkedFrame, encode_header};
use lucce_words::{ClassId, EdgeId, MethodId};

/// Bytes that records hold outside themselves, each allocation once.
#[derive(Default)]
struct Heap(HashMap<usize, usize>);

impl Heap {
    fn string(&mut self, string: &str) {
        self.0.insert(string.as_ptr().addr(), string.len());
    }

    fn record(&mut self, record: &Record) {
        match record {
            Record::Method { name, desc, .. } => [name, desc].into_iter().for_each(|string| self.string(string)),
            Record::Skip { class, method, reason } => {
                [class, reason].into_iter().chain(method).for_each(|string| self.string(string));
            }
            Record::Via { frames, .. } => frames.iter().for_each(|frame| self.string(frame)),
            Record::Event { class, walked, .. } => {
                class.iter().for_each(|class| self.string(class));
                self.0.insert(walked.as_ptr().addr(), size_of_val::<[WalkedFrame]>(walked));
                let strings = walked.iter().flat_map(|frame| [&frame.class, &frame.method, &frame.desc]);
                strings.for_each(|string| self.string(string));
            }
            other => panic!("not written here: {other:?}"),
        }
    }
}

#[test]
fn records_share_the_strings_and_lists_that_they_name() {
    let long = "x".repeat(MAX_STRING);
    let name = || long.as_str().into();
    let frames: Vec<_> =
        (0..10).map(|line| WalkedFrame { class: name(), method: name(), desc: name(), line: Some(line) }).collect();
    let mut builder = BlockBuilder::new();
    for id in 0..10 {
        builder.push(&Record::Method {
            id: MethodId(id),
            class: ClassId(1),
            name: name(),
            desc: name(),
            access: 0,
            huge: false,
        });
        builder.push(&common::event(id.into(), 16, frames.clone()));
    }
    builder.push(&Record::Skip { class: name(), method: Some(name()), reason: name() });
    builder.push(&Record::Via { edge: EdgeId(1), frames: vec![name(), name()] });
    assert!(builder.len() < MAX_STRING + 1024, "each written once: {}", builder.len());

    let mut bytes = encode_header(&common::header());
    bytes.extend(builder.finish(0));
    let (records, errors, damage) = common::read(&bytes);
    assert!(records.len() == 22 && errors.is_empty() && damage.is_empty());
    let mut held = Heap::default();
    records.iter().for_each(|(_, record)| held.record(record));
    let bytes: usize = held.0.values().sum();
    assert!(bytes < MAX_STRING + 1024, "{bytes} bytes for one long string and one list");
}

#[test]
fn a_string_beyond_the_limit_ends_its_block() {
    let note = |length: usize| {
        let var = [length as u8 | 0x80, (length >> 7) as u8 | 0x80, (length >> 14) as u8];
        let payload = [&[20], &var[..], &vec![b'x'; length]].concat();
        let (records, errors, _) = common::read(&target::framed(&payload));
        (records.len(), errors)
    };
    assert_eq!(note(MAX_STRING), (1, vec![]));
    assert_eq!(note(MAX_STRING + 1), (0, vec![RecordError::Malformed { offset: 0 }]));
}
