//! Captures of words with a shadow stack: the context is taken apart at its cuts.
//!
//! Invariant: what lies below a cut entry whose node is known is not looked at again. Source:
//! docs/design/thread-state.md ("Captures").

use lucce_encoding::Below;
use lucce_words::{MethodId, NodeId, SiteId, Word};

use crate::encode::context::{Captured, Context};
use crate::jvm::thread::JavaThread;
use crate::state::agent::Agent;

/// A stretch of frames down to a cut entry or to the base.
struct Stretch {
    /// The word of the innermost frame.
    word: Word,
    /// Sites of the frames, innermost first.
    sites: Vec<SiteId>,
    /// The shadow stack index of the cut entry it ends at.
    cut: Option<usize>,
}

/// Captures a context, and with it the contexts of all cut entries below that do not know their
/// node. The context itself comes last.
pub(super) fn captured(agent: &Agent, thread: JavaThread, context: &Context) -> Option<Vec<Captured>> {
    let (stretches, mut parent) = stretches(agent, context)?;
    let all = agent.graph.locked(|graph| {
        let mut all = Vec::with_capacity(stretches.len());
        for stretch in stretches.iter().rev() {
            let below = parent;
            for &site in stretch.sites.iter().rev() {
                parent = graph.node(parent, site)?;
            }
            all.push(Captured { word: stretch.word, site: *stretch.sites.first()?, below, node: parent });
        }
        Some(all)
    })?;
    if context.published
        && let Some(fields) = agent.jvm.fields.get()
    {
        // What each stretch led to is the caller context of the entry above it.
        for (above, captured) in stretches.iter().rev().skip(1).zip(&all) {
            if let Some(index) = above.cut {
                fields.set_node(thread, index, captured.node);
            }
        }
    }
    Some(all)
}

/// Takes the context apart at its cuts, from the top down to the first cut entry whose node is
/// known, or to the base.
fn stretches(agent: &Agent, context: &Context) -> Option<(Vec<Stretch>, NodeId)> {
    let snapshot = agent.graph.snapshot();
    let mut entries = context.shadow_stack.iter().enumerate().rev().filter(|(_, entry)| !entry.shadow.barrier);
    let mut method = agent.classes.catalog.site(context.site)?.method;
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
            Below::ShadowStack { site, .. } => {
                let (index, entry) = own.filter(|(_, entry)| entry.shadow.cut && entry.shadow.site == site)?;
                stretch.cut = Some(index);
                if entry.node != NodeId(0) {
                    return Some((stretches, entry.node));
                }
                if site == SiteId::ROOT {
                    return Some((stretches, NodeId(0)));
                }
                word = entry.shadow.ctx;
                stretches.push(Stretch { word, sites: vec![site], cut: None });
                method = snapshot.site_method(site)?;
            }
        }
    }
}
