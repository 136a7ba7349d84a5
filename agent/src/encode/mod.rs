//! From an entry or a stack to a word, and from a word to a number: slow entries, walks, captures,
//! and a folder for each encoder.

pub mod algorithm1;
pub mod begun;
pub mod capture;
pub mod cct;
pub mod context;
pub mod current_context;
pub mod encoder;
pub mod entered;
pub mod entry;
pub mod foreign;
pub mod lucce;
pub mod made;
pub mod pcc;
pub mod walk;
pub mod walks;
