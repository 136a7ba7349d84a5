//! From the JVM's frames to contexts: walks, what stands between two frames with hooks, and what makes a thread's words doubtful.

pub mod continuations;
pub mod dropped;
pub mod frames;
pub mod methods;
pub mod stopped;
pub mod upcalls;
pub mod via;
