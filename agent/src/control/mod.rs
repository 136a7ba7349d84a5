//! A running agent: its socket, the late start and the kill switch, unloading, the last report.

pub mod report;
pub mod socket;
