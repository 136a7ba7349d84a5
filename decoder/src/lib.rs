//! Replay of a change log, and the way from an event to its stack trace. The command line
//! `lucce-decode` is a thin shell over it.
//!
//! Invariant: no I/O, no clock, no global; the agent is not known here. A trace is right or says
//! where it is unknown, never wrong.
//! Source: docs/FORMAT.md; ARCHITECTURE ("The contract").
//!
//! [`Log::read`] replays a file in memory, [`Log::stream`] does so without keeping its events,
//! [`Log::context`] decodes one event, and [`Contexts`] decodes many.

#![forbid(unsafe_code)]

mod assembly;
mod call_tree;
mod contexts;
pub mod diff;
mod event;
pub mod export;
mod filter;
mod fingerprint;
mod follow;
mod holders;
mod hot;
mod icpp;
mod kinds;
mod leaks;
mod log;
mod names;
mod origins;
mod own;
pub mod plain;
mod ranking;
mod refusal;
mod replaying;
#[cfg(feature = "export")]
pub mod report;
mod sampling;
mod shared;
mod stats;
mod stream;
mod trace;
mod unpack;
mod versions;

pub use call_tree::{CallTree, CallTreeNode};
pub use contexts::{ContextId, Contexts};
pub use event::{LoggedEvent, Origin, Place, Thread, WalkId};
pub use filter::{Filter, Shape, time};
pub use fingerprint::{At, Fingerprint, Fingerprints, NotAFingerprint, Part, normal_class, normal_desc, normal_method};
pub use follow::Follow;
pub use holders::Holders;
pub use hot::{Chosen, HotContext, Hottest, Interval, Profiled, Shares, Stream, Verdict};
pub use icpp::Learned;
pub use kinds::{Kind, Unit};
pub use leaks::{Look, Suspect, said_of, suspects};
pub use log::{Log, Loss, Skip};
pub use names::{ClassInfo, MethodInfo, Names, SiteInfo, Walked, dotted, type_name};
pub use origins::Came;
pub use own::{Own, is_idle};
pub use ranking::{Group, Ranking, Row, ranking};
pub use refusal::Refusal;
pub use stats::{Counts, Figures, Stats};
pub use trace::{Reason, Trace, TraceEnd, TraceFrame};
pub use unpack::{Unpack, Unpacked};
pub use versions::{Cause, Numbering};

pub use lucce_encoding::algorithm1::History;
pub use lucce_encoding::{Edge, EdgeState, NumberRange};
pub use lucce_log::{Damage, Header, NotALog, OriginKind, Owner, What};
