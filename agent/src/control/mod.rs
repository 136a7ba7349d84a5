//! A running agent: the socket with its commands, and the last report.

pub mod ending;
pub mod report;
pub mod socket;
