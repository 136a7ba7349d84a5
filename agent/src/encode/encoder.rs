//! What an encoder does: it gives each activation a word, and says which context a word means.
//!
//! The entry points, the events and the oracle ask the encoder of the run, and never which one it
//! is. An encoder has a folder of this room, one type, and one line in `agent/src/registry.rs`. It
//! has to say how a method is entered, and what a walked stack and a word come to. The rest is
//! given here, or is [common](Answer::Common) to encoders, and then the one that asks does it.
//! Invariant: a context is the real one, or `None`, or LOST with a reason; what is given here is
//! right for words that hold their whole context.
//! Source: ARCHITECTURE ("The contract"); docs/guide/encoders.md; `examples/toy-encoder` is the
//! smallest one.

use std::any::Any;
use std::ffi::CStr;

use lucce_encoding::{Activation, Decoded, DecodedFrame, End};
use lucce_profiles::sampled::Sample;
use lucce_words::{Lost, MethodId, NodeId, Signal, SiteId, Version, Word};

use crate::encode::begun::{Begun, Find};
use crate::encode::context::{Captured, Context};
use crate::encode::pcc::Weights;
use crate::jvm::thread::{Entry, JavaThread, ThreadFields, ThreadState};
use crate::options::Options;
use crate::stack::frames::{Frame, StackView};
use crate::state::agent::Agent;
use crate::writer::Naming;

/// An encoder.
pub trait ContextEncoder: Any + Send + Sync {
    /// That of a run with these options, whose files are named so.
    ///
    /// # Errors
    /// Why the run cannot start with it.
    fn of_run(options: &Options, naming: &Naming) -> Result<Self, String>
    where
        Self: Sized;

    /// Entry of `callee`, from an activation with the word `ctx` that stands at `site`; only a walk
    /// can tell the caller of one that is UNKNOWN.
    fn enter(&self, agent: &Agent, thread: JavaThread, callee: MethodId, at: (Word, SiteId)) -> Entered;

    /// Entry of `callee`, which the JVM calls whenever it likes: who has published is not its
    /// caller.
    fn enter_untrusted(&self, agent: &Agent, thread: JavaThread, callee: MethodId) -> Entered {
        self.enter(agent, thread, callee, (Word::NONE, SiteId::UNKNOWN))
    }

    /// Entry of `callee` behind a constructor with that word, which was about to run `super(...)`
    /// and did not say where.
    fn enter_constructing(&self, agent: &Agent, thread: JavaThread, callee: MethodId, ctx: Word) -> Entered {
        self.enter(agent, thread, callee, (ctx, SiteId::UNKNOWN))
    }

    /// Entry of `callee` where no context can be kept, for that reason.
    fn enter_lost(&self, _: &Agent, _thread: JavaThread, _callee: MethodId, _: Lost) -> Answer<Entered> {
        Answer::Common
    }

    /// The context that the thread has published, as its known state says; `None` if a walk has to
    /// tell.
    fn of_state(&self, _: &ThreadFields, _: JavaThread, state: &ThreadState) -> Option<Context> {
        Some(Context { published: true, ..Context::alone(state.ctx, state.site) })
    }

    /// The context of the current thread: what it has published, or a walk.
    fn current(&self, _: &Agent, _thread: JavaThread) -> Answer<Option<Context>> {
        Answer::Common
    }

    /// The context that the thread has published at `site`, in which a frame that has begun stands;
    /// `None` if it has published another place.
    fn published(&self, _: &Agent, _thread: JavaThread, _: SiteId) -> Answer<Option<Context>> {
        Answer::Common
    }

    /// The context of an activation that stands at `site`, by the word in its local; `None` if a
    /// walk has to tell.
    fn of_local(&self, _: &Agent, _: JavaThread, _: Word, _site: SiteId) -> Option<Context> {
        None
    }

    /// The word that an entry has in this context, and in no other; `None` if its word does not say
    /// all, or nothing.
    fn entry_word(&self, _: &Agent, begun: &Begun) -> Option<u64> {
        let word = begun.word();
        (word.version().0 != 0 && !(self.has_shadow_stack() && word.chained())).then_some(word.0)
    }

    /// The path of an entry with that [`Self::entry_word`]; `find` says which part of it is known,
    /// to an encoder that can do with a part. `None` if it is lost.
    fn entry_path(&self, _: &Agent, _: &Begun, _own: Option<u64>, _find: &Find<'_>) -> Answer<Option<Sample>> {
        Answer::Common
    }

    /// The context of a walked stack whose innermost frame is `stack[0]`; its word is LOST where it
    /// cannot be encoded.
    fn walked(&self, agent: &Agent, thread: JavaThread, stack: &[Frame]) -> Option<Context>;

    /// The context of a stack that was seen some time ago, perhaps of another thread: all its
    /// frames, and those of them that have hooks.
    ///
    /// # Errors
    /// The reason why the context is lost.
    fn of_sample(&self, _: StackView<'_>, _all: &[Frame], _hooked: &[Frame]) -> Result<Context, Lost> {
        Err(Lost::Hook)
    }

    /// The context of the current thread, whose word can be decoded from now on.
    fn give(&self, agent: &Agent, thread: JavaThread) -> Answer<Option<Context>> {
        self.current(agent, thread)
    }

    /// The captured number of a context, the last one, behind those of the entries below that it
    /// needs. `None` if it does not decode.
    fn captured(&self, agent: &Agent, thread: JavaThread, context: &Context) -> Option<Vec<Captured>>;

    /// The word by which others may name a context, also one that has come without a word.
    fn word(&self, _: &Agent, context: &Context) -> Word {
        context.word
    }

    /// The sites of a word that was read at `site` of `method`, innermost first, and whether they
    /// reach the thread base.
    fn sites(&self, _: &Agent, _: Word, _: MethodId, site: SiteId) -> (Vec<SiteId>, bool) {
        (vec![site], false)
    }

    /// The frames that a word says, innermost first, until `visit` says no. How they end, if they
    /// do not end so.
    fn decode(
        &self,
        agent: &Agent,
        expected: &Expectation<'_>,
        visit: &mut dyn FnMut(Activation) -> bool,
    ) -> Option<End>;

    /// Does this word, with its version, say why it is none?
    fn is_lost(&self, word: Word, _: Version) -> bool {
        word.lost_reason().is_some()
    }

    /// What `callee` was entered with, its local says, by hooks that compute words.
    fn said(&self, _: &Agent, _: JavaThread, _callee: MethodId, _local: u64) -> Said {
        Said::Unanswered
    }

    /// The oracle has found the entry of `callee` with that word right, from `caller`.
    fn saw(&self, _: &Agent, _caller: SiteId, _callee: MethodId, _: Word) {}

    /// The signature of `callee` has become interposable: it restores from now on when entered from
    /// these sites. Under the graph's lock.
    fn demote(&self, _sites: &[SiteId], _callee: MethodId) {}

    /// The running thread ends.
    fn thread_ended(&self, _: &Agent, _: JavaThread) {}

    /// Can it forget what belonged to unloaded classes?
    fn forgets(&self) -> bool {
        false
    }

    /// Forgets what leads through captured nodes that were forgotten.
    fn forget(&self, _: &Agent) {}

    /// The run ends.
    fn finish(&self, _: &Agent) {}

    /// With hooks that compute words: the site at which a thread stands that has published that
    /// last, if the word was learned.
    fn site_of(&self, _: Word) -> Option<SiteId> {
        None
    }

    /// With hooks that compute words: what words are made of. They publish no site.
    fn weights(&self) -> Option<&Weights> {
        None
    }

    /// Do words with the flag CHAINED need the thread's shadow stack?
    fn has_shadow_stack(&self) -> bool {
        false
    }

    /// Do words go to the log as they are, and a map says what they mean?
    fn is_passive(&self) -> bool {
        false
    }

    /// The class of its own hooks, if it has one.
    fn hook_class(&self) -> Option<&'static CStr> {
        None
    }

    /// The frames of an entry that was just checked, with `contexts`.
    fn entry(&self, _: &Agent, _: JavaThread, _: MethodId, _: Word) -> Option<Decoded> {
        None
    }

    /// All contexts of the run, at its end, with `contexts`.
    fn entries(&self) -> Vec<Decoded> {
        Vec::new()
    }

    /// The size of its graph; `None`: the agent's own graph.
    fn graph_figures(&self) -> Option<GraphFigures> {
        None
    }

    /// Its counters, by name.
    fn figures(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }
}

/// What an encoder does in place of what most do.
pub enum Answer<T> {
    /// Nothing: what is common is right for it.
    Common,
    /// This came of it.
    Own(T),
}

impl<T> Answer<T> {
    /// The answer, or what is common.
    pub fn or(self, common: impl FnOnce() -> T) -> T {
        match self {
            Self::Common => common(),
            Self::Own(answer) => answer,
        }
    }
}

/// What an entry came to.
pub struct Entered {
    /// Its word, and whether it restores.
    pub signal: Signal,
    /// Should the oracle compare it, with `verify`?
    pub due: bool,
}

impl From<Signal> for Entered {
    fn from(signal: Signal) -> Self {
        Self { signal, due: false }
    }
}

/// What a word is said to mean.
pub struct Expectation<'a> {
    /// The method of its activation.
    pub method: MethodId,
    /// Where this stands; `None` at its entry.
    pub site: Option<SiteId>,
    /// The word.
    pub word: Word,
    /// Its version, where it does not hold it.
    pub version: Version,
    /// The shadow stack that belongs to it.
    pub shadow_stack: &'a [Entry],
    /// The captured node of the context, or of its caller's where `site` is none; with computed
    /// words.
    pub node: NodeId,
}

impl Expectation<'_> {
    /// Visits frames that were decoded as a whole.
    pub fn visit(decoded: Decoded, visit: &mut dyn FnMut(Activation) -> bool) -> Option<End> {
        let at =
            |frame: &DecodedFrame| Activation { method: frame.method, word: Word::NONE, site: frame.site, own: None };
        decoded.frames.iter().all(|frame| visit(at(frame))).then_some(decoded.end)
    }
}

/// What a computed word says of the caller.
pub enum Said {
    /// There is nothing to compare with: its own frame is another agent's by now, or hidden.
    Unanswered,
    /// No path.
    Unknown,
    /// This context. The real stack, its own frame first.
    Context(NodeId, Vec<Frame>),
}

/// The size of a graph.
pub struct GraphFigures {
    /// Its edges.
    pub edges: u64,
    /// Its versions.
    pub versions: u64,
    /// Edges that the oracle has seen.
    pub checked: u64,
}
