//! Contexts where no class is rewritten: each is told by a walk, and is a captured node.
//!
//! No activation has a word there, so a context need not be one: its path leads through the tree of
//! captured contexts, which costs a look-up a frame. A word is made for who asks for one.
//! Invariant: what was not met for long is forgotten, so the tree has the contexts that come again,
//! and at most twice [`NEW`] others.
//! Source: docs/design/attach.md ("Contexts").

use lucce_encoding::{Activation, End};
use lucce_words::{Lost, MethodId, NodeId, SiteId, Word};

use crate::encode::capture;
use crate::encode::context::{Captured, Context};
use crate::encode::encoder::{ContextEncoder, Entered, Expectation};
use crate::encode::lucce::Lucce;
use crate::encode::walk::{self, FrameSite};
use crate::jvm::thread::JavaThread;
use crate::options::Options;
use crate::stack::frames::{Frame, StackView};
use crate::stack::skipped_frames;
use crate::state::agent::{Agent, count};
use crate::state::graph::SkippedFrames;
use crate::writer::Naming;

/// Behind so many new nodes, of some 40 bytes each, those go that were not met meanwhile.
const NEW: u32 = 1 << 18;

/// Walks alone. Words, for who asks for them, are Lucce's.
pub struct Walks;

impl Walks {
    /// The context of these frames, innermost first. `skipped`: what stands between the ends of its
    /// calls.
    fn context(
        agent: &Agent,
        frames: &[Frame],
        skipped: impl FnOnce(&[(SiteId, MethodId)]) -> Vec<SkippedFrames>,
    ) -> Option<Context> {
        let stack = walk::all_frame_sites(&agent.classes, frames)?;
        let Some(innermost) = stack.first() else {
            return Some(Context::alone(agent.graph.locked(|graph| graph.root()), SiteId::ROOT));
        };
        let skipped = skipped(&walk::from_base(&stack));
        agent.graph.forget_unmet(NEW);
        let node = agent.graph.locked(|graph| {
            graph.note(skipped);
            stack.iter().rev().try_fold(NodeId(0), |parent, at| graph.node_of_call(parent, at.site))
        })?;
        Some(Context { node, ..Context::alone(Word::NONE, innermost.site) })
    }
}

impl ContextEncoder for Walks {
    fn of_run(_: &Options, _: &Naming) -> Result<Self, String> {
        Ok(Self)
    }

    /// Nothing is entered where nothing is rewritten.
    fn enter(&self, agent: &Agent, thread: JavaThread, callee: MethodId, at: (Word, SiteId)) -> Entered {
        Lucce.enter(agent, thread, callee, at)
    }

    fn walked(&self, agent: &Agent, thread: JavaThread, stack: &[Frame]) -> Option<Context> {
        count(&agent.run.counters.walks);
        let view = StackView::of(agent, thread.jni);
        Self::context(agent, stack, |calls| skipped_frames::along(view, stack, calls))
    }

    fn of_sample(&self, view: StackView<'_>, all: &[Frame], hooked: &[Frame]) -> Result<Context, Lost> {
        Self::context(view.agent, hooked, |calls| skipped_frames::among(view, all, hooked, calls)).ok_or(Lost::Ids)
    }

    fn captured(&self, _: &Agent, _: JavaThread, context: &Context) -> Option<Vec<Captured>> {
        (context.node != NodeId(0)).then(|| Captured::alone(context, context.node))
    }

    fn word(&self, agent: &Agent, context: &Context) -> Word {
        let sites = capture::sites(&agent.graph, i64::from(context.node.0));
        let place = |&site: &SiteId| Some(FrameSite { method: agent.classes.catalog.site(site)?.method, site });
        match sites.iter().map(place).collect::<Option<Vec<_>>>() {
            Some(placed) if !placed.is_empty() => {
                walk::word_of(agent, &walk::from_base(&placed)).unwrap_or_else(Word::lost)
            }
            _ => context.word,
        }
    }

    fn sites(&self, agent: &Agent, word: Word, method: MethodId, site: SiteId) -> (Vec<SiteId>, bool) {
        Lucce.sites(agent, word, method, site)
    }

    fn decode(
        &self,
        agent: &Agent,
        expected: &Expectation<'_>,
        visit: &mut dyn FnMut(Activation) -> bool,
    ) -> Option<End> {
        let is_entry = expected.site.is_none();
        Expectation::visit(capture::decoded(agent, expected.node, expected.method, is_entry), visit)
    }

    fn forgets(&self) -> bool {
        true
    }
}
