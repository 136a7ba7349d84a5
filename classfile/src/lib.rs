//! Class files in, class files with hooks out: the scan, the relocation of every offset, and the
//! emitted code.
//!
//! Invariant: bytes in, bytes or a named [`SkipReason`] out. No I/O, no clock, no global, no
//! `unsafe`, and no panic on any input. The constant pool only grows at its end; whatever is not
//! known is copied byte for byte.
//! Source: docs/design/mechanisms.md, docs/design/emitted-code.md, JVMS chapter 4.

#![forbid(unsafe_code)]

mod analyze;
mod bci_map;
mod cache;
mod edit;
mod emit;
mod faults;
mod format;
mod instrument;
mod memory;
mod planning;
mod sequential_ids;
mod skip;
mod stack_maps;
mod summary;
mod validate;

pub use bci_map::inserted::Inserted;
pub use bci_map::maps::{BciMap, LineTable};
pub use bci_map::opcode_hash::opcode_hash;
pub use bci_map::prologue::method_id_of;
pub use cache::recorded::{PolicyTrace, Recorded, record};
pub use edit::changed::{changed, guard_changed};
pub use edit::guard::{KeptOrigin, guard, guard_origins};
pub use edit::identity::identity;
pub use edit::insertion::{Argument, Insertion, InsertionPoint, insert};
pub use edit::park_timing::time_parks;
pub use edit::thread::add_thread_state;
pub use faults::Faults;
pub use instrument::{
    HookOutcome, Ids, Instrumented, MethodOutcome, Policy, PublishedSite, RewriteBuffers, RewriteOptions, SiteKind,
    instrument, instrument_with,
};
pub use sequential_ids::SequentialIds;
pub use skip::SkipReason;
pub use summary::{MethodSummary, Summary, annotated, summary};
