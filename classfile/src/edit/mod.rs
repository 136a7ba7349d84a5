//! Insertions other than hooks: Guards, fields and calls in classes of the JDK.

pub(crate) mod changed;
pub(crate) mod guard;
pub(crate) mod identity;
pub(crate) mod insertion;
pub(crate) mod method_wrapper;
pub(crate) mod park_timing;
pub(crate) mod thread;
