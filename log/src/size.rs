//! Sizes as options are written: the agent is given them, and a header keeps them as they were.
//!
//! Invariant: who reads a header takes a size for what the agent took it for. Source:
//! docs/guide/options.md; docs/FORMAT.md, "Header" (`options`).

/// `512`, `512k`, `2m`, `1g`; at least 1 and below 2^31.
pub fn size(text: &str) -> Option<u32> {
    long_size(text).and_then(|bytes| i32::try_from(bytes).ok()).map(i32::unsigned_abs)
}

/// The same without that limit.
pub fn long_size(text: &str) -> Option<u64> {
    let (digits, unit) = match text.as_bytes().last()?.to_ascii_lowercase() {
        b'k' => (&text[..text.len() - 1], 1 << 10),
        b'm' => (&text[..text.len() - 1], 1 << 20),
        b'g' => (&text[..text.len() - 1], 1 << 30),
        _ => (text, 1),
    };
    digits.parse::<u64>().ok()?.checked_mul(unit).filter(|&bytes| bytes > 0)
}
