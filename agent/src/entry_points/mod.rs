//! Where the JVM, Java code and other agents come in: one line each into the other rooms.

pub mod abi;
pub mod callbacks;
pub mod natives;
