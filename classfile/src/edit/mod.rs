//! Insertions other than hooks: Guards, fields and calls in classes of the JDK.

pub(crate) mod around;
pub(crate) mod changed;
pub(crate) mod guard;
pub(crate) mod identity;
pub(crate) mod insertion;
pub(crate) mod parks;
pub(crate) mod thread;
