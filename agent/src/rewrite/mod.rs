//! Which class gets what: the load hook, the JDK's classes, what other agents change, the late
//! start and the kill switch.

pub mod changed;
pub mod classes;
pub mod jdk;
pub mod jdk_leaf_calls;
pub mod restore;
pub mod tasks;
