//! What the JVM refuses in a class as it came, so that hooks never make it right.

pub(crate) mod failover;
pub(crate) mod pool_index_check;
pub(crate) mod untouched;
