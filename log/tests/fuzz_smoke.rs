//! A short run of the fuzz target on mutations of a real log; `log/fuzz` runs the same target for
//! as long as one likes.
//!
//! Invariant: deterministic, a few seconds.
//! Source: docs/FORMAT.md, "Damage".

mod common;
#[path = "../fuzz/target.rs"]
mod target;

use lucce_log::{BlockBuilder, Reader, Tables};
use lucce_words::random::Random;

fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.index(4) {
        let at = random.index(bytes.len());
        match random.index(5) {
            0 => bytes[at] ^= 1 << random.index(8),
            1 => bytes[at] = random.index(256) as u8,
            2 => bytes.truncate(at.max(1)),
            3 => bytes.insert(at, [0, 0x7F, 0xFF][random.index(3)]),
            _ => {
                let end = (at + random.index(40)).min(bytes.len());
                let copy = bytes[at..end].to_vec();
                let to = random.index(bytes.len());
                bytes.splice(to..to, copy);
            }
        }
    }
}

/// The payload of a block with every record, as the reader would see it behind the checksum.
fn payload() -> Vec<u8> {
    let mut builder = BlockBuilder::default();
    common::records().concat().iter().for_each(|record| builder.push(record));
    // Without a compressor the payload stands as it is behind the head of 40 bytes.
    builder.finish(0)[40..].to_vec()
}

#[test]
fn no_mutation_of_a_log_upsets_the_reader() {
    let mut random = Random::new(0x9E37_79B9_7F4A_7C15);
    let (file, payload) = (common::file().0, payload());
    for _ in 0..5_000 {
        for seed in [&file, &payload] {
            let mut bytes = seed.clone();
            mutate(&mut bytes, &mut random);
            target::reader(&bytes);
        }
    }
}

#[test]
fn the_target_reaches_the_records() {
    let framed = target::framed(&payload());
    let mut tables = Tables::default();
    let block = Reader::new(&framed).expect("a log").flatten().next().expect("a block");
    let records: Vec<_> = block.records(&mut tables).collect::<Result<_, _>>().expect("whole records");
    assert_eq!(records, common::records().concat());
}
