//! CRC-32 (IEEE 802.3), a byte at a time.
//!
//! Invariant: equal to zlib's `crc32`. Source: ISO 3309; RFC 1952, section 8.

const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut value, mut bit) = (byte as u32, 0);
        while bit < 8 {
            value = if value & 1 == 0 { value >> 1 } else { value >> 1 ^ 0xEDB8_8320 };
            bit += 1;
        }
        table[byte] = value;
        byte += 1;
    }
    table
};

/// The checksum of some bytes.
pub(super) fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |sum: u32, byte| sum >> 8 ^ TABLE[((sum ^ u32::from(*byte)) & 0xFF) as usize])
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_checksum_of_the_standards_text() {
        assert_eq!(super::crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(super::crc32(b""), 0);
    }
}
