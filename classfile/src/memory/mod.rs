//! Memory that goes from class to class, so that few of them allocate.

pub(crate) mod recycled;
pub(crate) mod room;
pub(crate) mod table;
