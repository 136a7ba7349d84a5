//! The class file as the JVM specification has it: bytes, pool, members, attributes, code.

pub(crate) mod annotations;
pub(crate) mod attribute;
pub(crate) mod class;
pub(crate) mod code;
pub(crate) mod descriptor;
pub(crate) mod member_refs;
pub(crate) mod members;
pub(crate) mod opcode;
pub(crate) mod pool;
pub(crate) mod reader;
pub(crate) mod tables;
pub(crate) mod type_annotations;
pub(crate) mod version;
