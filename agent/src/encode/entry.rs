//! The slow way into a method: a link that the hooks do not know yet, or a caller that only a walk
//! can tell.
//!
//! Invariant (INV, docs/design/thread-state.md): a link is plain only if control returns from its
//! callee directly to its site's method: the names fit, nothing uninstrumented of that signature
//! exists (or the callee clears the site at exit), and the first stack check showed the two frames
//! side by side. Everything else restores.
//! Source: docs/design/mechanisms.md, docs/design/link-tables.md.

mod call_ends;
mod lost;
mod stack_check;
mod untrusted;

use lucce_encoding::{Link, LinkKind, Passage};
use lucce_words::{Lost, MethodId, Signal, SiteId, Word};

pub use call_ends::CallEnds;
pub use lost::{absent, adrift, mark_lost};
pub use stack_check::{CHECKED_FRAMES, StackCheck, fits};
use stack_check::{check_stack, is_interposable, is_virtual};
pub use untrusted::{enter_super, enter_untrusted, enter_walked};

use crate::hook_tables::links::RecordKind;
use crate::hook_tables::tables::HookTables;
use crate::jvm::thread::{Entry, JavaThread};
use crate::stack::frames::StackView;
use crate::state::agent::{Agent, count};
use crate::state::catalog::MethodEntry;
use crate::state::graph::{LockedGraph, SkippedFrames};

/// Entry of `callee` from `ctx` at `site`, with no link in the tables.
pub fn enter(agent: &Agent, thread: JavaThread, callee: MethodId, ctx: Word, site: SiteId) -> Signal {
    count(&agent.run.counters.slow_entries);
    if agent.run.is_dead() {
        return mark_lost(agent, thread, callee, Lost::Death);
    }
    if agent.classes.foreign.contains(callee) {
        return mark_lost(agent, thread, callee, Lost::Foreign);
    }
    if site == SiteId::UNKNOWN || ctx.version().0 == 0 {
        return enter_walked(agent, thread, callee);
    }
    let Some(target) = agent.classes.catalog.method(callee) else {
        return mark_lost(agent, thread, callee, Lost::Hook);
    };
    let origin = if site == SiteId::ROOT { None } else { agent.classes.catalog.site(site) };
    if let Some(origin) = &origin
        && origin.is_doubtful_for(&target)
    {
        return enter_walked(agent, thread, callee);
    }
    let ends = CallEnds { site, origin: origin.as_ref(), callee, target: &target };
    let view = StackView::of(agent, thread.jni);
    let known = agent.graph.locked(|graph| graph.passage(site, callee));
    let (passage, frames) = match known {
        Some(passage) => (passage, Vec::new()),
        None => match check_stack(view, ends) {
            StackCheck::Seen(passage, frames) => (passage, frames),
            StackCheck::Elsewhere => return enter_walked(agent, thread, callee),
            StackCheck::Absent => return mark_lost(agent, thread, callee, absent(view, callee, &target)),
        },
    };
    match make_link(agent, ctx, ends, frames, passage) {
        Ok(link) => finish(agent, thread, ctx, ends, Vec::new(), &link),
        Err(reason) => mark_lost(agent, thread, callee, reason),
    }
}

/// Encodes a call at `ctx`, between whose ends these frames were seen, and publishes the link.
fn make_link(
    agent: &Agent,
    ctx: Word,
    ends: CallEnds<'_>,
    frames: Vec<String>,
    passage: Passage,
) -> Result<Link, Lost> {
    let CallEnds { site, callee, target, .. } = ends;
    agent.graph.link(
        |graph| {
            graph.renumber_if_due(&agent.tables.links);
            graph.note(vec![SkippedFrames { call: (site, callee), frames }]);
            // The signature may have become interposable since the stack check; what was decided
            // first holds, and demotions come through it.
            let passage = decide(agent, graph, ends, passage);
            graph.enter(ctx, site, callee, passage).map(|link| (link, passage))
        },
        |graph, encoded| {
            let (link, passage) = encoded?;
            publish(&agent.tables, graph, (ctx, site, callee), &link, record_kind(&link, passage, target));
            Ok(link)
        },
    )
}

/// Publishes the link, unless it is a constructor's that is there: what enters those untrusted or
/// unknown comes here each time.
fn publish(
    tables: &HookTables,
    graph: &mut LockedGraph,
    (ctx, site, callee): (Word, SiteId, MethodId),
    link: &Link,
    kind: RecordKind,
) {
    if kind != RecordKind::Constructor || tables.links.constructor(site, callee, ctx).is_none() {
        graph.publish(&tables.links, link, site, callee, kind);
    }
}

/// What was decided first, or else what a stack check said.
fn decide(agent: &Agent, graph: &mut LockedGraph, ends: CallEnds<'_>, looked: Passage) -> Passage {
    let CallEnds { site, origin, callee, target } = ends;
    graph.passage(site, callee).unwrap_or_else(|| {
        let passage = if is_interposable(agent, ends) { Passage::Restoring } else { looked };
        let exposed = passage == Passage::Plain && is_virtual(origin) && !target.interposable_exit;
        graph.decide(site, callee, passage, exposed);
        passage
    })
}

/// How a call is entered, for an encoder that makes no links.
pub fn decided(view: StackView<'_>, ends: CallEnds<'_>) -> StackCheck {
    let agent = view.agent;
    if let Some(passage) = agent.graph.locked(|graph| graph.passage(ends.site, ends.callee)) {
        return StackCheck::Seen(passage, Vec::new());
    }
    match check_stack(view, ends) {
        StackCheck::Seen(looked, frames) => {
            let passage = agent.graph.locked(|graph| decide(agent, graph, ends, looked));
            StackCheck::Seen(passage, frames)
        }
        other => other,
    }
}

/// Pushes what the link says, behind the entries that the caller's word needs, and gives the word.
fn finish(
    agent: &Agent,
    thread: JavaThread,
    ctx: Word,
    CallEnds { site, callee, target, .. }: CallEnds<'_>,
    mut entries: Vec<Entry>,
    link: &Link,
) -> Signal {
    if target.is_constructor() {
        let needs_shadow_stack = link.kind == LinkKind::Cut || entries.iter().any(|entry| !entry.shadow.barrier);
        return if needs_shadow_stack { mark_lost(agent, thread, callee, Lost::Chain) } else { signal(link) };
    }
    if link.kind == LinkKind::Plain {
        return signal(link);
    }
    entries.push(Entry::pushed(ctx, site, callee, link.word, link.kind == LinkKind::Cut));
    let Some(fields) = agent.jvm.fields.get() else { return mark_lost(agent, thread, callee, Lost::Hook) };
    if fields.push(thread, &entries) {
        signal(link)
    } else {
        agent.run.count_lost(None);
        Signal::restoring(Word::lost(Lost::Memory))
    }
}

fn signal(link: &Link) -> Signal {
    if link.kind == LinkKind::Plain { Signal::plain(link.word) } else { Signal::restoring(link.word) }
}

fn record_kind(link: &Link, passage: Passage, target: &MethodEntry) -> RecordKind {
    match (link.kind, passage) {
        (LinkKind::Cut, _) => RecordKind::Cut,
        (_, Passage::Restoring) if target.is_constructor() => RecordKind::Constructor,
        (LinkKind::Restoring, _) => RecordKind::Restoring,
        (LinkKind::Plain, _) => RecordKind::Plain,
    }
}
