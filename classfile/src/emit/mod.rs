//! The inserted code, and the method around it.

pub(crate) mod assembler;
pub(crate) mod constants;
pub(crate) mod encode;
pub(crate) mod hooks;
pub(crate) mod layout;
pub(crate) mod method;
pub(crate) mod tally;
pub(crate) mod verifier_barrier;
