//! Memory that goes from class to class, so that few of them allocate.

pub(crate) mod reusable_vec;
pub(crate) mod table;
pub(crate) mod vec_reuse;
