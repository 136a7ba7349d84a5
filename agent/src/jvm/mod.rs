//! Everything that touches the JVM's own interfaces: thin, checked wrappers with the safety
//! arguments in one place.

pub mod attached;
pub mod env;
pub mod global;
pub mod image;
pub mod jni;
pub mod jvmti;
pub mod others;
pub mod part;
pub mod redefined;
pub mod thread;
pub mod walks_class;
