//! Damage of every kind at every offset of a small log: what is whole is read, what is not is reported, nothing is invented.
//!
//! Invariant: what a damaged file gives is a subsequence of what the whole file gives.
//! Source: docs/FORMAT.md, "Damage".

mod common;

use lucce_log::{Lost, NotALog, Reader, Record, What};

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
    assert_eq!((damage[0].what, damage[0].lost), (What::Gap, Some(Lost { blocks: 1, events: 2 })));
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
    assert_eq!((damage[0].what, damage[0].len, damage[0].lost), (What::Block, 7, Some(Lost { blocks: 0, events: 0 })));
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
