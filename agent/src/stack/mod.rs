//! The JVM's frames as methods of ours, what stands between two of them, and what makes a thread's
//! words doubtful.

pub mod continuations;
pub mod dropped;
pub mod frames;
pub mod learned;
pub mod methods;
pub mod part;
pub mod redefinitions;
pub mod skipped_frames;
pub mod stopped;
pub mod upcalls;
