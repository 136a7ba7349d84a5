//! What other tools read: the sums of logs, by kind, context, class, thread and origin, in their
//! formats.
//!
//! Invariant: for each kind and class a written file has the sums that `--top` prints. Memory grows
//! with contexts, not with events.
//! Source: docs/FORMAT.md, "What lucce-decode prints"; the format of each file is named in its
//! module.
//!
//! A [`Gathered`] adds up the events of one log while it is read, [`Profile::add`] joins the sums
//! of several, and each format writes a [`Profile`].

pub mod collapsed;
mod gather;
pub mod jfr;
#[cfg(feature = "export")]
pub mod otlp;
#[cfg(feature = "export")]
pub mod pprof;
mod profile;
pub mod speedscope;
mod stacks;
mod timeline;

use crate::Unit;

pub use gather::Gathered;
pub use profile::{AddedLog, Holding, Leak, OriginStep, Profile, ProfileOrigin, ProfileThread, Sum};
pub use stacks::{FrameId, FrameKind, NamedFrame, StackId, Stacks};
pub use timeline::{Bin, Timeline};

/// As most formats call it.
fn name_of(unit: Unit) -> &'static str {
    match unit {
        Unit::Bytes => "bytes",
        Unit::Nanoseconds => "nanoseconds",
        Unit::Count => "count",
    }
}

/// The nearest number that 64 bits hold: most formats have no larger ones.
fn clamp(value: i128) -> i64 {
    i64::try_from(value).unwrap_or(if value < 0 { i64::MIN } else { i64::MAX })
}
