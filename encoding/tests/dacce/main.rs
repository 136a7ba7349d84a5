//! DACCE: the paper's figures, and random traces against explicit stacks with re-encodings at any
//! moment.
//!
//! The drawings are taken as far as the text of sections 2 to 4 fixes them.
//! Source: DACCE (Li et al., CGO 2014), sections 2 to 4 and 6.

mod figures;
mod rules;
mod traces;
