//! Class files in, class files with hooks out: the scan, the relocation of every offset, and the emitted code.
//!
//! Invariant: bytes in, bytes or a named [`SkipReason`] out. No I/O, no clock, no global, no `unsafe`, and no
//! panic on any input. The constant pool only grows at its end; whatever is not known is copied byte for byte.
//! Source: docs/design/mechanisms.md, docs/design/emitted-code.md, JVMS chapter 4.

#![forbid(unsafe_code)]

mod absent;
mod annotations;
mod around;
mod assembler;
mod attribute;
mod changed;
mod class;
mod code;
mod constants;
mod depth;
mod descriptor;
mod encode;
mod failover;
mod faults;
mod fence;
mod flow;
mod frames;
mod guard;
mod hooks;
mod identity;
mod inserted;
mod insertion;
mod instrument;
mod late;
mod layout;
mod maps;
mod member_refs;
mod members;
mod method;
mod numbers;
mod opcode;
mod parks;
mod plan;
mod points;
mod pool;
mod prologue;
mod quiet;
mod reader;
mod recorded;
mod recycled;
mod room;
mod rounds;
mod skeleton;
mod skip;
mod summary;
mod table;
mod tables;
mod tally;
mod thread;
mod type_annotations;
mod typing;
mod untouched;
mod uses;
mod version;

pub use changed::{changed, guard_changed};
pub use faults::Faults;
pub use guard::{Kept, guard, guard_origins};
pub use identity::identity;
pub use inserted::Inserted;
pub use insertion::{Argument, At, Insertion, insert};
pub use instrument::{
    Ids, Instrumented, MethodInfo, Options, Outcome, Policy, Scratch, SiteInfo, SiteKind, instrument, instrument_with,
};
pub use maps::{BciMap, LineTable};
pub use numbers::Counting;
pub use parks::time_parks;
pub use prologue::method_id_of;
pub use recorded::{Recorded, Witness, record};
pub use skeleton::skeleton;
pub use skip::SkipReason;
pub use summary::{MethodSummary, Summary, summary};
pub use thread::add_thread_state;
