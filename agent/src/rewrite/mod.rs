//! Which class gets what: the load hook, the JDK's classes, what other agents change, the late start and the kill switch.

pub mod changed;
pub mod classes;
pub mod closed;
pub mod jdk;
pub mod restore;
pub mod tasks;
