//! The writer of a run: files that can be read alone, keyframes, and a file that is read while it
//! grows.
//!
//! Invariant: what was pushed comes back, each record once in a run but for definitions, which
//! every later file and keyframe repeats.
//! Source: docs/FORMAT.md, "Files and keyframes".

mod common;

use std::iter;

use lucce_log::{Composer, Reader, Record, Tables, Tail, TailItem, encode_header, pinned};

/// All records of `common::records`, one batch for each of its blocks.
fn batches() -> Vec<Vec<Record>> {
    common::records()
}

fn definitions(batches: &[Vec<Record>]) -> Vec<Record> {
    batches.iter().flatten().filter(|record| record.is_definition()).cloned().collect()
}

fn file(blocks: &[Vec<u8>]) -> Vec<u8> {
    [encode_header(&common::header()), blocks.concat()].concat()
}

fn whole(bytes: &[u8]) -> Vec<Record> {
    let (records, errors, damage) = common::read(bytes);
    assert!(errors.is_empty() && damage.is_empty(), "{errors:?} {damage:?}");
    records.into_iter().map(|(_, record)| record).collect()
}

#[test]
fn definitions_stand_before_events_and_nothing_else_changes() {
    let mut composer = Composer::new(true);
    let mut blocks = Vec::new();
    for batch in batches() {
        batch.iter().for_each(|record| composer.push(record));
        blocks.append(&mut composer.finish());
    }
    let records = whole(&file(&blocks));
    let of = |wanted: bool, records: &[Record]| -> Vec<Record> {
        records.iter().filter(|record| record.is_definition() == wanted).cloned().collect()
    };
    let pushed: Vec<Record> = batches().concat();
    assert_eq!(of(true, &records), of(true, &pushed));
    assert_eq!(of(false, &records), of(false, &pushed));
}

#[test]
fn every_later_file_begins_with_all_definitions_so_far() {
    let mut composer = Composer::new(true);
    let batches = batches();
    let (mut first, mut blocks) = (Vec::new(), Vec::new());
    for (at, batch) in batches.iter().enumerate() {
        batch.iter().for_each(|record| composer.push(record));
        blocks.append(&mut composer.finish());
        let records = whole(&file(&blocks));
        if at > 0 {
            let before = definitions(&batches[..at]);
            assert_eq!(records[..before.len()], before[..], "file {at} begins with them");
            assert_eq!(
                records.iter().filter(|record| record.is_definition()).cloned().collect::<Vec<_>>(),
                definitions(&batches[..=at])
            );
            assert_eq!(
                records.iter().filter(|record| !record.is_definition()).count(),
                batch.iter().filter(|record| !record.is_definition()).count()
            );
        } else {
            first = records;
        }
        composer.next_file();
        blocks = iter::from_fn(|| composer.repeated()).collect();
    }
    assert_eq!(first, batches[0]);
}

#[test]
fn a_keyframe_says_how_many_blocks_repeat_all_definitions() {
    let mut composer = Composer::new(true);
    let (mut blocks, batches) = (Vec::new(), batches());
    for batch in &batches[..2] {
        batch.iter().for_each(|record| composer.push(record));
        blocks.append(&mut composer.finish());
    }
    let before = blocks.len();
    blocks.append(&mut composer.keyframe());
    blocks.extend(iter::from_fn(|| composer.repeated()));
    batches[2].iter().for_each(|record| composer.push(record));
    blocks.append(&mut composer.finish());
    let bytes = file(&blocks);
    let mut tables = Tables::default();
    let mut reader = Reader::new(&bytes).expect("a log").map(|block| block.expect("no damage")).skip(before);
    let mut records = |tables: &mut Tables| -> Vec<Record> {
        let block = reader.next().expect("a block");
        block.records(tables).flatten().collect()
    };
    let marker = records(&mut tables);
    let [Record::Keyframe { blocks: repeated }] = marker[..] else { panic!("{marker:?}") };
    // Nothing before it was read: all that they need is in them.
    let again: Vec<Record> = (0..repeated).flat_map(|_| records(&mut tables)).collect();
    assert_eq!(again, definitions(&batches[..2]));
    // Nor for what comes after.
    let after: usize = (0..2).map(|_| records(&mut tables).len()).sum();
    assert_eq!(after, batches[2].len());
}

/// What stands first is as long whatever it says, and is written over without harm to the blocks
/// behind it.
#[test]
fn a_pinned_block_is_written_over_and_each_file_leaves_a_place_for_it() {
    let refused = |ended, events| Record::Refused { ended, dropped: vec![("events.dropped".into(), events)] };
    let (before, after) = (refused(false, 0), refused(true, u64::MAX));
    assert_eq!(pinned(&before).len(), pinned(&after).len());
    let mut composer = Composer::new(true).behind_pinned();
    let batches = batches();
    for (batch, record) in batches.iter().zip([&before, &after]) {
        batch.iter().for_each(|record| composer.push(record));
        let blocks: Vec<Vec<u8>> = [pinned(record)].into_iter().chain(composer.finish()).collect();
        let bytes = file(&blocks);
        let mut tables = Tables::default();
        let mut reader = Reader::new(&bytes).expect("a log").map(|block| block.expect("no damage"));
        let first: Vec<_> = reader.next().expect("a block").records(&mut tables).flatten().collect();
        assert_eq!(first, std::slice::from_ref(record));
        assert_eq!(reader.count(), blocks.len() - 1);
        composer.next_file();
        assert!(composer.repeated().is_some());
        while composer.repeated().is_some() {}
        composer.next_file();
    }
}

#[test]
fn without_repeats_nothing_is_kept() {
    let mut composer = Composer::new(false);
    batches().concat().iter().for_each(|record| composer.push(record));
    let blocks = composer.finish().len();
    assert_eq!((blocks, composer.keyframe().len(), composer.definitions_len()), (2, 0, 0));
    assert_eq!(composer.repeated(), None);
}

/// Both readers give the same of these bytes, the one of a growing file in pieces of any length.
fn grows_as_it_is_read(bytes: &[u8], what: &str) {
    let whole = Reader::new(bytes).expect("a log");
    let header = whole.header().cloned();
    let expected: Vec<_> =
        whole.map(|block| block.map(|block| (block.offset, block.seq, block.stored_len()))).collect();
    for piece in [1, 7, 64, bytes.len()] {
        let (mut tail, mut steps) = (Tail::new(), Vec::new());
        for part in bytes.chunks(piece) {
            tail.grow(part);
            while let Some(step) = tail.step().expect("a log") {
                steps.push(match step {
                    TailItem::Block(block) => Ok((block.offset, block.seq, block.stored_len())),
                    TailItem::Damage(damage) => Err(damage),
                });
            }
        }
        assert_eq!(steps, expected, "{what}, in pieces of {piece}");
        assert_eq!(tail.header(), header.as_ref(), "{what}");
    }
}

#[test]
fn a_file_that_grows_is_read_as_a_whole_one_is() {
    let (file, starts) = common::file();
    let broken = |at: usize| {
        let mut bytes = file.clone();
        bytes[at] ^= 1;
        bytes
    };
    grows_as_it_is_read(&broken(starts[1] + 50), "the second block damaged");
    // Each bit of the length, with some of which the header seems to end far behind the file's end,
    // of the checksum, and of the first byte of the JSON. What begins with another magic is no log
    // to one who has no more of it.
    for at in 8..=16 {
        for bit in 0..8 {
            let mut bytes = file.clone();
            bytes[at] ^= 1 << bit;
            grows_as_it_is_read(&bytes, &format!("bit {bit} of byte {at} of the header damaged"));
        }
    }
    let cut = &file[..starts[2] + 50];
    for (what, bytes) in [
        ("two logs", [&file[..], &file].concat()),
        ("two logs, the first one cut", [cut, &file].concat()),
        ("two logs, the second header damaged", [&file[..], &broken(20)].concat()),
        ("two logs, the second magic damaged", [&file[..], &broken(0)].concat()),
        ("two logs, the first one cut, the second header damaged", [cut, &broken(20)].concat()),
        ("two logs, the second without a header", [&file[..], &file[starts[0]..]].concat()),
    ] {
        grows_as_it_is_read(&bytes, what);
    }
}

#[test]
fn bytes_that_are_taken_back_are_read_again() {
    let (bytes, starts) = common::file();
    let mut tail = Tail::new();
    tail.grow(&bytes[..starts[1] + 9]);
    assert!(matches!(tail.step(), Ok(Some(TailItem::Block(_)))) && matches!(tail.step(), Ok(None)));
    assert_eq!(tail.shrink(), starts[1] as u64);
    tail.grow(&bytes[starts[1]..]);
    let rest = std::iter::from_fn(|| tail.step().expect("a log")).count();
    assert_eq!(rest, starts.len() - 1);
}
