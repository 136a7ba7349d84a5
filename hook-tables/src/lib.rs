//! What the compiled hooks read by address: links, values, captured contexts, counts, nodes of
//! trees.
//!
//! Invariant: nothing here knows the JVM. Memory that the hooks may hold an address of stays mapped
//! for ever, and whatever Java, another thread or the kernel writes there is atomic. A reader finds
//! one whole record or another whole one, or sees that it has found none.
//! Source: docs/design/link-tables.md, docs/design/thread-state.md ("Captures"). The protocols are
//! modelled in `tests/protocols`.

pub mod calls;
pub mod cct;
pub mod context_table;
pub mod heap;
pub mod layout;
pub mod links;
pub mod memory;
pub mod origin_keys;
pub mod shadow_stack;
mod sizes;
pub mod sparse;
mod sync;
pub mod tables;
pub mod tallies;
pub mod values;
