//! Paths of sampled entries: by the word, as far down as who counts them knows it, else by a walk.
//!
//! Invariant: nothing is learned here, so memory does not follow the contexts that are sampled. A
//! step has a word only where [`Pcc`] would learn it for that path. Calls that are new get their
//! edge and their note at once, since no node is made.
//! Source: docs/design/hashed-words.md ("What a word means"), docs/design/profiles.md ("Memory").

use lucce_profiles::sampled::{Sample, SampledFrame};
use lucce_words::{MethodId, SiteId};

use super::Pcc;
use super::learning::At;
use super::path::{self, Path, calls};
use crate::encode::begun::{Begun, Find};
use crate::encode::walk;
use crate::stack::frames::StackView;
use crate::stack::skipped_frames;
use crate::state::agent::{Agent, count};
use crate::state::graph::{Graph, SkippedFrames};

impl Pcc {
    /// What an activation that has just begun would publish at its first instruction, unless
    /// nothing is believed of its thread.
    pub(super) fn entry_word(&self, agent: &Agent, begun: &Begun) -> Option<u64> {
        if agent.jvm.fields.get()?.is_doubted(begun.thread) {
            return None;
        }
        let site = agent.classes.catalog.site(begun.site)?;
        let base = self.weights.base_of_local(&begun.entry, begun.given);
        Some(self.weights.published(base, &begun.entry, (begun.site, &site)))
    }

    /// Its path, with that word.
    pub(super) fn entry_path(&self, agent: &Agent, begun: &Begun, own: Option<u64>, find: &Find<'_>) -> Option<Sample> {
        let view = StackView::of(agent, begun.thread.jni);
        let found = own.and_then(|word| {
            let at = At { word, site: begun.site, entered: Some(begun.method) };
            self.look(view, at, find)
        });
        if let Some((known, skipped)) = found {
            let above = known.steps.iter().rev();
            meet(&agent.graph, &calls(known.site, above.clone()), skipped);
            let steps = steps(above, known.steps.len() - known.untrusted);
            return Some(Sample { below: known.what, steps });
        }
        count(&agent.run.counters.event_walks);
        let stack = walk::instrumented(view)?;
        let callers = stack.split_first().filter(|(first, _)| first.method == Some(begun.method))?.1;
        let mut path = Path::of(&agent.classes, &self.weights, callers)?;
        let (site, below) = (agent.classes.catalog.site(begun.site)?, path.steps.last().map(|step| step.site));
        let below = below.and_then(|below| agent.classes.catalog.site(below));
        path.push(&self.weights, below.as_ref(), &begun.entry, (begun.site, &site));
        let calls = calls(SiteId::ROOT, path.steps.iter());
        let skipped = skipped_frames::along(view, &stack, &calls);
        meet(&agent.graph, &calls, skipped);
        Some(Sample { below: None, steps: steps(path.steps.iter(), path.trusted().len()) })
    }
}

/// These frames, outermost first, of which so many have a word.
fn steps<'s>(all: impl Iterator<Item = &'s path::PathStep>, trusted: usize) -> Vec<SampledFrame> {
    let step = |(nth, step): (usize, &path::PathStep)| SampledFrame {
        site: step.site,
        word: (nth < trusted).then_some(step.published),
    };
    all.enumerate().map(step).collect()
}

/// The edges of these calls, with these notes.
fn meet(graph: &Graph, calls: &[(SiteId, MethodId)], skipped: Vec<SkippedFrames>) {
    graph.locked(|graph| {
        graph.note(skipped);
        calls.iter().for_each(|call| graph.meet(*call));
    });
}
