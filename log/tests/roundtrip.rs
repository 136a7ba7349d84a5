//! What is written is what is read: every record, with any content, over any division into blocks.
//!
//! Invariant: the record is the unit; blocks and tables never show.
//! Source: docs/FORMAT.md, "Records".

mod common;

use std::collections::BTreeMap;
use std::sync::Arc;

use lucce_log::{BlockBuilder, Cause, Ground, OriginKind, Owner, Reader, Record, Tables, WalkedFrame, encode_header};
use lucce_words::{Bci, ClassId, EdgeId, MethodId, NodeId, OriginId, SiteId, Version, Word};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

#[test]
fn every_kind_of_record_comes_back() {
    let (bytes, _) = common::file();
    let (read, errors, damage) = common::read(&bytes);
    let read: Vec<Record> = read.into_iter().map(|(_, record)| record).collect();
    assert_eq!(read, common::records().concat());
    assert!(errors.is_empty() && damage.is_empty(), "{errors:?} {damage:?}");
}

#[test]
fn the_header_comes_back() {
    let (bytes, _) = common::file();
    let reader = Reader::new(&bytes).expect("a log");
    assert_eq!(reader.header(), Some(&common::header()));
}

#[test]
fn a_header_of_later_years_with_more_fields_is_read() {
    let json = br#"{"format":3,"run_id":7,"new":{"deep":[1]}}"#;
    let mut bytes = b"LUCCELOG".to_vec();
    bytes.extend((json.len() as u32).to_le_bytes());
    bytes.extend(crc32fast::hash(json).to_le_bytes());
    bytes.extend(json);
    let reader = Reader::new(&bytes).expect("a log");
    assert_eq!(reader.header().map(|header| header.run_id), Some(7));
    assert_eq!(reader.count(), 0);
}

#[test]
fn events_are_numbered_over_the_whole_file() {
    let (bytes, _) = common::file();
    let (read, _, _) = common::read(&bytes);
    let seqs: Vec<u64> =
        read.iter().filter(|(_, record)| matches!(record, Record::Event { .. })).map(|(seq, _)| *seq).collect();
    assert_eq!(seqs, [0, 1, 2]);
}

#[test]
fn a_repeated_event_costs_few_bytes() {
    let mut builder = BlockBuilder::new();
    let walked: Vec<WalkedFrame> = (0..40).map(|line| common::walked("java/util/ArrayList", Some(line))).collect();
    builder.push(&common::event(0, 16, walked.clone()));
    let first = builder.len();
    builder.push(&common::event(100, 16, walked));
    assert!(builder.len() - first < 24, "{} bytes", builder.len() - first);
}

/// The kind of a record as figures write it: `PaperEdge` is `paper_edge`.
fn kind(record: &Record) -> String {
    let debug = format!("{record:?}");
    let name = debug.chars().take_while(|c| c.is_alphanumeric());
    let words = name.flat_map(|c| [c.is_uppercase().then_some('_'), Some(c.to_ascii_lowercase())]);
    words.flatten().skip(1).collect()
}

#[test]
fn each_kind_of_record_has_its_bytes_counted() {
    let mut builder = BlockBuilder::new();
    let records = common::records().concat();
    records.iter().for_each(|record| builder.push(record));
    let first = builder.len() as u64;
    let mut bytes = encode_header(&common::header());
    bytes.extend(builder.finish(0));
    // Once more, when all strings and lists are defined: what each kind adds is its own.
    let mut expected: BTreeMap<String, u64> = BTreeMap::new();
    for record in &records {
        let before = builder.len();
        builder.push(record);
        *expected.entry(kind(record)).or_default() += (builder.len() - before) as u64;
    }
    bytes.extend(builder.finish(1));

    let mut tables = Tables::default();
    let blocks: Vec<_> = Reader::new(&bytes).expect("a log").flatten().collect();
    let mut kinds = |block: usize| {
        let mut reading = blocks[block].records(&mut tables);
        assert!(reading.by_ref().all(|record| record.is_ok()));
        reading.tally().kinds().into_iter().map(|(kind, bytes)| (kind.to_owned(), bytes)).collect::<BTreeMap<_, _>>()
    };
    let with_definitions = kinds(0);
    assert_eq!(kinds(1), expected);
    assert_eq!(with_definitions.values().sum::<u64>(), first);
    let definitions = [("string", 0), ("walk", 0)].map(|(kind, bytes)| (kind.to_owned(), bytes));
    expected.extend(definitions);
    assert!(with_definitions.keys().eq(expected.keys()), "{with_definitions:?}");
}

#[test]
fn lists_of_frames_are_told_apart_when_they_return() {
    let lists = [1, 2].map(|line| vec![common::walked("x/Y", Some(line))]);
    let events: Vec<Record> = [0, 1, 0, 1].iter().map(|&list| common::event(7, 1, lists[list].clone())).collect();
    let mut builder = BlockBuilder::new();
    events.iter().for_each(|record| builder.push(record));
    let mut bytes = encode_header(&common::header());
    bytes.extend(builder.finish(0));
    let read: Vec<Record> = common::read(&bytes).0.into_iter().map(|(_, record)| record).collect();
    assert_eq!(read, events);
}

#[test]
fn definitions_are_given_again_after_a_block_could_not_be_written() {
    let mut builder = BlockBuilder::new();
    builder.push(&common::event(0, 16, vec![common::walked("x/Y", None)]));
    builder.finish(0);
    builder.forget_definitions();
    builder.push(&common::event(1, 16, vec![common::walked("x/Y", None)]));
    let mut bytes = encode_header(&common::header());
    bytes.extend(builder.finish(1));
    let (read, errors, damage) = common::read(&bytes);
    assert_eq!((read.len(), errors.len(), damage.len()), (1, 0, 1));
    assert_eq!(read[0].0, 1);
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), "[a-c]/[A-C]", "\\PC{0,12}"]
}

/// What a record names by its id.
fn named() -> impl Strategy<Value = Arc<str>> {
    text().prop_map(Arc::from)
}

fn word() -> impl Strategy<Value = Word> {
    any::<u64>().prop_map(Word)
}

fn frame() -> impl Strategy<Value = WalkedFrame> {
    let line = option::of(0..u32::MAX);
    (named(), named(), named(), line).prop_map(|(class, method, desc, line)| WalkedFrame { class, method, desc, line })
}

fn id() -> impl Strategy<Value = u32> {
    prop_oneof![0..100_u32, any::<u32>()]
}

fn code() -> impl Strategy<Value = Record> {
    prop_oneof![
        (id(), named(), option::of(named()), id()).prop_map(|(id, name, source, loader)| Record::Class {
            id: ClassId(id),
            name,
            source,
            loader
        }),
        (id(), id(), named(), named(), any::<u16>(), any::<bool>()).prop_map(
            |(id, class, name, desc, access, huge)| {
                Record::Method { id: MethodId(id), class: ClassId(class), name, desc, access, huge }
            }
        ),
        (id(), id(), any::<u16>(), option::of(any::<u16>()), any::<u8>(), named(), named(), named()).prop_map(
            |(id, method, bci, line, kind, owner, name, desc)| Record::Site {
                id: SiteId(id),
                method: MethodId(method),
                bci: Bci(bci),
                line,
                kind,
                owner,
                name,
                desc
            }
        ),
        (named(), option::of(named()), named()).prop_map(|(class, method, reason)| Record::Skip {
            class,
            method,
            reason
        }),
        (id(), text(), any::<u64>()).prop_map(|(id, name, java_id)| Record::Thread { id, name, java_id }),
        (id(), text()).prop_map(|(id, name)| Record::Kind { id, owner: Owner::Program, name }),
        id().prop_map(|id| Record::Kind { id, owner: Owner::Agent, name: "leak.objects".into() }),
        text().prop_map(|text| Record::Mismatch { text }),
        text().prop_map(|text| Record::Note { text }),
        Just(Record::End),
    ]
}

fn graph() -> impl Strategy<Value = Record> {
    let segment = (id(), id(), any::<u64>(), any::<u64>(), any::<bool>(), any::<u64>());
    prop_oneof![
        (id(), id(), id()).prop_map(|(id, site, callee)| Record::Edge {
            id: EdgeId(id),
            site: SiteId(site),
            callee: MethodId(callee)
        }),
        id().prop_map(|edge| Record::Cut { edge: EdgeId(edge) }),
        id().prop_map(|edge| Record::Unrolled { edge: EdgeId(edge) }),
        id().prop_map(|method| Record::Unloaded { method: MethodId(method) }),
        segment.prop_map(|(edge, version, lo, len, restoring, base)| Record::Segment {
            edge: EdgeId(edge),
            version: Version(version),
            lo,
            len,
            restoring,
            base
        }),
        (id(), id(), any::<u64>()).prop_map(|(edge, version, number)| Record::CutNumber {
            edge: EdgeId(edge),
            version: Version(version),
            number
        }),
        (id(), any::<u64>()).prop_map(|(version, digest)| Record::NewVersion { version: Version(version), digest }),
        (id(), id(), id()).prop_map(|(id, parent, site)| Record::Node {
            id: NodeId(id),
            parent: NodeId(parent),
            site: SiteId(site)
        }),
        (id(), id(), id()).prop_map(|(version, site, callee)| Record::PaperEdge {
            version: Version(version),
            site: SiteId(site),
            callee: MethodId(callee)
        }),
        (id(), id(), any::<u64>()).prop_map(|(version, method, contexts)| Record::PaperContexts {
            version: Version(version),
            method: MethodId(method),
            contexts
        }),
        (id(), id(), id()).prop_map(|(version, method, last)| Record::PaperLastVersion {
            version: Version(version),
            method: MethodId(method),
            last: Version(last)
        }),
        (id(), vec(named(), 0..4)).prop_map(|(edge, frames)| Record::Via { edge: EdgeId(edge), frames }),
        vec((text(), any::<u64>()), 0..4).prop_map(|values| Record::Counters { values }),
    ]
}

fn origin() -> impl Strategy<Value = Record> {
    let kind = prop_oneof![Just(OriginKind::Started), Just(OriginKind::Submitted)];
    let ground = (0..Ground::ALL.len()).prop_map(|index| Ground::ALL[index]);
    prop_oneof![
        (id(), text(), any::<u64>(), id()).prop_map(|(id, name, java_id, origin)| Record::ThreadOf {
            id,
            name,
            java_id,
            origin: OriginId(origin)
        }),
        (id(), id(), id(), kind, ground, any::<bool>()).prop_map(|(id, node, parent, kind, ground, cut)| {
            Record::Origin { id: OriginId(id), node: NodeId(node), kind, ground, parent: OriginId(parent), cut }
        }),
    ]
}

fn numbering() -> impl Strategy<Value = Record> {
    let cause = (0..Cause::ALL.len()).prop_map(|index| Cause::ALL[index]);
    (id(), cause, any::<[u64; 6]>()).prop_map(|(version, cause, [time_ns, nanos, methods, edges, largest, cut])| {
        Record::Numbering { version: Version(version), time_ns, cause, nanos, methods, edges, largest, cut }
    })
}

fn learned() -> impl Strategy<Value = Record> {
    (any::<u64>(), id(), id(), any::<bool>()).prop_map(|(word, method, node, ambiguous)| Record::Learned {
        word,
        method: MethodId(method),
        node: NodeId(node),
        ambiguous,
    })
}

fn profile() -> impl Strategy<Value = Record> {
    let figures = any::<[u64; 8]>();
    prop_oneof![
        figures.prop_map(|[period, counters, entries, samples, dropped, lost, replaced, unseen]| Record::Profile {
            period,
            counters,
            entries,
            samples,
            dropped,
            lost,
            replaced,
            unseen
        }),
        (id(), any::<u64>(), any::<u64>()).prop_map(|(node, count, error)| Record::ProfileContext {
            node: NodeId(node),
            count,
            error
        }),
    ]
}

fn event() -> impl Strategy<Value = Record> {
    let what = (any::<u64>(), id(), id(), any::<i64>(), option::of(named()));
    let place = (word(), id(), id(), id(), vec(frame(), 0..4));
    (what, place).prop_map(|((time_ns, thread, kind, value, class), (word, site, chain, node, walked))| Record::Event {
        time_ns,
        thread,
        kind,
        value,
        word,
        site: SiteId(site),
        chain: NodeId(chain),
        class,
        walked: walked.into(),
        node: NodeId(node),
    })
}

fn tally() -> impl Strategy<Value = Record> {
    let place = (id(), id(), word(), option::of(named()));
    (id(), place, any::<u64>(), any::<u64>()).prop_map(|(kind, (node, site, word, class), count, value)| {
        Record::Tally { kind, node: NodeId(node), site: SiteId(site), word, class, count, value }
    })
}

proptest! {
    #[test]
    fn any_records_in_any_blocks_come_back(blocks in vec(vec(prop_oneof![code(), graph(), numbering(), learned(), profile(), origin(), event(), tally()], 0..20), 0..6)) {
        let mut builder = BlockBuilder::new();
        let mut bytes = encode_header(&common::header());
        for (seq, block) in blocks.iter().enumerate() {
            block.iter().for_each(|record| builder.push(record));
            bytes.extend(builder.finish(seq as u64));
        }
        let (read, errors, damage) = common::read(&bytes);
        let read: Vec<Record> = read.into_iter().map(|(_, record)| record).collect();
        prop_assert_eq!(read, blocks.concat());
        prop_assert!(errors.is_empty() && damage.is_empty());
    }
}
