//! A program with all that was measured of it. Invariant: all encoders and profiles have replayed
//! one and the same trace.

use super::super::programs::BenchProgram;
use super::acct::Acct;
use super::hcct::Hcct;
use super::record::Recorded;
use super::replay::Replayed;
use super::subjects::{Hashed, Paper, Reference, Versioned};

/// A program, its trace, and what each encoder came to.
pub(super) struct Measured {
    pub(super) program: &'static BenchProgram,
    pub(super) recorded: Recorded,
    pub(super) replayed: Replayed,
    pub(super) versioned: Versioned,
    pub(super) dacce: Reference,
    pub(super) paper: Paper,
    pub(super) hashed: Hashed,
    /// `encoder=icpp`, by hashed names: mixed, and added up.
    pub(super) icpp: [Hashed; 2],
    pub(super) acct: Option<Acct>,
    pub(super) hcct: Option<Hcct>,
}
