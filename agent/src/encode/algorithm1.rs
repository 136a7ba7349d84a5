//! `encoder=algorithm1`: every entry is an update of the paper's graph, and every word has its
//! version beside it.
//!
//! Invariants: update and version are one step under the one lock, and what changed is queued
//! before the lock is released, so in order; no JNI or JVMTI call is made under it. No links are
//! published, so the hooks ask at each entry. Overflow: the first refusal says in one line which of
//! callIds and versions ran out. What was entered before stays exact; what is entered from then on
//! is LOST ("unknown here"), never a wrong frame. A callId has 63 bits: bit 63 of W is RESTORING,
//! as for other words.
//! Source: Lucce section 5 (Algorithm 1, De); docs/design/published-encoders.md ("Algorithm 1").

mod contexts;
mod entry;

use std::sync::atomic::{AtomicBool, Ordering};

use lucce_encoding::algorithm1::{Algorithm1, Encoding, HistoryEvent, Refused};
use lucce_encoding::{Decoded, DecodedFrame, End, Unknown};
use lucce_log::Record;
use lucce_words::{EdgeId, Lost, MethodId, SiteId, Version, Word};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::stack::frames::{Frame, StackView};
use crate::stack::skipped_frames;
use crate::state::agent::Agent;
use crate::state::graph::SkippedFrames;
use crate::state::run::Run;
use crate::support::lock::{Lock, Locked};

/// The paper's graph, and what became of it.
#[derive(Default)]
pub struct Paper {
    inner: Lock<Inner>,
    /// A number ran out.
    exhausted: AtomicBool,
}

#[derive(Default)]
struct Inner {
    graph: Algorithm1<u64>,
    /// Sites that the graph knows.
    sites: FxHashSet<SiteId>,
    /// Edges of the graph.
    edges: FxHashSet<(SiteId, MethodId)>,
    /// Edges that the oracle has seen at least once.
    checked: FxHashSet<(SiteId, MethodId)>,
    /// How often each edge was entered, counted under verify.
    uses: FxHashMap<(SiteId, MethodId), u32>,
}

impl Paper {
    /// The frames of an activation of `method` with these two locals.
    fn frames(&self, method: MethodId, word: Word, version: Version) -> Decoded {
        if version.0 == 0 {
            let reason = word.lost_reason().map_or(Unknown::None, Unknown::Lost);
            return Decoded { frames: vec![DecodedFrame { method, site: None }], end: End::Unknown(reason) };
        }
        let history = self.lock().graph.history();
        history.decode(method, &encoding(word, version))
    }

    /// Counts a use of an edge: is it among the first 16, or a power of two?
    fn is_due(&self, site: SiteId, callee: MethodId) -> bool {
        let mut inner = self.lock();
        let uses = inner.uses.entry((site, callee)).or_default();
        *uses = uses.saturating_add(1);
        *uses <= 16 || uses.is_power_of_two()
    }

    /// The thread base.
    fn root(&self) -> Encoding<u64> {
        self.lock().graph.root()
    }

    /// Fails once a number ran out.
    fn alive(&self) -> Result<(), Lost> {
        if self.exhausted.load(Ordering::Relaxed) { Err(Lost::Overflow) } else { Ok(()) }
    }

    /// The notes of those calls of a walked path that the graph does not have yet: see
    /// [`skipped_frames::gaps`].
    fn skipped(&self, view: StackView<'_>, stack: &[Frame], path: &[(SiteId, MethodId)]) -> Vec<SkippedFrames> {
        let mut gaps = skipped_frames::gaps(stack, path);
        if !gaps.is_empty() {
            let inner = self.lock();
            gaps.retain(|gap| !inner.edges.contains(&gap.call));
        }
        skipped_frames::named(view, gaps)
    }

    /// `Update` for each call of a path that begins at `start`, with the notes of those that are
    /// new: the encoding at its end.
    fn update(
        &self,
        agent: &Agent,
        start: Encoding<u64>,
        path: &[(SiteId, MethodId)],
        skipped: &[SkippedFrames],
    ) -> Result<Encoding<u64>, Lost> {
        agent.graph.locked(|graph| path.iter().try_for_each(|&(site, callee)| graph.describe_call(site, callee)))?;
        let mut records = Vec::new();
        let mut inner = self.lock();
        let result = path.iter().try_fold(start, |at, &(site, callee)| {
            if site != SiteId::ROOT && inner.sites.insert(site) {
                let owner = agent.classes.catalog.site(site).ok_or(Refused::Unknown)?.method;
                inner.graph.add_site(site, owner);
            }
            let at = inner.graph.update(site, callee, &at)?;
            for event in inner.graph.take_events() {
                records.push(record_of(&event));
                if let HistoryEvent::Edge { version, .. } = event {
                    inner.edges.insert((site, callee));
                    let noted = skipped.iter().find(|one| one.call == (site, callee));
                    records.extend(noted.map(|one| {
                        let frames = one.frames.iter().map(|frame| frame.as_str().into()).collect();
                        Record::Via { edge: edge_of(version), frames }
                    }));
                }
            }
            if at.call_id > LARGEST { Err(Refused::CallIds) } else { Ok(at) }
        });
        if !records.is_empty() {
            agent.run.writer.queue(records);
        }
        let version = inner.graph.version();
        drop(inner);
        result.map_err(|refused| self.refused(&agent.run, refused, version))
    }

    fn refused(&self, run: &Run, refused: Refused, version: Version) -> Lost {
        if refused == Refused::Unknown {
            return Lost::Hook;
        }
        if !self.exhausted.swap(true, Ordering::Relaxed) {
            let text = format!(
                "encoder=algorithm1: {refused} at version {version}; contexts entered from now on are unknown, use encoder=lucce"
            );
            say!("{text}");
            run.note(&text);
        }
        Lost::Overflow
    }

    fn lock(&self) -> Locked<'_, Inner> {
        self.inner.lock()
    }
}

/// The largest callId that leaves bit 63 of a word free.
const LARGEST: u64 = u64::MAX >> 1;

/// The pair that two locals hold.
fn encoding(word: Word, version: Version) -> Encoding<u64> {
    Encoding { call_id: word.0 & LARGEST, version }
}

/// The log's id of the edge that came in a version (docs/FORMAT.md, "Algorithm 1").
fn edge_of(version: Version) -> EdgeId {
    EdgeId(version.0)
}

fn record_of(event: &HistoryEvent<u64>) -> Record {
    match *event {
        HistoryEvent::Edge { version, site, callee } => Record::PaperEdge { version, site, callee },
        HistoryEvent::Contexts { version, method, contexts } => Record::PaperContexts { version, method, contexts },
        HistoryEvent::LastVersion { version, method, last } => Record::PaperLastVersion { version, method, last },
    }
}
