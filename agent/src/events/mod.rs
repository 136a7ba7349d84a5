//! Event sources and counters, and the way of an event into the log.

pub mod context_dump;
pub mod counted;
pub mod origins;
pub mod part;
pub mod profile;
pub mod recording;
pub mod sources;
pub mod tallies;
