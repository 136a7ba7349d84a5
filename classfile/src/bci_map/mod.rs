//! From rewritten code back to the code as it came, and whose code it is.

pub(crate) mod inserted;
pub(crate) mod maps;
pub(crate) mod opcode_hash;
pub(crate) mod prologue;
