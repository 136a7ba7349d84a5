//! Everything that touches the JVM's own interfaces: thin, checked wrappers with the safety arguments in one place.

pub mod attached;
pub mod frames;
pub mod image;
pub mod jni;
pub mod jvmti;
pub mod methods;
pub mod others;
mod redefined;
pub mod text;
pub mod thread;
pub mod vm;
