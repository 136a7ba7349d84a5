//! A small log with one record of every kind, over several blocks.
//!
//! Invariant: its bytes change only when the format does (`tests/fixtures.rs` holds it to that).

#![allow(dead_code, reason = "each test uses its part")]

use lucce_log::{BlockBuilder, Header, Owner, Reader, Record, RecordError, Tables, WalkedFrame, encode_header};
use lucce_words::{Bci, ClassId, EdgeId, MethodId, NodeId, SiteId, Version, Word};

pub fn header() -> Header {
    Header {
        labels: Default::default(),
        format: lucce_log::FORMAT,
        run_id: 0x1234_5678_9ABC_DEF0,
        agent: "lucce 0.1.0".into(),
        jvm: "OpenJDK 64-Bit Server VM 25.0.1".into(),
        options: "file=a.log,alloc=512k".into(),
        pid: 4711,
        host: "host".into(),
        start_unix_ns: 1_760_000_000_000_000_000,
        encoder: "lucce".into(),
        part: 0,
        inode: 0,
        born: 0,
    }
}

pub fn walked(class: &str, line: Option<u32>) -> WalkedFrame {
    WalkedFrame { class: class.into(), method: "grow".into(), desc: "(I)V".into(), line }
}

pub fn event(time_ns: u64, value: i64, walked: Vec<WalkedFrame>) -> Record {
    let word = Word::new(Version(3), true, 77);
    let class = (value % 2 == 0).then(|| "[B".into());
    Record::Event {
        time_ns,
        thread: 1,
        kind: 1,
        value,
        word,
        site: SiteId(2),
        chain: NodeId(5),
        class,
        walked: walked.into(),
        node: NodeId(0),
    }
}

/// The records of three blocks.
pub fn records() -> Vec<Vec<Record>> {
    let (edge, version, site) = (EdgeId(0), Version(2), SiteId(2));
    vec![
        vec![
            Record::Class { id: ClassId(1), name: "a/A".into(), source: Some("A.java".into()), loader: 1 },
            Record::Class { id: ClassId(2), name: "B".into(), source: None, loader: 0 },
            Record::Method {
                id: MethodId(1),
                class: ClassId(1),
                name: "run".into(),
                desc: "()V".into(),
                access: 0x8001,
                huge: true,
            },
            Record::Site {
                id: site,
                method: MethodId(1),
                bci: Bci(65534),
                line: Some(65535),
                kind: 3,
                owner: "a/A".into(),
                name: "run".into(),
                desc: "()V".into(),
            },
            Record::Site {
                id: SiteId(3),
                method: MethodId(1),
                bci: Bci(0),
                line: None,
                kind: 0,
                owner: "".into(),
                name: "".into(),
                desc: "".into(),
            },
            Record::Edge { id: edge, site, callee: MethodId(1) },
            Record::Cut { edge },
            Record::Unrolled { edge: EdgeId(u32::MAX) },
        ],
        vec![
            Record::Segment { edge, version, lo: 1 << 44, len: u64::MAX, restoring: true, base: 9 },
            Record::Segment { edge, version, lo: 0, len: 1, restoring: false, base: 0 },
            Record::CutNumber { edge, version, number: 12 },
            Record::NewVersion { version, digest: u64::MAX - 1 },
            Record::Skip { class: "a/Huge".into(), method: Some("m()V".into()), reason: "METHOD_TOO_LARGE".into() },
            Record::Skip { class: "a/Odd".into(), method: None, reason: "MALFORMED".into() },
            Record::Thread { id: 1, name: "main ü".into(), java_id: 1 },
            Record::Node { id: NodeId(5), parent: NodeId(0), site },
            Record::Kind { id: 1, owner: Owner::Agent, name: "alloc".into() },
            event(1000, 24, vec![walked("java/util/ArrayList", Some(237)), walked("java/util/Vector", None)]),
            event(900, i64::MIN, vec![]),
        ],
        vec![
            event(5000, 3, vec![walked("java/util/ArrayList", Some(237)), walked("java/util/Vector", None)]),
            Record::Via { edge, frames: vec!["java.util.ArrayList.forEach".into(), "a.B.c".into()] },
            Record::Counters { values: vec![("checks".into(), 5), ("lost".into(), u64::MAX)] },
            Record::Mismatch { text: "one\ntwo".into() },
            Record::Note { text: String::new() },
            Record::End,
        ],
    ]
}

/// The file, and where each block begins.
pub fn file() -> (Vec<u8>, Vec<usize>) {
    let mut builder = BlockBuilder::new();
    let mut bytes = encode_header(&header());
    let mut starts = Vec::new();
    for (seq, block) in records().iter().enumerate() {
        block.iter().for_each(|record| builder.push(record));
        starts.push(bytes.len());
        bytes.extend(builder.finish(seq as u64));
    }
    (bytes, starts)
}

/// All that can be read, in order, each record with its event number (0 before the first event).
pub fn read(bytes: &[u8]) -> (Vec<(u64, Record)>, Vec<RecordError>, Vec<lucce_log::Damage>) {
    let (mut records, mut errors, mut damage) = (Vec::new(), Vec::new(), Vec::new());
    let mut tables = Tables::default();
    let Ok(reader) = Reader::new(bytes) else {
        return (records, errors, damage);
    };
    for block in reader {
        match block {
            Ok(block) => {
                let mut reading = block.records(&mut tables);
                while let Some(record) = reading.next() {
                    match record {
                        Ok(record @ Record::Event { .. }) => records.push((reading.seq(), record)),
                        Ok(record) => records.push((0, record)),
                        Err(error) => errors.push(error),
                    }
                }
            }
            Err(found) => damage.push(found),
        }
    }
    (records, errors, damage)
}
