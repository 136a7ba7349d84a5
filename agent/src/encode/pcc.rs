//! `encoder=pcc`: hashed words. Entries ask nothing; what a word says is learned by a walk at its
//! first sight, and looked up afterwards. `encoder=icpp` has other weights, and looks words up as
//! [`Icpp`] says.
//!
//! Invariant: a word is remembered at a site only for the path whose hash it is, computed from that
//! path. What a thread has published elsewhere, or below what is adrift, is the hash of no path
//! that stands there, so it is not found and the stack is walked, each time.
//! Source: docs/design/hashed-words.md; `lucce_words::hashed`.

mod checked;
mod encoder;
mod entries;
mod icpp;
mod learning;
mod path;
mod weights;

use std::sync::atomic::AtomicU64;

use lucce_words::hashed::{ADRIFT, ROOT};
use lucce_words::{MethodId, NodeId, SiteId, Word};
use rustc_hash::{FxHashMap, FxHashSet};

pub use self::icpp::Icpp;
use self::path::{Path, calls};
pub use self::weights::Weights;
use crate::encode::capture;
use crate::encode::context::Context;
use crate::jvm::thread::JavaThread;
use crate::options::{EncoderKind, Options};
use crate::rewrite::classes;
use crate::stack::frames::{Frame, StackView};
use crate::state::agent::{Agent, count};
use crate::state::graph::SkippedFrames;
use crate::support::lock::Shared;
use crate::{encode::current_context, encode::entry, encode::walk, stack::skipped_frames};

/// What words mean.
pub struct Pcc {
    /// What they are made of.
    pub weights: Weights,
    /// How they are learned, with `encoder=icpp`.
    pub icpp: Option<Icpp>,
    /// What each word means that was learned.
    learned: Shared<FxHashMap<u64, Meaning>>,
    /// What each word means that was given away, and that its thread has not published.
    given: Shared<FxHashMap<u64, Meaning>>,
    /// Words that mean two contexts: they are walked from then on.
    pub ambiguous: AtomicU64,
    /// Frames that were looked at to learn words.
    pub frames: AtomicU64,
    /// Contexts that were asked for and looked up.
    pub found: AtomicU64,
    /// Contexts that were walked and had another word than the thread.
    pub adrift: AtomicU64,
}

/// Where a word was published, and the captured node of that context; 0 for a word that means two.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Meaning {
    site: SiteId,
    node: NodeId,
}

impl Pcc {
    /// Of a run with these options.
    ///
    /// # Errors
    /// Words are not computed, or why the map of `encoder=icpp` cannot be used.
    pub fn of(options: &Options) -> Result<Self, String> {
        let icpp = (options.encoder == EncoderKind::Icpp).then(|| Icpp::new(!options.walks));
        let (learned, given) = Default::default();
        let (ambiguous, frames, found, adrift) = Default::default();
        Ok(Self { weights: Weights::of(options)?, icpp, learned, given, ambiguous, frames, found, adrift })
    }

    /// Do words go to the log as they are?
    pub fn is_passive(&self) -> bool {
        self.icpp.as_ref().is_some_and(|icpp| icpp.passive)
    }

    /// How many words were learned.
    pub fn learned(&self) -> usize {
        self.learned.read().len()
    }

    /// The context of the activation that stands at `site`, if it has published that and its word
    /// was learned.
    pub fn published(&self, agent: &Agent, thread: JavaThread, site: SiteId) -> Option<Context> {
        let word = agent.jvm.fields.get()?.state(thread).ctx;
        self.said(agent, thread, word.0, site)
    }

    /// The context of the activation that stands at `site`, if its local says what it was entered
    /// with.
    pub fn local(&self, agent: &Agent, thread: JavaThread, entered: u64, site: SiteId) -> Option<Context> {
        let entry = agent.classes.catalog.site(site)?;
        let method = agent.classes.catalog.method(entry.method)?;
        let base = self.weights.entered_with(&method, entered);
        self.said(agent, thread, self.weights.published(base, &method, (site, &entry)), site)
    }

    /// Nothing is believed of a thread that was stopped: that may have struck where an activation
    /// puts back what it found.
    fn said(&self, agent: &Agent, thread: JavaThread, word: u64, site: SiteId) -> Option<Context> {
        if agent.jvm.fields.get()?.is_doubted(thread) {
            return None;
        }
        if let Some(icpp) = &self.icpp {
            // The hooks do not find such a context by themselves: its word may turn out to be
            // ambiguous.
            let node = if icpp.passive { NodeId(0) } else { icpp.look_up(word, site)? };
            return Some(context(word, site, node));
        }
        let (node, published) = match self.node(word, site) {
            Some(node) => {
                count(&self.found);
                (node, true)
            }
            None => self.learn(StackView::of(agent, thread.jni), word, site)?,
        };
        Some(Context { published, ..context(word, site, node) })
    }

    /// The context of the current thread; `None` outside instrumented code, and where the stack
    /// cannot be walked.
    pub fn current(&self, agent: &Agent, thread: JavaThread) -> Option<Context> {
        current_context::context(agent, thread, &current_context::innermost(StackView::of(agent, thread.jni))?)
    }

    /// The same, whose word can be decoded from now on. Where what the thread has published belongs
    /// to no path that stands there, it is the word that the path has.
    pub fn give(&self, agent: &Agent, thread: JavaThread) -> Option<Context> {
        let context = self.current(agent, thread)?;
        if self.node(context.word.0, context.site).is_none() {
            self.given.write().insert(context.word.0, Meaning { site: context.site, node: context.node });
        }
        Some(context)
    }

    /// The context of a walked stack whose innermost frame is `stack[0]`. Its words are learned,
    /// those of the frames below included.
    pub fn walked(&self, agent: &Agent, thread: JavaThread, stack: &[Frame]) -> Option<Context> {
        let view = StackView::of(agent, thread.jni);
        let context = self.of_path(agent, stack, |calls| skipped_frames::along(view, stack, calls))?;
        if agent.jvm.fields.get()?.state(thread).ctx != context.word {
            count(&self.adrift);
        }
        Some(context)
    }

    /// The same of a stack that was seen some time ago, perhaps of another thread; at the thread
    /// base if no frame has hooks. `skipped`: what stands between the ends of its calls.
    pub fn of_path(
        &self,
        agent: &Agent,
        stack: &[Frame],
        skipped: impl FnOnce(&[(SiteId, MethodId)]) -> Vec<SkippedFrames>,
    ) -> Option<Context> {
        let path = Path::of(&agent.classes, &self.weights, stack)?;
        let Some(last) = path.steps.last() else { return Some(context(ROOT, SiteId::ROOT, NodeId(0))) };
        if self.is_passive() {
            return Some(context(last.published, last.site, NodeId(0)));
        }
        let skipped = skipped(&calls(SiteId::ROOT, path.steps.iter()));
        let nodes = learning::nodes(&agent.graph, NodeId(0), path.steps.iter(), skipped)?;
        self.remember(agent, path.trusted().iter().zip(nodes[1..].iter().copied()));
        Some(context(last.published, last.site, *nodes.last()?))
    }

    /// The base of `callee`, which has just been entered and asks for it.
    pub fn enter(&self, agent: &Agent, thread: JavaThread, callee: MethodId) -> u64 {
        let base = || {
            if let Some(found) = believed(agent, thread, callee) {
                return Some(found);
            }
            if agent.run.is_dead() || agent.run.switch.is_ended() || entry::adrift(agent, thread).is_some() {
                return None;
            }
            count(&agent.run.counters.walks);
            let stack = walk::instrumented(StackView::of(agent, thread.jni))?;
            (stack.first()?.method == Some(callee))
                .then(|| Path::of(&agent.classes, &self.weights, &stack[1..]))?
                .and_then(|path| path.base_of(&agent.classes, &self.weights, callee))
        };
        base().unwrap_or(ADRIFT)
    }

    /// What is known of paths that were forgotten goes.
    pub fn forget(&self, agent: &Agent) {
        if let Some(icpp) = &self.icpp {
            icpp.forget(&agent.graph);
        }
        for words in [&self.learned, &self.given] {
            let all: Vec<NodeId> = words.read().values().map(|meaning| meaning.node).collect();
            let gone: FxHashSet<NodeId> = agent.graph.locked(|graph| {
                all.into_iter().filter(|node| *node != NodeId(0) && graph.node_at(*node).is_none()).collect()
            });
            words.write().retain(|_, meaning| !gone.contains(&meaning.node));
        }
    }

    /// The sites of a raw word, innermost first, and whether they reach the thread base: if it was
    /// learned or given, in the method in which it is read.
    pub fn sites(&self, agent: &Agent, word: Word, site: SiteId) -> (Vec<SiteId>, bool) {
        let method = |site| agent.classes.catalog.site(site).map(|entry| entry.method);
        let mut sites = vec![site];
        let given = || self.given.read().get(&word.0).copied();
        let meaning = self.meaning(word.0).or_else(given).filter(|meaning| method(meaning.site) == method(site));
        if let Some(meaning) = meaning {
            sites.extend(capture::sites(&agent.graph, i64::from(meaning.node.0)).into_iter().skip(1));
        }
        (sites, meaning.is_some())
    }

    /// Where a word was published, if it was learned: a thread that has published it last stood
    /// there.
    pub fn site_of(&self, word: Word) -> Option<SiteId> {
        self.meaning(word.0).map(|meaning| meaning.site)
    }

    /// What a word means, wherever it was published.
    fn meaning(&self, word: u64) -> Option<Meaning> {
        self.learned.read().get(&word).copied().filter(|meaning| meaning.node != NodeId(0))
    }

    fn node(&self, word: u64, site: SiteId) -> Option<NodeId> {
        self.meaning(word).filter(|meaning| meaning.site == site).map(|meaning| meaning.node)
    }
}

/// What the thread says, to a method that asks for its base only since a Guard may stand right
/// above: then it says ADRIFT, and in all other cases what it says to any method. Not where
/// something else makes the method ask.
fn believed(agent: &Agent, thread: JavaThread, callee: MethodId) -> Option<u64> {
    let member = &agent.classes.catalog.method(callee)?.member;
    let [owner, name, desc] = [member.owner(), member.name(), member.desc()].map(str::as_bytes);
    let asks = agent.options.jdk || agent.classes.leaf_methods.contains(owner, name, desc);
    let found = agent.jvm.fields.get()?.state(thread).ctx.0;
    (classes::is_called_below(name, desc) && !asks && found != ADRIFT).then_some(found)
}

fn context(word: u64, site: SiteId, node: NodeId) -> Context {
    Context { node, ..Context::alone(Word(word), site) }
}
