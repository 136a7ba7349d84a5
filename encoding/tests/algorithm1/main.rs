//! Algorithm 1: the paper's figures, random traces against explicit stacks, and how it ends when
//! numbers run out.
//!
//! The drawings of Figures 1 to 4 are taken as far as the text of Examples 1, 2 and 4 and section 3
//! fixes them.
//! Source: Lucce sections 2, 3 and 5; docs/design/published-encoders.md ("Algorithm 1").

mod figures;
mod natural;
mod traces;
mod without_lv;
