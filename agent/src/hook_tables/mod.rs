//! What the compiled hooks read by address: records, values, links, captured contexts. Nothing here knows the JVM.

pub mod calls;
pub mod context_table;
pub mod links;
pub mod memory;
pub mod sparse;
pub mod values;
