//! Captured contexts: one number for a word together with its chain, the same for equal contexts whatever their words.
//!
//! Invariant: a captured number is a node of one tree of (parent, site); equal contexts are equal paths, so they are equal nodes across
//! versions, threads and chains. Source: docs/design/thread-state.md ("Captures").

use jvmti_bindings::sys::jni::jobject;
use lucce_encoding::{Below, ChainEntry};
use lucce_words::{MethodId, NodeId, SiteId, Version, Word};

use crate::encode::walk::{self, Need};
use crate::jvm::jni::Jni;
use crate::jvm::thread::Entry;
use crate::stack::frames::Frame;
use crate::state::agent::{Agent, count};

/// A context at hand: what the thread published, or what a walk found.
pub struct Context {
    /// The word of the innermost instrumented activation.
    pub word: Word,
    /// Where it stands.
    pub site: SiteId,
    /// The word's version where it does not hold it itself (Algorithm 1), else 0.
    pub version: Version,
    /// The chain that belongs to the word, bottom first.
    pub chain: Vec<Entry>,
    /// The captured node, where the context came with it (`encoder=pcc`); else 0.
    pub node: NodeId,
    /// Was the chain (all but the walk's own entries) the thread's?
    pub published: bool,
}

impl Context {
    /// One that needs no chain, and was not published.
    pub fn alone(word: Word, site: SiteId) -> Self {
        Self { word, site, version: Version(0), chain: Vec::new(), node: NodeId(0), published: false }
    }

    /// One whose word needs this chain.
    pub fn chained(word: Word, site: SiteId, chain: Vec<Entry>, published: bool) -> Self {
        Self { chain, published, ..Self::alone(word, site) }
    }

    /// Does its word, or its node, say a context? Not so of one that is lost.
    pub fn is_known(&self) -> bool {
        self.node != NodeId(0) || self.word.version().0 != 0
    }
}

/// The published context of the current thread, or by a walk where none is. `None` outside instrumented code, or when lost.
pub fn current(agent: &Agent, jni: Jni, thread: jobject) -> Option<Context> {
    if !agent.options.encoder.has_contexts() || agent.switch.is_ended() {
        return None;
    }
    if let Some(pcc) = &agent.pcc {
        return if agent.is_dead() { None } else { pcc.current(agent, jni, thread) };
    }
    let fields = agent.fields.get()?;
    let state = fields.state(jni, thread);
    if state.site == SiteId::ROOT {
        return None;
    }
    if state.is_known() {
        let packed = agent.algorithm1.is_none();
        let (word, site, version) = (state.ctx, state.site, state.version);
        let chain = if packed { fields.chain_of(jni, thread, word) } else { Some(Vec::new()) };
        if let Some(chain) = chain {
            return Some(Context { version, ..Context::chained(word, site, chain, packed) });
        }
    }
    if agent.is_dead() {
        return None;
    }
    walked(agent, jni, thread, &walk::instrumented(agent, jni)?)
}

/// The context of a walked stack whose innermost frame is `stack[0]`. `None` after the kill switch, too: other frames may have lost their hooks.
pub fn walked(agent: &Agent, jni: Jni, thread: jobject, stack: &[Frame]) -> Option<Context> {
    if stack.is_empty() || agent.switch.is_ended() {
        return None;
    }
    count(&agent.counters.event_walks);
    if let Some(paper) = &agent.algorithm1 {
        return paper.walked(agent, jni, thread, stack);
    }
    if let Some(cct) = &agent.cct {
        return cct.walked(agent, jni, thread, stack);
    }
    if let Some(pcc) = &agent.pcc {
        return pcc.walked(agent, jni, thread, stack);
    }
    let walked = walk::encode(agent, jni, thread, stack, Need::Event).ok()?;
    let mut chain = agent.fields.get().map_or_else(Vec::new, |fields| fields.chain(jni, thread));
    chain.extend(walked.extra);
    Some(Context::chained(walked.ctx, walked.site, chain, false))
}

/// A stretch of frames down to a cut entry or to the base.
struct Stretch {
    /// The word of the innermost frame.
    word: Word,
    /// Sites of the frames, innermost first.
    sites: Vec<SiteId>,
    /// The chain index of the cut entry it ends at.
    cut: Option<usize>,
}

/// What a captured number stands for.
pub struct Captured {
    /// The word of the innermost activation.
    pub word: Word,
    /// Where it stands.
    pub site: SiteId,
    /// The node below the topmost cut; 0 if no cut lies on the path.
    pub chain: NodeId,
    /// The number.
    pub node: NodeId,
}

/// The captured node of a context, and the node below its topmost cut (0 if no cut lies on its path). `None` if it does not decode.
pub fn node(agent: &Agent, jni: Jni, thread: jobject, context: &Context) -> Option<(NodeId, NodeId)> {
    let all = captured(agent, jni, thread, context)?;
    all.last().map(|captured| (captured.node, captured.chain))
}

/// Captures a context, and with it the contexts of all cut entries below that do not know their node. The context itself comes last.
pub fn captured(agent: &Agent, jni: Jni, thread: jobject, context: &Context) -> Option<Vec<Captured>> {
    let alone = |node| vec![Captured { word: context.word, site: context.site, chain: NodeId(0), node }];
    if agent.pcc.is_some() {
        return (context.node != NodeId(0)).then(|| alone(context.node));
    }
    if let Some(paper) = &agent.algorithm1 {
        return paper.node(agent, context).map(alone);
    }
    if let Some(cct) = &agent.cct {
        return cct.node(agent, context).map(alone);
    }
    let (stretches, mut parent) = stretches(agent, context)?;
    let all = agent.core.with(&agent.catalog, &agent.writer, |core, catalog| {
        let mut all = Vec::with_capacity(stretches.len());
        for stretch in stretches.iter().rev() {
            let chain = parent;
            for &site in stretch.sites.iter().rev() {
                parent = core.node(catalog, parent, site)?;
            }
            all.push(Captured { word: stretch.word, site: *stretch.sites.first()?, chain, node: parent });
        }
        Some(all)
    })?;
    if context.published
        && let Some(fields) = agent.fields.get()
    {
        // What each stretch led to is the caller context of the cut entry above it.
        for (above, captured) in stretches.iter().rev().skip(1).zip(&all) {
            if let Some(index) = above.cut {
                fields.set_node(jni, thread, index, captured.node);
            }
        }
    }
    Some(all)
}

/// Takes the context apart at its cuts, from the top down to the first cut entry whose node is known, or to the base.
fn stretches(agent: &Agent, context: &Context) -> Option<(Vec<Stretch>, NodeId)> {
    let snapshot = agent.core.snapshot();
    let mut entries = context.chain.iter().enumerate().rev().filter(|(_, entry)| !entry.chain.mark);
    let mut method = agent.catalog.site(context.site)?.method;
    let mut word = context.word;
    let mut stretches = vec![Stretch { word, sites: vec![context.site], cut: None }];
    loop {
        let stretch = stretches.last_mut()?;
        let below = snapshot.step(method, word).ok()?;
        let owns = word.chained() && below.restores() && !snapshot.is_constructor(method);
        let own = if owns { entries.next() } else { None };
        match below {
            Below::Root => return Some((stretches, NodeId(0))),
            Below::Caller { site, caller, word: callers, .. } => {
                if caller == MethodId::ROOT {
                    return Some((stretches, NodeId(0)));
                }
                stretch.sites.push(site);
                (method, word) = (caller, callers);
            }
            Below::Chain { site, .. } => {
                let (index, entry) = own.filter(|(_, entry)| entry.chain.cut && entry.chain.site == site)?;
                stretch.cut = Some(index);
                if entry.node != NodeId(0) {
                    return Some((stretches, entry.node));
                }
                if site == SiteId::ROOT {
                    return Some((stretches, NodeId(0)));
                }
                word = entry.chain.ctx;
                stretches.push(Stretch { word, sites: vec![site], cut: None });
                method = snapshot.site_method(site)?;
            }
        }
    }
}

/// The number of a context, which the hooks find by themselves from now on if it was published. `None` if it does not decode.
///
/// The hooks look for cut entries' nodes where they look for contexts, so those are published too: a warm program that recurses asks no more.
pub fn keep(agent: &Agent, jni: Jni, thread: jobject, context: &Context) -> Option<NodeId> {
    let all = captured(agent, jni, thread, context)?;
    let node = all.last()?.node;
    agent.core.with(&agent.catalog, &agent.writer, |core, _| {
        core.give(node);
        // A word that may come to mean another context as well is looked up each time.
        if context.published && agent.pcc.as_ref().is_none_or(|pcc| pcc.icpp.is_none()) {
            publish(agent, &all);
        }
    });
    Some(node)
}

/// Lets the hooks find captured contexts by themselves; only under the encoder's lock.
pub fn publish(agent: &Agent, all: &[Captured]) {
    for &Captured { word, site, chain, node } in all {
        agent.contexts.publish(word, site, chain, node);
    }
}

/// `LucceAsked.capture`'s slow way: the captured number of what the caller published; 0 if there is none.
pub fn capture(agent: &Agent, jni: Jni, thread: jobject) -> i64 {
    let node = current(agent, jni, thread).and_then(|context| keep(agent, jni, thread, &context));
    node.map_or(0, |node| node.0.into())
}

/// The sites of a captured number, innermost first.
pub fn sites(agent: &Agent, captured: i64) -> Vec<SiteId> {
    let Ok(mut node) = u32::try_from(captured).map(NodeId) else { return Vec::new() };
    agent.core.with(&agent.catalog, &agent.writer, |core, _| {
        let mut sites = Vec::new();
        while let Some((parent, site)) = core.node_at(node) {
            sites.push(site);
            node = parent;
        }
        sites
    })
}

/// The sites of `word` read at `site`, innermost first, without a chain; and whether they reach the thread base.
pub fn sites_of_word(agent: &Agent, word: Word, site: SiteId) -> (Vec<SiteId>, bool) {
    let Some(entry) = agent.catalog.site(site) else { return (Vec::new(), false) };
    if agent.algorithm1.is_some() {
        // The word alone does not say its version.
        return (vec![site], false);
    }
    let none: [ChainEntry; 0] = [];
    if let Some(pcc) = &agent.pcc {
        return pcc.sites(agent, word, site);
    }
    let decoded = match &agent.cct {
        Some(cct) => match cct.decode_any(word) {
            Some(decoded) => decoded,
            None => return (vec![site], false),
        },
        None => agent.core.snapshot().decode(entry.method, word, &none),
    };
    let mut sites = vec![site];
    sites.extend(decoded.frames.iter().filter_map(|frame| frame.site));
    (sites, decoded.end == lucce_encoding::End::Root)
}
