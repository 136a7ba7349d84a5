//! The slow way into a method: an edge that was not met before, or a caller that only a walk can
//! tell.
//!
//! Invariant: an edge is decided as for Lucce's links, and made under the graph's lock, so that no
//! demotion falls between the two.
//! Source: docs/design/emitted-code.md, docs/design/thread-state.md.

use std::sync::atomic::Ordering;

use lucce_encoding::Passage;
use lucce_words::{Lost, MethodId, Signal, SiteId, Word};

use super::Cct;
use crate::encode::entry::{self, CallEnds, StackCheck};
use crate::encode::walk;
use crate::hook_tables::cct::key;
use crate::hook_tables::cct::node::{self, CctNode};
use crate::hook_tables::cct::tree::Tree;
use crate::hook_tables::links::RecordKind;
use crate::jvm::part::Jvm;
use crate::jvm::thread::{Entry, JavaThread};
use crate::stack::frames::{Frame, StackView};
use crate::state::agent::{Agent, count};
use crate::state::catalog::MethodEntry;

/// Where an entry comes from.
pub(super) struct Caller {
    pub(super) node: &'static CctNode,
    pub(super) site: SiteId,
    /// It has not begun (see [`walk::Walked`]), or an exception may end it unseen: the exit goes
    /// back to UNKNOWN.
    entering: bool,
}

impl Cct {
    /// Entry of `callee` from `ctx` at `site`, or from a walked caller if either is unknown.
    pub(super) fn entered(
        &self,
        agent: &Agent,
        thread: JavaThread,
        callee: MethodId,
        (ctx, site): (Word, SiteId),
    ) -> Result<Signal, Lost> {
        if agent.run.is_dead() {
            return Err(Lost::Death);
        }
        if agent.classes.foreign.contains(callee) {
            return Err(Lost::Foreign);
        }
        if site != SiteId::UNKNOWN && ctx.lost_reason() == Some(Lost::Memory) && self.exhausted.load(Ordering::Relaxed)
        {
            // A walk would find the same, frame by frame.
            return Err(Lost::Memory);
        }
        let target = agent.classes.catalog.method(callee).ok_or(Lost::Hook)?;
        let tree = self.tree(&agent.jvm, thread).ok_or(Lost::Memory)?;
        let origin = if site == SiteId::ROOT { None } else { agent.classes.catalog.site(site) };
        let weak = origin.as_ref().is_some_and(|origin| origin.is_doubtful_for(&target));
        // SAFETY: what a thread has published is a word that the hooks or the agent made.
        let published = if site == SiteId::UNKNOWN || weak { None } else { unsafe { node::of(ctx) } };
        let Some(node) = published else { return self.entered_by_walk(agent, thread, tree, callee, &target) };
        let view = StackView::of(agent, thread.jni);
        let ends = CallEnds { site, origin: origin.as_ref(), callee, target: &target };
        let passage = match entry::decided(view, ends) {
            StackCheck::Seen(passage, _) => passage,
            StackCheck::Elsewhere => return self.entered_by_walk(agent, thread, tree, callee, &target),
            StackCheck::Absent => return Err(entry::absent(view, callee, &target)),
        };
        let (edge, passage) = agent.graph.locked(|graph| {
            let passage = graph.passage(site, callee).unwrap_or(passage);
            (self.edges.edge(site, callee, kind(passage, &target)), passage)
        });
        let child = self.child(&agent.run, tree, node, edge.key())?;
        edge.join(child);
        if passage == Passage::Plain {
            return Ok(Signal::plain(child.word()));
        }
        let caller = Caller { node, site, entering: false };
        restoring(&agent.jvm, thread, &caller, callee, &target, child)
    }

    fn entered_by_walk(
        &self,
        agent: &Agent,
        thread: JavaThread,
        tree: &Tree,
        callee: MethodId,
        target: &MethodEntry,
    ) -> Result<Signal, Lost> {
        let view = StackView::of(agent, thread.jni);
        let stack = walk::instrumented(view).ok_or(Lost::Hook)?;
        if stack.first().and_then(|frame| frame.method) != Some(callee) {
            return Err(entry::absent(view, callee, target));
        }
        let caller = self.walk(agent, thread, &stack[1..])?;
        let child = self.child(&agent.run, tree, caller.node, key(caller.site, callee))?;
        // An edge for the next callback from the same code; where a direct call may come, that call
        // decides first.
        let site = agent.classes.catalog.site(caller.site);
        if !caller.entering && site.as_ref().is_none_or(|site| !entry::fits(site, target)) {
            let edge = agent.graph.locked(|graph| {
                graph.decide(caller.site, callee, Passage::Restoring, false);
                self.edges.edge(caller.site, callee, kind(Passage::Restoring, target))
            });
            edge.join(child);
        } else {
            self.walked.lock().insert((caller.site, callee));
        }
        let caller = Caller { entering: caller.entering || site.is_some_and(|site| site.is_weak()), ..caller };
        restoring(&agent.jvm, thread, &caller, callee, target, child)
    }

    /// Finds or makes the nodes of a stack whose innermost activation is `stack[0]`, from the
    /// thread base on.
    pub(super) fn walk(&self, agent: &Agent, thread: JavaThread, stack: &[Frame]) -> Result<Caller, Lost> {
        count(&agent.run.counters.walks);
        let tree = self.tree(&agent.jvm, thread).ok_or(Lost::Memory)?;
        let entering = stack.first().is_some_and(|frame| !walk::has_word(&agent.classes, frame));
        let stack = stack.iter().map(|frame| walk::frame_site(&agent.classes, frame)).collect::<Option<Vec<_>>>();
        let stack = stack.ok_or(Lost::Ids)?;
        let base = stack.last().map(|first| (SiteId::ROOT, first.method));
        let mut path = base.into_iter().chain(walk::steps(&stack));
        let node =
            path.try_fold(tree.root(), |node, (site, callee)| self.child(&agent.run, tree, node, key(site, callee)))?;
        Ok(Caller { node, site: stack.first().map_or(SiteId::ROOT, |innermost| innermost.site), entering })
    }

    /// The running thread's tree.
    pub(super) fn tree(&self, jvm: &Jvm, thread: JavaThread) -> Option<&'static Tree> {
        let fields = jvm.fields.get()?;
        let mut id = fields.tree(thread);
        if id == 0 {
            id = self.trees.adopt()?;
            fields.set_tree(thread, id);
        }
        self.trees.get(id)
    }
}

/// Pushes what the exit of `callee` goes back to, and gives its word.
fn restoring(
    jvm: &Jvm,
    thread: JavaThread,
    caller: &Caller,
    callee: MethodId,
    target: &MethodEntry,
    child: &'static CctNode,
) -> Result<Signal, Lost> {
    let word = child.word();
    let signal = Signal::restoring(word);
    if target.is_constructor() {
        return Ok(signal);
    }
    let own = Entry::pushed(caller.node.word(), caller.site, callee, word, false);
    let entries: &[Entry] = if caller.entering { &[Entry::barrier(), own] } else { &[own] };
    let fields = jvm.fields.get().ok_or(Lost::Hook)?;
    if fields.push(thread, entries) { Ok(signal) } else { Err(Lost::Memory) }
}

fn kind(passage: Passage, target: &MethodEntry) -> RecordKind {
    match passage {
        Passage::Plain => RecordKind::Plain,
        Passage::Restoring if target.is_constructor() => RecordKind::Constructor,
        Passage::Restoring => RecordKind::Restoring,
    }
}
