//! What the fuzz target and its smoke test run: any bytes are read to the end, without a panic.
//!
//! Invariant: reading ends, gives no more records than there are bytes, and counts each byte as of
//! one kind.
//! Source: docs/FORMAT.md, "Damage".

use lucce_log::{Reader, Tables};

/// Reads `bytes` as a file, and as the payload of a block whose checksum holds.
pub fn reader(bytes: &[u8]) {
    read(bytes);
    read(&framed(bytes));
}

/// A block, uncompressed, with this payload.
pub fn framed(payload: &[u8]) -> Vec<u8> {
    let mut rest = Vec::new();
    rest.extend((payload.len() as u32).to_le_bytes());
    rest.extend((payload.len() as u32).to_le_bytes());
    rest.extend([0; 24]);
    rest.extend(payload);
    let mut block = vec![0xF7, b'L', b'B', b'2'];
    block.extend(crc32fast::hash(&rest).to_le_bytes());
    block.extend(rest);
    block
}

fn read(bytes: &[u8]) {
    let Ok(reader) = Reader::new(bytes) else {
        return;
    };
    let mut tables = Tables::default();
    for block in reader.flatten() {
        let mut reading = block.records(&mut tables);
        let records = reading.by_ref().count() as u64;
        assert!(records <= block.raw_len(), "{records} records in {} bytes", block.raw_len());
        let kinds = reading.tally().kinds();
        assert_eq!(kinds.values().sum::<u64>(), block.raw_len(), "{kinds:?}");
    }
}
