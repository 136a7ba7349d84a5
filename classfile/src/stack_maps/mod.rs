//! StackMapTable: read, and written again.

pub(crate) mod frames;
