//! Inferred call path profiling: the paper's figures, and what holds of any paths.
//!
//! Source: Mytkowicz, Coughlin and Diwan, "Inferred Call Path Profiling".

mod figures;
mod properties;
