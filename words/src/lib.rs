//! The vocabulary every crate shares: dense ids of the call graph, the packed context word, and how
//! names are written.
//!
//! Invariant: these types carry no behaviour beyond packing; they know no JVM, file or clock.
//! Source: Lucce section 2 (method, call site, edge, callId) and ARCHITECTURE ("Terms") (version,
//! segment).

#![forbid(unsafe_code)]

pub mod hashed;
mod ids;
mod number;
mod paged;
pub mod random;
pub mod signature;
pub mod text;
mod value;
pub mod varint;
pub mod weights;
mod word;

pub use ids::{Bci, ClassId, EdgeId, MethodId, NodeId, OriginId, SiteId, Version};
pub use number::{APPENDED, BLOCK, LONGEST_BLOCK, NUMBER_BITS, NUMBER_LIMIT, is_appended, within_part};
pub use paged::Paged;
pub use value::{ADDITION_BITS, TAGS, Value, WAYS};
pub use word::{Lost, Signal, Word};
