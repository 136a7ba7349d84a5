//! The format does not change unnoticed: a file of the format that this crate writes is read as it
//! always was, and one of a former format is refused by name.
//!
//! Invariant: fixtures are never rewritten. A new format gets a new fixture (`BLESS=1` writes one
//! that is missing).
//! Source: docs/FORMAT.md.

mod common;

use std::path::{Path, PathBuf};

use lucce_log::{Header, Record};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// These bytes are a whole log of these records.
fn read_as(bytes: &[u8], records: &[Record]) {
    let (read, errors, damage) = common::read(bytes);
    assert_eq!(read.into_iter().map(|(_, record)| record).collect::<Vec<_>>(), records);
    assert!(errors.is_empty() && damage.is_empty(), "{errors:?} {damage:?}");
}

/// The fixture of these records in one block that does not compress: as it is written today, and
/// read.
fn kept(name: &str, header: &Header, records: &[Record]) -> Vec<u8> {
    let path = fixture(name);
    let mut builder = lucce_log::BlockBuilder::default();
    records.iter().for_each(|record| builder.push(record));
    let written = [lucce_log::encode_header(header), builder.finish(0)].concat();
    if std::env::var_os("BLESS").is_some() && !path.exists() {
        std::fs::write(&path, &written).expect("fixture written");
    }
    let bytes = std::fs::read(&path).expect("fixture");
    assert_eq!(written, bytes);
    read_as(&bytes, records);
    bytes
}

/// Puts the checksum of a part right that begins at `start` with its length and that, and ends at
/// `end`.
fn checksum(bytes: &mut [u8], start: usize, end: usize) {
    let sum = crc32fast::hash(&bytes[start + 8..end]).to_le_bytes();
    bytes[start + 4..start + 8].copy_from_slice(&sum);
}

#[test]
fn the_fixture_of_format_3_reads_as_it_always_did() {
    let path = fixture("format-3.lucce");
    if std::env::var_os("BLESS").is_some() && !path.exists() {
        std::fs::write(&path, common::file().0).expect("fixture written");
    }
    let bytes = std::fs::read(&path).expect("fixture");
    read_as(&bytes, &common::records().concat());
}

#[test]
fn the_payloads_written_today_are_those_of_the_fixture() {
    let bytes = std::fs::read(fixture("format-3.lucce")).expect("fixture");
    let raw = |bytes: &[u8]| -> Vec<u64> {
        lucce_log::Reader::new(bytes).expect("a log").map(|block| block.expect("whole").raw_len()).collect()
    };
    assert_eq!(raw(&common::file().0), raw(&bytes));
}

#[test]
fn a_record_of_a_later_minor_version_is_passed_over() {
    let bytes = std::fs::read(fixture("format-3-extended.lucce")).expect("fixture");
    let note = |text: &str| Record::Note { text: text.into() };
    read_as(&bytes, &[note("before"), note("after")]);
}

/// Two numberings between notes, as a run has them behind their versions.
fn numberings() -> Vec<Record> {
    use lucce_log::Cause;
    use lucce_words::Version;
    let numbering = |version, cause, time_ns, nanos, sizes: [u64; 4]| {
        let [methods, edges, largest, cut] = sizes;
        Record::Numbering { version: Version(version), time_ns, cause, nanos, methods, edges, largest, cut }
    };
    vec![
        Record::Note { text: "before".into() },
        numbering(2, Cause::Links, 1_500_000_000, 812_345, [700, 1024, 1 << 36, 3]),
        numbering(3, Cause::LateFinds, 2_250_000_000, 1_400_000, [900, 1500, 77, 0]),
        Record::Note { text: "after".into() },
        Record::End,
    ]
}

/// The fixture of these records. An older reader passes over those with a tag that it does not
/// know.
fn passed_over(name: &str, records: &[Record], tag: u8, is_new: fn(&Record) -> bool) {
    let bytes = kept(name, &common::header(), records);
    // An older reader knows no such record: any tag from 64 up that it does not know says its
    // length.
    let start = lucce_log::encode_header(&common::header()).len();
    let mut older = bytes;
    let payload = start + 40..older.len();
    let tags: Vec<_> = payload.filter(|&at| older[at] == tag).collect();
    assert_eq!(tags.len(), records.iter().filter(|one| is_new(one)).count());
    tags.into_iter().for_each(|at| older[at] = 120);
    let end = older.len();
    checksum(&mut older, start, end);
    let known: Vec<_> = records.iter().filter(|one| !is_new(one)).cloned().collect();
    read_as(&older, &known);
}

#[test]
fn the_fixture_of_numberings_reads_as_it_always_did_and_older_readers_pass_over_them() {
    passed_over("format-3-numberings.lucce", &numberings(), 84, |one| matches!(one, Record::Numbering { .. }));
}

/// Two words of one context each, and one of two, between notes.
fn learned() -> Vec<Record> {
    use lucce_words::{MethodId, NodeId};
    let learned = |word, method, node, ambiguous| Record::Learned {
        word,
        method: MethodId(method),
        node: NodeId(node),
        ambiguous,
    };
    vec![
        Record::Note { text: "before".into() },
        learned(480, 7, 1, false),
        learned(0x9E37_79B9_7F4A_7C15, 8, 70_000, false),
        learned(480, 7, 3, true),
        Record::Note { text: "after".into() },
        Record::End,
    ]
}

#[test]
fn the_fixture_of_learned_words_reads_as_it_always_did_and_older_readers_pass_over_them() {
    passed_over("format-3-learned.lucce", &learned(), 85, |one| matches!(one, Record::Learned { .. }));
}

/// A profile whose counters were taken over, between notes.
fn profiled() -> Vec<Record> {
    vec![
        Record::Note { text: "before".into() },
        Record::Profile {
            period: 10_007,
            counters: 50_000,
            entries: 100_070_000,
            samples: 10_000,
            dropped: 3,
            lost: 2,
            replaced: 40,
            unseen: 5,
        },
        Record::ProfileContext { node: lucce_words::NodeId(70_000), count: 200, error: 4 },
        Record::Note { text: "after".into() },
        Record::End,
    ]
}

#[test]
fn the_fixture_of_a_profile_reads_as_it_always_did_and_older_readers_pass_over_it() {
    passed_over("format-3-profile.lucce", &profiled(), 82, |one| matches!(one, Record::Profile { .. }));
    passed_over("format-3-profile.lucce", &profiled(), 83, |one| matches!(one, Record::ProfileContext { .. }));
}

#[test]
fn a_log_of_a_former_format_is_refused_by_name() {
    for format in [1, 2] {
        let bytes = std::fs::read(fixture(&format!("format-{format}.lucce"))).expect("fixture");
        let refused = lucce_log::Reader::new(&bytes).map(|_| ()).expect_err("another format");
        assert_eq!(refused, lucce_log::NotALog::Format(format));
        assert!(refused.to_string().contains("older than this decoder's (3)"), "{refused}");
    }
}

/// The agent's kind and the program's of one name, one that the program has alone, and a name that
/// no text can hold.
fn kinds() -> Vec<Record> {
    use lucce_log::Owner;
    let kind = |id, owner, name: &str| Record::Kind { id, owner, name: name.into() };
    let lone = lucce_words::text::of_units([0x61, 0xD800]);
    vec![
        kind(1, Owner::Agent, "alloc"),
        kind(2, Owner::Program, "alloc"),
        kind(3, Owner::Program, "order"),
        kind(4, Owner::Program, &lone),
        Record::End,
    ]
}

#[test]
fn the_fixture_of_programs_kinds_reads_as_it_always_did() {
    let bytes = kept("format-3-kinds.lucce", &common::header(), &kinds());
    // The Kind records that older readers take: names that differ.
    for item in [&b"\x0F\x01\x05alloc"[..], b"\x0F\x02\x0Dprogram:alloc", b"\x0F\x03\x05order"] {
        assert!(bytes.windows(item.len()).any(|at| at == item), "{item:?}");
    }
}

/// Sums with the time until which they hold, in a run with labels.
fn sums() -> (Header, Vec<Record>) {
    use lucce_log::Owner;
    use lucce_words::{NodeId, SiteId, Word};
    let labels = [("service.name", "orders"), ("version", "1.4")].map(|(key, text)| (key.into(), text.into())).into();
    let tally = |count| {
        let (node, site, word, class) = (NodeId(1), SiteId(2), Word::NONE, Some("[B".into()));
        Record::Tally { kind: 1, node, site, word, class, count, value: 16 * count }
    };
    let records = vec![
        Record::Kind { id: 1, owner: Owner::Agent, name: "alloc".into() },
        Record::SumsUntil { time_ns: 10_000_000_000 },
        tally(3),
        Record::SumsUntil { time_ns: 20_000_000_000 },
        tally(4),
        Record::End,
    ];
    (Header { labels, ..common::header() }, records)
}

#[test]
fn the_fixture_of_sums_with_a_time_and_of_labels_reads_as_it_always_did() {
    let (header, records) = sums();
    let bytes = kept("format-3-sums.lucce", &header, &records);
    assert_eq!(lucce_log::Reader::new(&bytes).expect("a log").header(), Some(&header));
}

/// What an older decoder makes of that file: to it the tag 93 and the field `labels` are what 123
/// and `labelz` are to this one.
#[test]
fn a_decoder_that_knows_neither_sums_with_a_time_nor_labels_passes_over_both() {
    let mut bytes = std::fs::read(fixture("format-3-sums.lucce")).expect("fixture");
    let at = |bytes: &[u8], part: &[u8]| bytes.windows(part.len()).position(|here| here == part).expect("it is there");
    let label = at(&bytes, b"\"labels\"");
    bytes[label + 6] = b'z';
    let end = 16 + u32::from_le_bytes(bytes[8..12].try_into().expect("four")) as usize;
    checksum(&mut bytes, 8, end);
    for time_ns in [10_000_000_000_u64, 20_000_000_000] {
        // Tag, length, and the time in LEB128.
        let time: Vec<u8> =
            (0..5).map(|byte| (time_ns >> (7 * byte)) as u8 & 0x7F | if byte < 4 { 0x80 } else { 0 }).collect();
        let record = at(&bytes, &[&[93, 5], &time[..]].concat());
        bytes[record] = 123;
    }
    let whole = bytes.len();
    checksum(&mut bytes, end, whole);
    let reader = lucce_log::Reader::new(&bytes).expect("a log");
    assert_eq!(reader.header(), Some(&common::header()));
    let others: Vec<_> = sums().1.into_iter().filter(|record| !matches!(record, Record::SumsUntil { .. })).collect();
    read_as(&bytes, &others);
}
