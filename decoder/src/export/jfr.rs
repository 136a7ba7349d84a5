//! JFR: one chunk with the sums as events.
//!
//! Invariant: each sum is one event `lucce.*`, with number, value, context and origin. A sum of a
//! kind that the JVM has an event for is such an event, too, with the whole weight or duration;
//! where that event has neither, it is as many as the sum counts.
//! Source: JDK 25, `jdk.jfr.internal.consumer` (`ChunkHeader`, `MetadataReader`, `ChunkParser`) and
//! `share/jfr/metadata/metadata.xml`.
//!
//! A chunk is a header of 68 bytes, big-endian, then events, one checkpoint with all constants, and
//! the metadata, which declares the types of everything before.

mod bytes;
mod events;
mod metadata;
mod pools;
mod types;

use std::io::{self, Write};

use bytes::Bytes;
use events::Events;

use super::Profile;

const HEADER: u64 = 68;
const TICKS_PER_SECOND: u64 = 1_000_000_000;
/// Numbers in events are LEB128; the chunk is the last of its recording.
const FEATURES: u32 = 0b11;
/// Type numbers of the two records that are no events.
const METADATA: u64 = 0;
const CHECKPOINT: u64 = 1;
/// Larger than that of any event: the metadata are those of the whole chunk.
const METADATA_ID: u64 = 0x7fff_ffff;

/// Writes the sums of a kind, or of all kinds.
///
/// # Errors
/// Those of `out`.
pub fn write(profile: &Profile, kind: Option<usize>, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    let (begin, end) = profile.span();
    let mut events = Events::default();
    let mut pools = pools::Pools::new(profile);
    for sum in profile.sums().iter().filter(|sum| kind.is_none_or(|kind| kind == sum.kind)) {
        events.add(profile, sum, begin, &mut pools);
    }
    let checkpoint = HEADER.saturating_add(events.len());
    let mut rest = Bytes::default();
    rest.record(CHECKPOINT, |record| pools.finish(record));
    let metadata = checkpoint.saturating_add(rest.len());
    rest.record(METADATA, metadata::write);
    let size = checkpoint.saturating_add(rest.len());
    out.write_all(b"FLR\0")?;
    out.write_all(&[0, 2, 0, 1])?;
    for long in [size, checkpoint, metadata, begin, (end - begin).max(1), 0, TICKS_PER_SECOND] {
        out.write_all(&long.to_be_bytes())?;
    }
    out.write_all(&FEATURES.to_be_bytes())?;
    events.write(out)?;
    out.write_all(rest.as_slice())
}
