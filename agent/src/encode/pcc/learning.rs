//! What a word means that was never met at its site: the stack is looked at from the top, only as
//! far as the nearest activation whose word is known.
//!
//! Invariant: each step down undoes one step of the hash. So the word that is found for an
//! activation below is the one that it has published, if what the thread says is true; and at the
//! thread base nothing is left. Where that fails nothing is learned. The frames that are looked at
//! show all that stands between two activations, so a call that is new gets its note with its node.
//! Source: docs/design/hashed-words.md; `lucce_words::hashed`.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use lucce_words::hashed::{ADRIFT, ROOT};
use lucce_words::{MethodId, NodeId, SiteId};

use super::path::{PathStep, calls, is_odd};
use super::{Meaning, Pcc};
use crate::encode::walk::{self, FrameSite};
use crate::stack::frames::{Frame, StackView};
use crate::stack::skipped_frames;
use crate::state::agent::{Agent, count};
use crate::state::catalog::MethodEntry;
use crate::state::classes::Classes;
use crate::state::graph::{Graph, SkippedFrames};

/// Frames that are asked for at first, and how much larger each lot is than the one before.
const FIRST: usize = 16;
const LARGER: usize = 4;

/// How a descent ends.
enum Descent<K> {
    /// At an activation that is known, or at the base.
    Known(KnownActivation<K>),
    /// The frames that were asked for do not reach that far.
    Deeper,
    /// The thread says what is not so.
    Adrift,
}

/// An activation that is known, and those above.
pub(super) struct KnownActivation<K> {
    /// As what it is known; `None` for the thread base.
    pub(super) what: Option<K>,
    /// Where it stands.
    pub(super) site: SiteId,
    /// Those above, innermost first.
    pub(super) steps: Vec<PathStep>,
    /// How many of the innermost are not remembered: a constructor whose entry was odd runs them in
    /// its call of `super(...)`. The frames show that what they have published is true now. Where
    /// such a word is found again, it may have been left behind.
    pub(super) untrusted: usize,
}

/// Where the thread stands whose word is looked for.
#[derive(Clone, Copy)]
pub(super) struct At {
    pub(super) word: u64,
    pub(super) site: SiteId,
    /// The method that it has just entered, whose frame stands in inserted code.
    pub(super) entered: Option<MethodId>,
}

impl Pcc {
    /// Learns what the current thread has published at `site`, at which one of its two innermost
    /// frames with hooks stands: its node, and whether the word is remembered.
    pub(super) fn learn(&self, view: StackView<'_>, word: u64, site: SiteId) -> Option<(NodeId, bool)> {
        let at = At { word, site, entered: None };
        let (known, skipped) = self.look(view, at, &|word, site| self.node(word, site))?;
        let agent = view.agent;
        let above = known.steps.iter().rev();
        let nodes = nodes(&agent.graph, known.what.unwrap_or(NodeId(0)), above.clone(), skipped)?;
        self.remember(agent, above.take(known.steps.len() - known.untrusted).zip(nodes[1..].iter().copied()));
        Some((*nodes.last()?, known.untrusted == 0))
    }

    /// Looks at the frames of the current thread from the top down to one that `find` knows by its
    /// word and site; and the notes of calls that are new. `None` if what the thread says is not
    /// so.
    pub(super) fn look<K>(
        &self,
        view: StackView<'_>,
        at: At,
        find: &dyn Fn(u64, SiteId) -> Option<K>,
    ) -> Option<(KnownActivation<K>, Vec<SkippedFrames>)> {
        let agent = view.agent;
        count(&agent.run.counters.looks);
        let mut asked = FIRST;
        loop {
            let frames = view.first(asked);
            walk::note_foreign(agent);
            self.frames.fetch_add(frames.len() as u64, Ordering::Relaxed);
            let hooked: Vec<Frame> = frames.iter().filter(|frame| frame.method.is_some()).copied().collect();
            // A method above that has not begun has published nothing.
            let elsewhere = |frame: &Frame| {
                frame_site(&agent.classes, frame, at).is_some_and(|frame_site| frame_site.site != at.site)
            };
            let stack = &hooked[usize::from(hooked.first().is_some_and(elsewhere))..];
            match self.descend(&agent.classes, stack, frames.len() < asked, at, find) {
                Descent::Known(known) => {
                    let calls = calls(known.site, known.steps.iter().rev());
                    let skipped = skipped_frames::among(view, &frames, stack, &calls);
                    return Some((known, skipped));
                }
                Descent::Deeper => asked *= LARGER,
                Descent::Adrift => return None,
            }
        }
    }

    /// `stack`: the frames with hooks, from the one on that has published. `whole`: down to the
    /// thread base.
    fn descend<K>(
        &self,
        classes: &Classes,
        stack: &[Frame],
        whole: bool,
        at: At,
        find: &dyn Fn(u64, SiteId) -> Option<K>,
    ) -> Descent<K> {
        let place = |(above, frame): (usize, &Frame)| match above {
            0 => frame_site(classes, frame, at),
            _ => walk::frame_site(classes, frame),
        };
        let mut stack = stack.iter().enumerate().map(place).peekable();
        if stack.peek().is_some_and(|first| first.is_none_or(|first| first.site != at.site)) {
            return Descent::Adrift;
        }
        let (mut steps, mut published, mut untrusted) = (Vec::new(), at.word, 0);
        // A constructor in its call of `super(...)`: what has called it may not name it.
        let mut weak: Option<Arc<MethodEntry>> = None;
        for frame_site in stack {
            let Some(known) = frame_site
                .and_then(|at| Some((at, classes.catalog.method(at.method)?, classes.catalog.site(at.site)?)))
            else {
                return Descent::Adrift;
            };
            let (at, method, site) = known;
            if weak.take().is_some_and(|above| is_odd(Some(&site), &above)) {
                untrusted = steps.len();
            }
            if !steps.is_empty()
                && let Some(what) = find(published, at.site)
            {
                return Descent::Known(KnownActivation { what: Some(what), site: at.site, steps, untrusted });
            }
            steps.push(PathStep { site: at.site, method: at.method, published });
            let base = self.weights.base_of(published, &method, (at.site, &site));
            published = self.weights.called_before(&method, base);
            if published == ADRIFT {
                // What lies below no longer has its own word, so no step from here leads on.
                return Descent::Adrift;
            }
            weak = (method.is_constructor() && site.is_weak()).then_some(method);
        }
        if weak.is_some() {
            untrusted = steps.len();
        }
        match whole {
            false => Descent::Deeper,
            true if published == ROOT && !steps.is_empty() => {
                Descent::Known(KnownActivation { what: None, site: SiteId::ROOT, steps, untrusted })
            }
            true => Descent::Adrift,
        }
    }

    /// From now on these words mean these nodes.
    pub(super) fn remember<'s>(&self, agent: &Agent, steps: impl Iterator<Item = (&'s PathStep, NodeId)> + Clone) {
        if let Some(icpp) = &self.icpp {
            return icpp.learn(agent, steps);
        }
        let mut learned = self.learned.write();
        for (step, node) in steps {
            let meaning = Meaning { site: step.site, node };
            let known = learned.entry(step.published).or_insert(meaning);
            if *known != meaning && known.node != NodeId(0) {
                known.node = NodeId(0);
                count(&self.ambiguous);
                agent.run.note("encoder=pcc: two contexts have one word; both are walked from now on");
            }
        }
    }
}

/// Where the frame stands on top of a thread that is there.
fn frame_site(classes: &Classes, frame: &Frame, At { site, entered, .. }: At) -> Option<FrameSite> {
    match entered {
        Some(method) if frame.method == entered => Some(FrameSite { method, site }),
        _ => walk::frame_site(classes, frame),
    }
}

/// The nodes of these steps above one, outermost first, behind that one. Calls that are new get
/// these notes.
pub(super) fn nodes<'s>(
    graph: &Graph,
    below: NodeId,
    mut steps: impl Iterator<Item = &'s PathStep>,
    skipped: Vec<SkippedFrames>,
) -> Option<Vec<NodeId>> {
    graph.locked(|graph| {
        graph.note(skipped);
        steps.try_fold(vec![below], |mut nodes, step| {
            nodes.push(graph.node_of_call(*nodes.last()?, step.site)?);
            Some(nodes)
        })
    })
}
