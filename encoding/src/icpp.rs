//! Inferred call path profiling: contexts told apart by a height, the sum of the sizes of the
//! frames below, and by the method on top.
//!
//! [`GatheredContexts`] are the contexts that a run was seen in. A [`Search`] resizes frames, and
//! wraps call sites, until their heights differ. What it finds is written as a [`Map`], by which a
//! [`Decoder`] reads words of another run. [`WordFigures`] says how well.
//!
//! Invariant: no JVM, file, clock or global. The same paths and the same seed give the same map.
//! Source: Mytkowicz, Coughlin and Diwan, "Inferred Call Path Profiling", sections 4 to 9;
//! docs/design/icpp.md.

mod evaluation;
mod figures;
mod map;
mod paths;
mod search;
mod sizes;
mod training;

pub use evaluation::Decoder;
pub use figures::{PathOutcome, WordFigures};
pub use map::{Map, MapContext, MapError, MapMethod, MapSite};
pub use paths::{Label, Paths};
pub use search::{Search, Searched};
pub use sizes::Sizes;
pub use training::GatheredContexts;
