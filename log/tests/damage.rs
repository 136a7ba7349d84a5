//! Damage of every kind at every offset of a small log: what is whole is read, what is not is
//! reported, nothing is invented.
//!
//! Invariant: what a damaged file gives is a subsequence of what the whole file gives.
//! Source: docs/FORMAT.md, "Damage".

mod common;

use lucce_log::{BlockBuilder, GapLoss, NotALog, Reader, Record, What};

fn is_subsequence(part: &[(u64, Record)], whole: &[(u64, Record)]) -> bool {
    let mut whole = whole.iter();
    part.iter().all(|record| whole.any(|other| other == record))
}

/// Records, errors included, of the block at this index.
fn count(block: usize) -> usize {
    common::records()[block].len()
}

#[test]
fn a_flipped_bit_costs_its_own_block_and_what_needs_it() {
    let (bytes, starts) = common::file();
    let (whole, _, _) = common::read(&bytes);
    for at in 0..bytes.len() {
        let hit = starts.iter().rposition(|&start| at >= start);
        for bit in 0..8 {
            let mut broken = bytes.clone();
            broken[at] ^= 1 << bit;
            let (read, errors, damage) = common::read(&broken);
            assert!(is_subsequence(&read, &whole), "byte {at} bit {bit}: an invented record");
            assert_eq!(damage.len(), 1, "byte {at} bit {bit}: {damage:?}");
            let expected = match hit {
                None => whole.len(),
                Some(block) => whole.len() - count(block),
            };
            assert_eq!(read.len() + errors.len(), expected, "byte {at} bit {bit}");
            assert_eq!(damage[0].offset, hit.map_or(0, |block| starts[block] as u64));
        }
    }
}

#[test]
fn a_cut_file_gives_all_its_whole_blocks() {
    let (bytes, starts) = common::file();
    let (whole, _, _) = common::read(&bytes);
    for end in 0..bytes.len() {
        if end < 8 {
            assert_eq!(Reader::new(&bytes[..end]).err(), Some(NotALog::Magic));
            continue;
        }
        let (read, errors, damage) = common::read(&bytes[..end]);
        let blocks = starts.iter().skip(1).chain([&bytes.len()]).filter(|&&next| next <= end).count();
        assert_eq!(read, whole[..(0..blocks).map(count).sum()], "cut at {end}");
        assert!(errors.is_empty());
        if starts.contains(&end) {
            assert!(damage.is_empty(), "cut at {end}: {damage:?}");
        } else {
            assert_eq!((damage.len(), damage[0].what), (1, What::Cut), "cut at {end}");
            let offset = starts.get(blocks).filter(|&&start| start <= end).map_or(0, |&start| start as u64);
            assert_eq!((damage[0].offset, damage[0].offset + damage[0].len), (offset, end as u64));
        }
    }
}

#[test]
fn a_missing_block_is_a_gap_whose_content_is_known() {
    let (bytes, starts) = common::file();
    let mut broken = bytes[..starts[1]].to_vec();
    broken.extend(&bytes[starts[2]..]);
    let (_, errors, damage) = common::read(&broken);
    assert_eq!(damage.len(), 1);
    assert_eq!((damage[0].what, damage[0].lost), (What::Gap, Some(GapLoss { blocks: 1, events: 2 })));
    assert_eq!(damage[0].to_string(), format!("offset {}: blocks missing, 1 block with 2 events lost", starts[1]));
    // Its only event needs a list of frames from the missing block.
    assert_eq!(errors.len(), 1);
}

#[test]
fn foreign_bytes_between_blocks_are_passed_over() {
    let (bytes, starts) = common::file();
    let (whole, _, _) = common::read(&bytes);
    let mut broken = bytes[..starts[1]].to_vec();
    broken.extend([0xF7, b'L', b'B', b'2', 0, 0, 0xF7]);
    broken.extend(&bytes[starts[1]..]);
    let (read, _, damage) = common::read(&broken);
    assert_eq!(read, whole);
    assert_eq!(
        (damage[0].what, damage[0].len, damage[0].lost),
        (What::Block, 7, Some(GapLoss { blocks: 0, events: 0 }))
    );
}

#[test]
fn behind_another_log_nothing_is_read() {
    let (bytes, starts) = common::file();
    let (whole, _, _) = common::read(&bytes);
    let blocks = |count: usize| -> usize { (0..count).map(self::count).sum() };
    for bit in 0..8 * starts[0] {
        // The second one as it is, or with any bit of its header damaged.
        let mut second = bytes.clone();
        if bit > 0 {
            second[bit / 8] ^= 1 << (bit % 8);
        }
        for (cut, read) in [(bytes.len(), whole.len()), (starts[2], blocks(2)), (starts[2] + 50, blocks(2))] {
            let (records, errors, damage) = common::read(&[&bytes[..cut], &second].concat());
            assert_eq!((records, errors.len()), (whole[..read].to_vec(), 0), "cut at {cut}, bit {bit}");
            let last = damage.last().expect("damage");
            assert_eq!((last.what, last.len, &last.lost), (What::Another, 0, &None), "cut at {cut}, bit {bit}");
            let begins = [cut, cut + starts[0]].map(|at| at as u64);
            assert!(begins.contains(&last.offset) && (bit > 0 || last.offset == begins[0]), "{damage:?}");
        }
    }
    let (_, _, damage) = common::read(&[&bytes[..], &bytes].concat());
    assert_eq!(damage.len(), 1);
    let line = format!("offset {}: another log begins, split the file there", bytes.len());
    assert_eq!(damage[0].to_string(), line);
}

#[test]
fn numbers_of_blocks_and_events_only_grow() {
    let (bytes, starts) = common::file();
    let (whole, _, _) = common::read(&bytes);
    // The first block once more, and one with an event behind it where its number would fit.
    let again = [&bytes[..starts[2]], &bytes[starts[0]..]].concat();
    let mut builder = BlockBuilder::new();
    builder.push(&common::event(0, 1, vec![]));
    let fewer = [&bytes[..starts[2]], &builder.finish(2), &bytes[starts[2]..]].concat();
    for bytes in [again, fewer] {
        let (records, _, damage) = common::read(&bytes);
        assert_eq!(records, whole[..count(0) + count(1)]);
        assert_eq!((damage.len(), damage[0].what, damage[0].offset), (1, What::Another, starts[2] as u64));
    }
}

#[test]
fn a_damaged_block_that_holds_the_magic_of_a_header_hides_no_other() {
    let mut builder = BlockBuilder::new();
    let mut bytes = lucce_log::encode_header(&common::header());
    let start = bytes.len();
    builder.push(&Record::Note { text: "LUCCELOG".into() });
    bytes.extend(builder.finish(0));
    builder.push(&Record::End);
    bytes.extend(builder.finish(1));
    bytes[start + 4] ^= 1;
    let (records, _, damage) = common::read(&bytes);
    assert_eq!((records, damage.len()), (vec![(0, Record::End)], 1));
}

#[test]
fn other_files_are_no_logs() {
    for bytes in [&b""[..], b"LUCCE", b"PK\x03\x04 some archive", &[0xF7; 100]] {
        assert_eq!(Reader::new(bytes).err(), Some(NotALog::Magic));
    }
}

#[test]
fn a_log_of_a_newer_format_says_so() {
    let header = lucce_log::Header { format: 99, ..common::header() };
    assert_eq!(Reader::new(&lucce_log::encode_header(&header)).err(), Some(NotALog::Format(99)));
}
