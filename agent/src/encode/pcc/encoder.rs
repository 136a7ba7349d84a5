//! Computed words as an encoder.
//!
//! Invariant: what a word means is never decided here: each function hands on to what learns and
//! looks up, mostly to its namesake of [`Pcc`]'s own.
//! Source: docs/design/hashed-words.md, docs/design/icpp.md.

use std::sync::atomic::{AtomicU64, Ordering};

use lucce_encoding::{Activation, End};
use lucce_profiles::sampled::Sample;
use lucce_words::{Lost, MethodId, NodeId, Signal, SiteId, Version, Word};

use super::{Icpp, Pcc, Weights};
use crate::encode::begun::{Begun, Find};
use crate::encode::capture;
use crate::encode::context::{Captured, Context};
use crate::encode::encoder::{Answer, ContextEncoder, Entered, Expectation, Said};
use crate::jvm::thread::JavaThread;
use crate::options::Options;
use crate::stack::frames::{Frame, StackView};
use crate::stack::skipped_frames;
use crate::state::agent::Agent;
use crate::writer::Naming;

impl ContextEncoder for Pcc {
    fn of_run(options: &Options, _: &Naming) -> Result<Self, String> {
        Self::of(options)
    }

    /// The hooks ask for nothing but a base.
    fn enter(&self, agent: &Agent, thread: JavaThread, callee: MethodId, _: (Word, SiteId)) -> Entered {
        Signal(Self::enter(self, agent, thread, callee)).into()
    }

    fn enter_lost(&self, agent: &Agent, thread: JavaThread, callee: MethodId, _: Lost) -> Answer<Entered> {
        Answer::Own(Signal(Self::enter(self, agent, thread, callee)).into())
    }

    fn current(&self, agent: &Agent, thread: JavaThread) -> Answer<Option<Context>> {
        Answer::Own(if agent.run.is_dead() { None } else { Self::current(self, agent, thread) })
    }

    fn published(&self, agent: &Agent, thread: JavaThread, site: SiteId) -> Answer<Option<Context>> {
        Answer::Own(Self::published(self, agent, thread, site))
    }

    fn of_local(&self, agent: &Agent, thread: JavaThread, word: Word, site: SiteId) -> Option<Context> {
        self.local(agent, thread, word.0, site)
    }

    fn entry_word(&self, agent: &Agent, begun: &Begun) -> Option<u64> {
        Self::entry_word(self, agent, begun)
    }

    fn entry_path(&self, agent: &Agent, begun: &Begun, own: Option<u64>, find: &Find<'_>) -> Answer<Option<Sample>> {
        Answer::Own(Self::entry_path(self, agent, begun, own, find))
    }

    fn walked(&self, agent: &Agent, thread: JavaThread, stack: &[Frame]) -> Option<Context> {
        Self::walked(self, agent, thread, stack)
    }

    fn of_sample(&self, view: StackView<'_>, all: &[Frame], hooked: &[Frame]) -> Result<Context, Lost> {
        self.of_path(view.agent, hooked, |calls| skipped_frames::among(view, all, hooked, calls)).ok_or(Lost::Ids)
    }

    fn give(&self, agent: &Agent, thread: JavaThread) -> Answer<Option<Context>> {
        Answer::Own(Self::give(self, agent, thread))
    }

    fn captured(&self, _: &Agent, _: JavaThread, context: &Context) -> Option<Vec<Captured>> {
        (context.node != NodeId(0)).then(|| Captured::alone(context, context.node))
    }

    fn sites(&self, agent: &Agent, word: Word, _: MethodId, site: SiteId) -> (Vec<SiteId>, bool) {
        Self::sites(self, agent, word, site)
    }

    fn decode(
        &self,
        agent: &Agent,
        expected: &Expectation<'_>,
        visit: &mut dyn FnMut(Activation) -> bool,
    ) -> Option<End> {
        Expectation::visit(capture::decoded(agent, expected.node, expected.method, expected.site.is_none()), visit)
    }

    /// One that means nothing is walked.
    fn is_lost(&self, _: Word, _: Version) -> bool {
        false
    }

    fn said(&self, agent: &Agent, thread: JavaThread, callee: MethodId, local: u64) -> Said {
        self.entered(agent, thread, callee, local)
    }

    fn forgets(&self) -> bool {
        true
    }

    fn forget(&self, agent: &Agent) {
        Self::forget(self, agent);
    }

    fn site_of(&self, word: Word) -> Option<SiteId> {
        Self::site_of(self, word)
    }

    fn weights(&self) -> Option<&Weights> {
        Some(&self.weights)
    }

    fn is_passive(&self) -> bool {
        Self::is_passive(self)
    }

    fn figures(&self) -> Vec<(&'static str, u64)> {
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let icpp = |of: fn(&Icpp) -> &AtomicU64| self.icpp.as_ref().map_or(0, |icpp| load(of(icpp)));
        vec![
            ("icpp.found", icpp(|icpp| &icpp.found)),
            ("icpp.walked", icpp(|icpp| &icpp.walked)),
            ("icpp.ambiguous", icpp(|icpp| &icpp.ambiguous)),
            ("icpp.learned", self.icpp.as_ref().map_or(0, |icpp| icpp.learned() as u64)),
            ("pcc.learned", self.learned() as u64),
            ("pcc.ambiguous", load(&self.ambiguous)),
            ("pcc.frames", load(&self.frames)),
            ("pcc.found", load(&self.found)),
            ("pcc.adrift", load(&self.adrift)),
        ]
    }
}
