//! The oracle: does the decoded context equal the JVM's own stack walk at this very moment?
//!
//! Invariant: left out of the walk are frames without hooks (the JDK's, native and hidden ones, what the log names as skipped), nothing
//! else; every other frame must agree in method, bytecode index and line. A disagreement is counted, logged and printed, never filtered.
//! There are three ways to compare, each cheaper than the next and each leaving what it cannot confirm to the next: the top of a deep
//! stack ([`deep`]), both sides step by step, both sides collected, whose disagreement is final.
//! Source: ARCHITECTURE ("The contract"), docs/design/verifier.md.

mod deep;
mod mismatch;
mod places;
mod ticks;

use std::cell::RefCell;
use std::hash::Hasher;
use std::sync::atomic::AtomicU64;

use jvmti_bindings::sys::jni::jobject;
use lucce_encoding::{Activation, Below, ChainEntry, End, Frame};
use lucce_words::{EdgeId, Lost, MethodId, NodeId, SiteId, Version, Word};
use rustc_hash::{FxHashSet, FxHasher};

use crate::encode::capture::{self, Context};
use crate::encode::pcc::{Pcc, Said};
use crate::encode::walk;
use crate::jvm::jni::Jni;
use crate::jvm::thread::{Entry, ThreadFields};
use crate::options::EncoderKind;
use crate::stack::frames::{self, Walk};
use crate::state::agent::{Agent, count};
use crate::support::lock::Lock;
use places::Stack;
pub use ticks::Ticks;

thread_local! {
    /// Edges that this thread has reported as checked.
    static CHECKED: RefCell<FxHashSet<EdgeId>> = RefCell::default();
}

/// What was compared.
#[derive(Default)]
pub struct Oracle {
    /// Comparisons.
    pub checks: AtomicU64,
    /// Those of them that ended at an activation of a deep stack which was confirmed before.
    pub incremental: AtomicU64,
    /// Comparisons that disagreed.
    pub mismatches: AtomicU64,
    /// Checks that were due while the JVM gave no stack to compare with.
    pub unanswered: AtomicU64,
    /// Comparisons of a LOST word.
    pub lost: AtomicU64,
    /// Entries with a hashed word that means nothing: what is asked for there is walked.
    pub unknown: AtomicU64,
    /// With `verify=<time>`: when the next check is due.
    pub ticks: Ticks,
    distinct: Lock<FxHashSet<u64>>,
}

impl Oracle {
    /// Distinct contexts compared. Of stacks deeper than [`deep::WHOLE`] only those count as distinct that differ in depth or in the two
    /// topmost activations: no more than there are.
    pub fn distinct(&self) -> usize {
        self.distinct.lock().len()
    }
}

/// An entry that is checked.
#[derive(Clone, Copy)]
struct Entered<'a> {
    agent: &'a Agent,
    fields: &'a ThreadFields,
    jni: Jni,
    thread: jobject,
    method: MethodId,
    word: Word,
}

/// A context to compare: what its words say.
struct Claim<'a> {
    method: MethodId,
    /// Where its innermost activation stands; `None` at its entry.
    site: Option<SiteId>,
    word: Word,
    version: Version,
    chain: &'a [Entry],
    /// The captured node of the context, or of its caller's where `site` is none, with `encoder=pcc`.
    node: NodeId,
}

/// A comparison that agreed.
struct Held {
    /// Frames with hooks.
    depth: u32,
    /// The innermost and the one that called it, in one number for each pair.
    top: u64,
    /// Where the second of them stands.
    caller: SiteId,
    /// The activations with an entry of their own.
    owners: Vec<Owner>,
    /// Of all that were compared.
    hash: FxHasher,
}

/// An activation and its entry of the chain.
struct Owner {
    /// Where in the chain that was decoded.
    index: usize,
    /// Frames above the activation.
    above: u32,
    /// Its word.
    word: Word,
}

impl Held {
    fn new() -> Self {
        Self { depth: 0, top: 0, caller: SiteId::ROOT, owners: Vec::new(), hash: FxHasher::default() }
    }

    /// The next activation below.
    fn add(&mut self, at: &Activation) {
        // A site is of one method.
        self.hash.write_u64(at.site.map_or(u64::from(at.method.0) << 32, |site| site.0.into()));
        if self.depth == 1 {
            (self.caller, self.top) = (at.site.unwrap_or(SiteId::UNKNOWN), self.hash.finish());
        }
        self.owners.extend(at.own.map(|index| Owner { index, above: self.depth, word: at.word }));
        self.depth += 1;
    }

    /// Equal for equal contexts.
    fn context(&self) -> u64 {
        if self.depth > deep::WHOLE { self.top ^ u64::from(self.depth) << 40 } else { self.hash.finish() }
    }
}

/// Compares the entry of `method` with `word`.
pub fn check_entry(agent: &Agent, jni: Jni, thread: jobject, method: MethodId, word: Word) {
    if agent.is_dead()
        || matches!(word.lost_reason(), Some(Lost::Foreign | Lost::Lent | Lost::Ended | Lost::Continuation))
    {
        return;
    }
    let Some(fields) = agent.fields.get() else { return };
    let needs_chain = agent.options.encoder == EncoderKind::Lucce && word.version().0 != 0 && word.chained();
    if needs_chain && fields.is_doubted(jni, thread) {
        return check_walked(agent, jni, thread);
    }
    let entered = Entered { agent, fields, jni, thread, method, word };
    if let Some(held) = deep::holds(&entered) {
        count(&agent.oracle.checks);
        count(&agent.oracle.incremental);
        note(agent, &Claim { method, site: None, word, version: Version(0), chain: &[], node: NodeId(0) }, &held);
        return;
    }
    let chain = fields.chain(jni, thread);
    let claim =
        Claim { method, site: None, word, version: fields.version(jni, thread), chain: &chain, node: NodeId(0) };
    let held = if agent.methods.any_redefined() {
        walk::instrumented(agent, jni).map(|stack| compare(agent, jni, &claim, Stack::Walked(stack.iter())))
    } else {
        Walk::whole(agent.jvmti).map(|walk| compare(agent, jni, &claim, Stack::Walking(walk)))
    };
    match held {
        Some(Some(held)) => deep::held_whole(&entered, &chain, &held),
        Some(None) => {}
        None => count(&agent.oracle.unanswered),
    }
}

/// Compares what an event would tell where the chain is not to be believed.
fn check_walked(agent: &Agent, jni: Jni, thread: jobject) {
    match walk::instrumented(agent, jni) {
        Some(stack) => match capture::walked(agent, jni, thread, &stack) {
            Some(context) => check_event(agent, jni, &context, &stack),
            None => {
                count(&agent.oracle.checks);
                count(&agent.oracle.lost);
            }
        },
        None => count(&agent.oracle.unanswered),
    }
}

/// Compares the context of an event.
pub fn check_event(agent: &Agent, jni: Jni, context: &Context, stack: &[frames::Frame]) {
    let Some(entry) = agent.catalog.site(context.site) else { return };
    let Context { word, version, ref chain, node, .. } = *context;
    let claim = Claim { method: entry.method, site: Some(context.site), word, version, chain, node };
    compare(agent, jni, &claim, Stack::Walked(stack.iter()));
}

/// Compares the entry of `method`, whose hashed word is `mixed`, with the stack (`encoder=pcc`).
pub fn check_hashed(agent: &Agent, jni: Jni, thread: jobject, pcc: &Pcc, (method, mixed): (MethodId, u64)) {
    if agent.is_dead() {
        return;
    }
    match pcc.entered(agent, jni, thread, method, mixed) {
        Said::Unanswered => count(&agent.oracle.unanswered),
        Said::Unknown => {
            count(&agent.oracle.checks);
            count(&agent.oracle.unknown);
        }
        Said::Context(node, stack) => {
            let claim = Claim { method, site: None, word: Word::NONE, version: Version(0), chain: &[], node };
            compare(agent, jni, &claim, Stack::Walked(stack.iter()));
        }
    }
}

/// Compares to the base, and counts. What held, if it did.
fn compare(agent: &Agent, jni: Jni, claim: &Claim<'_>, stack: Stack<'_>) -> Option<Held> {
    let lost = match (&agent.algorithm1, &agent.pcc) {
        (Some(_), _) => claim.version.0 == 0,
        (None, Some(_)) => false,
        (None, None) => claim.word.lost_reason().is_some(),
    };
    if lost {
        count(&agent.oracle.checks);
        count(&agent.oracle.lost);
        return None;
    }
    let held = match whole(agent, jni, claim, stack) {
        Some(held) => {
            count(&agent.oracle.checks);
            held
        }
        None => mismatch::settle(agent, jni, claim)?,
    };
    note(agent, claim, &held);
    Some(held)
}

/// Both sides step by step; `None` at the first disagreement.
fn whole(agent: &Agent, jni: Jni, claim: &Claim<'_>, mut stack: Stack<'_>) -> Option<Held> {
    let walking = matches!(stack, Stack::Walking(_));
    let mut held = Held::new();
    let end = decode(agent, claim, |at| {
        let agrees = stack.next_is(agent, jni, at.method, at.site);
        held.add(at);
        agrees
    })?;
    let whole = end == End::Root
        && stack.is_at_base(agent, jni)
        && misplaced(claim, &held).is_none()
        // A redefinition may have begun meanwhile.
        && !(walking && agent.methods.any_redefined());
    whole.then_some(held)
}

/// The depth at which an incremental check has confirmed an activation that stands elsewhere.
fn misplaced(claim: &Claim<'_>, held: &Held) -> Option<u32> {
    let mut heights = held.owners.iter().filter_map(|owner| {
        let confirmed = claim.chain[owner.index].confirmed;
        (confirmed != 0).then_some(confirmed + owner.above)
    });
    heights.find(|&height| height != held.depth)
}

/// Decodes from the top until `visit` says no. How it ends, if it does not end so.
fn decode(agent: &Agent, claim: &Claim<'_>, mut visit: impl FnMut(&Activation) -> bool) -> Option<End> {
    // An event's innermost activation stands at its site.
    let mut innermost = claim.site;
    let mut visit = |at: Activation| visit(&Activation { site: innermost.take().or(at.site), ..at });
    let otherwise = match (&agent.algorithm1, &agent.pcc) {
        (Some(paper), _) => Some(paper.decode(claim.method, claim.word, claim.version)),
        (None, Some(pcc)) => Some(pcc.decode(agent, claim.node, claim.method, claim.site.is_none())),
        (None, None) => agent.cct.as_ref().and_then(|cct| cct.decode(claim.word)),
    };
    if let Some(decoded) = otherwise {
        let at = |frame: &Frame| Activation { method: frame.method, word: Word::NONE, site: frame.site, own: None };
        return decoded.frames.iter().all(|frame| visit(at(frame))).then_some(decoded.end);
    }
    let snapshot = agent.core.snapshot();
    let links: Vec<ChainEntry> = claim.chain.iter().map(|entry| entry.chain).collect();
    let mut descent = snapshot.descend(claim.method, claim.word, &links);
    descent.all(visit).then(|| descent.end())
}

/// Remembers the context, and the edge it came by.
fn note(agent: &Agent, claim: &Claim<'_>, held: &Held) {
    agent.oracle.distinct.lock().insert(held.context());
    let method = claim.method;
    if let Some(paper) = &agent.algorithm1 {
        paper.checked(held.caller, method);
    } else if let Some(cct) = &agent.cct {
        cct.saw(held.caller, method);
    } else if agent.pcc.is_some() {
        // Words are compared, and edges are those of what was captured.
    } else if let Ok(Below::Caller { edge, .. } | Below::Chain { edge, .. }) =
        agent.core.snapshot().step(method, claim.word)
    {
        let new = CHECKED.with_borrow_mut(|edges| edges.insert(edge));
        if new {
            agent.core.with(&agent.catalog, &agent.writer, |core, _| core.checked(edge));
        }
    }
}
