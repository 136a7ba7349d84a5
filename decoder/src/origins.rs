//! Where the thread or task of an event came from, step by step.
//!
//! Invariant: the steps are those of the log, the nearest first; a step without a context says why,
//! and so does an end before the first one.
//! Source: docs/FORMAT.md, "Origins".

use lucce_log::{Ground, OriginKind};
use lucce_words::{Lost, OriginId};

use crate::{Contexts, LoggedEvent, Place, Reason, Trace, TraceEnd};

/// One step: what happened, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Came<'a> {
    /// `None` where the record of the step is lost.
    pub kind: Option<OriginKind>,
    /// The context of whoever started the thread or handed over the task.
    pub trace: Trace<'a>,
    /// More steps follow that the log does not keep.
    pub cut: bool,
}

impl Came<'_> {
    /// `started at`, `submitted at`.
    pub fn verb(&self) -> &'static str {
        verb(self.kind)
    }
}

/// How the step is called.
pub(crate) fn verb(kind: Option<OriginKind>) -> &'static str {
    match kind {
        Some(OriginKind::Started) => "started at",
        Some(OriginKind::Submitted) => "submitted at",
        None => "came from",
    }
}

impl<'a> Contexts<'a> {
    /// The steps behind an event, from its own thread or task backwards. None where they are not
    /// known, and for threads that began with the JVM.
    pub fn origins(&mut self, event: &LoggedEvent) -> Vec<Came<'a>> {
        let mut next = self.log.thread(event.thread).map_or(OriginId(0), |thread| thread.origin);
        let mut steps = Vec::new();
        while next != OriginId(0) {
            let Some(&origin) = self.log.origins.get(&next) else {
                let trace = Trace { frames: Vec::new(), end: TraceEnd::Unknown(Reason::Origin) };
                steps.push(Came { kind: None, trace, cut: false });
                break;
            };
            let trace = match origin.ground {
                Ground::Known => self.trace(&Place { node: origin.node, ..Place::default() }),
                ground => Trace { frames: Vec::new(), end: TraceEnd::Unknown(reason(ground)) },
            };
            steps.push(Came { kind: Some(origin.kind), trace, cut: origin.cut });
            next = origin.parent;
        }
        steps
    }
}

pub(crate) fn reason(ground: Ground) -> Reason {
    match ground {
        Ground::Known | Ground::Lost => Reason::Lost(Lost::Hook),
        Ground::Outside => Reason::Outside,
        Ground::Ambiguous => Reason::Ambiguous,
        Ground::Unmet => Reason::Unmet,
        Ground::Full => Reason::Full,
    }
}
