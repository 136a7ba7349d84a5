//! What the JVM refuses in a class as it came, so that hooks never make it right.

pub(crate) mod absent;
pub(crate) mod failover;
pub(crate) mod untouched;
