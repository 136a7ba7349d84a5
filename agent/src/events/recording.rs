//! From a context to a record: events of the sources ([`crate::events::sources`]) and the
//! application's own.
//!
//! Invariant: with `verify` every event is compared with the JVM's own walk before it is queued.
//! Source: docs/design/event-sources.md, docs/design/verifier.md.

mod consumers;
mod kept;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use jvmti_bindings::sys::jni::{jclass, jobject};
use lucce_log::{Record, WalkedFrame};
use lucce_words::{Lost, NodeId, OriginId, SiteId, Word, signature};

use crate::encode::capture;
use crate::encode::context::Context;
use crate::encode::walk;
use crate::events::sources::Scene;
use crate::events::sources::locks::Holder;
use crate::jvm::thread::{Entry, JavaThread};
use crate::options::Source;
use crate::stack::frames::{Frame, StackView};
use crate::state::agent::{Agent, count};
use crate::state::run::Run;
use crate::support::kinds::EventKind;
use crate::verify::oracle;
pub use consumers::{Consumers, Given};
pub use kept::KeptContext;

/// Uninstrumented frames that an event names.
const WALKED: usize = 8;

/// What was allocated: references that live during the callback.
#[derive(Clone, Copy)]
pub struct Allocated {
    /// The object.
    pub object: jobject,
    /// Its class.
    pub class: jclass,
}

/// Where another agent's event happened.
#[derive(Clone, Copy)]
pub enum EventPlace<'a> {
    /// Here and now.
    Here(&'a Context),
    /// A captured context and the site of its innermost frame.
    Captured(NodeId, SiteId),
}

/// What happened.
pub struct Happening<'h> {
    /// The kind of event.
    pub kind: EventKind<'h>,
    /// Its value.
    pub value: i64,
    /// The class that it is about, by its signature.
    pub class: Option<String>,
    /// What was allocated, for the consumers of events.
    pub allocated: Option<Allocated>,
    /// Frames above the innermost one with hooks, innermost first.
    pub walked: Vec<WalkedFrame>,
    /// How many of these have hooks themselves.
    pub above: usize,
    /// Where the innermost frame with hooks stands in its rewritten code, if the JVM's own walk may
    /// say the next instruction.
    pub location: Option<i64>,
    /// If it is told some time after it has happened.
    pub then: Option<Then<'h>>,
    /// Who held what the thread has waited for.
    pub holder: Option<Holder>,
}

/// When something has happened, and on which stack.
#[derive(Clone, Copy)]
pub struct Then<'h> {
    /// Nanoseconds since the start.
    pub time_ns: u64,
    /// The frames with hooks, innermost first.
    pub stack: &'h [Frame],
}

impl<'h> Happening<'h> {
    /// What happens where the innermost frame with hooks stands.
    pub fn here(kind: EventKind<'h>, value: i64, class: Option<String>) -> Self {
        Self {
            kind,
            value,
            class,
            allocated: None,
            walked: Vec::new(),
            above: 0,
            location: None,
            then: None,
            holder: None,
        }
    }
}

/// `LucceApi.event`: the application's own event at the call that it has just published. Was it
/// taken, or are events stopped?
pub fn user_event(agent: &Agent, thread: JavaThread, kind: EventKind<'_>, value: i64, class: Option<String>) -> bool {
    if !is_taken(&agent.run, kind) {
        return false;
    }
    match capture::current(agent, thread) {
        Some(context) => {
            let logged = record(agent, thread, &Happening::here(kind, value, class), &context);
            !matches!(logged, Logged::Refused)
        }
        None => {
            count(&agent.run.counters.events_outside);
            true
        }
    }
}

/// Are events of the application taken at present?
fn is_taken(run: &Run, kind: EventKind<'_>) -> bool {
    let taken = run.switch.takes(kind);
    if !taken {
        count(&run.counters.events_stopped);
    }
    taken
}

/// An event of the application at a context that it captured earlier; 0, and a number never given,
/// is none. Was it taken?
pub fn captured_event(agent: &Agent, thread: JavaThread, kind: EventKind<'_>, value: i64, node: NodeId) -> bool {
    if !is_taken(&agent.run, kind) {
        return false;
    }
    let known = agent.graph.locked(|graph| graph.node_at(node));
    let (node, site) = known.map_or((NodeId(0), SiteId::UNKNOWN), |(_, site)| (node, site));
    given(agent, thread, (kind, value, None), EventPlace::Captured(node, site));
    true
}

/// An event of another agent, or of the leak detector. Is it in the log?
pub fn given(
    agent: &Agent,
    thread: JavaThread,
    (kind, value, class): (EventKind<'_>, i64, Option<String>),
    place: EventPlace<'_>,
) -> bool {
    if !agent.run.switch.takes(kind) {
        return false;
    }
    match place {
        EventPlace::Here(context) => {
            let happening = Happening::here(kind, value, class);
            matches!(record(agent, thread, &happening, context), Logged::Queued)
        }
        EventPlace::Captured(node, site) => {
            let (time_ns, word, below) = (agent.run.now(), Word::NONE, NodeId(0));
            let given = Given { kind, value, class: class.as_deref(), allocated: None, time_ns, place };
            agent.events.consumers.give(agent, thread, &given);
            if !agent.run.writer.has_place() {
                return false;
            }
            let source = Source::of(kind);
            // Whoever tells of it need not be who captured: what is in force here says nothing of
            // there.
            let (number, kind) = introduced(agent, thread, OriginId(0), kind, site);
            let (class, walked) = (class.map(Into::into), [].into());
            let event =
                Record::Event { time_ns, thread: number, kind, value, word, site, chain: below, class, walked, node };
            agent.run.writer.event(event, source);
            true
        }
    }
}

/// Under `verify`: compares a context with the JVM's own walk.
pub fn check(view: StackView<'_>, context: &Context) {
    check_at(view, &Happening::here(EventKind::programs(""), 0, None), context);
}

fn check_at(view: StackView<'_>, happening: &Happening<'_>, context: &Context) {
    if let Some(then) = happening.then {
        return check_walked(view, context, then.stack);
    }
    let agent = view.agent;
    if agent.oracle.ticks.takes_event(agent.options.verify) {
        match walk::instrumented(view) {
            Some(mut stack) => {
                stack.drain(..happening.above.min(stack.len()));
                if let (Some(innermost), Some(location)) = (stack.first_mut(), happening.location) {
                    innermost.location = location;
                }
                oracle::check_event(view, context, &stack);
            }
            None => count(&agent.oracle.unanswered),
        }
    }
}

/// Under `verify`: compares the context of a walked stack with that walk.
pub fn check_walked(view: StackView<'_>, context: &Context, stack: &[Frame]) {
    if view.agent.oracle.ticks.takes_event(view.agent.options.verify) && context.is_known() {
        oracle::check_event(view, context, stack);
    }
}

/// Logs an event of a source.
pub fn log(scene: Scene<'_>, happening: &Happening<'_>, context: &Context) {
    let Scene { agent, thread, figures } = scene;
    match record(agent, thread, happening, context) {
        Logged::Queued => {
            let events = 1 + u64::from(happening.holder.is_some());
            figures.events.fetch_add(events, Ordering::Relaxed);
        }
        Logged::Dropped => count(&figures.dropped),
        Logged::Lost => count(&figures.lost),
        Logged::Refused => {}
    }
}

/// What became of an event.
pub enum Logged {
    /// It goes to the log.
    Queued,
    /// The writer could not keep up.
    Dropped,
    /// Its context could not be kept.
    Lost,
    /// Its source is stopped.
    Refused,
}

fn record(agent: &Agent, thread: JavaThread, happening: &Happening<'_>, context: &Context) -> Logged {
    if !agent.run.switch.takes(happening.kind) {
        return Logged::Refused;
    }
    let time_ns = happening.then.map_or_else(|| agent.run.now(), |then| then.time_ns);
    let KeptContext { word, below, node } = match kept(agent, thread, context) {
        Ok(kept) => kept,
        Err(logged) => return logged,
    };
    check_at(StackView::of(agent, thread.jni), happening, context);
    let class = happening.class.as_deref().map(signature::internal_name);
    let Happening { kind, value, allocated, .. } = *happening;
    let given = Given { kind, value, class, allocated, time_ns, place: EventPlace::Here(context) };
    if agent.classes.catalog.site(context.site).is_some() {
        agent.events.consumers.give(agent, thread, &given);
    }
    if !agent.run.writer.has_place() {
        return Logged::Dropped;
    }
    let source = Source::of(kind);
    let origin = match happening.then {
        // Which task the thread ran then is not known.
        Some(_) => agent.events.threads.started(thread),
        None => agent.events.threads.origin(thread),
    };
    let (number, kind) = introduced(agent, thread, origin, kind, context.site);
    let (site, walked) = (context.site, happening.walked.as_slice().into());
    let class: Option<Arc<str>> = class.map(Into::into);
    let holder = happening.holder.as_ref().map(|holder| holder.event(time_ns, value, class.clone()));
    let event = Record::Event { time_ns, thread: number, kind, value, word, site, chain: below, class, walked, node };
    match holder {
        Some(holder) => agent.run.writer.pair([holder, event], source),
        None => agent.run.writer.event(event, source),
    }
    Logged::Queued
}

/// Keeps what the log needs of a context.
///
/// # Errors
/// What becomes of the event without it.
pub fn kept(agent: &Agent, thread: JavaThread, context: &Context) -> Result<KeptContext, Logged> {
    // Chained words need the context below their topmost cut; others are whole by themselves.
    let (word, below, node) = if agent.encoder.is_passive() {
        // What it means a map says.
        (context.word, NodeId(0), NodeId(0))
    } else if context.node != NodeId(0) {
        (Word::NONE, NodeId(0), context.node)
    } else if agent.options.encoder.has_private_words() {
        // Only this process understands them: the context's node stands for the word, and for what
        // is lost the word says why.
        match capture::node(agent, thread, context) {
            Some((node, _)) => (Word::NONE, NodeId(0), node),
            None if agent.run.switch.is_ended() => return Err(Logged::Refused),
            // What is lost was counted where that was found.
            None if context.version.0 == 0 && context.word.version().0 == 0 => (context.word, NodeId(0), NodeId(0)),
            None => {
                agent.run.count_lost(None);
                (Word::lost(Lost::Hook), NodeId(0), NodeId(0))
            }
        }
    } else if context.word.version().0 != 0 && context.word.chained() {
        match capture::node(agent, thread, context) {
            Some((_, below)) => (context.word, below, NodeId(0)),
            // The kill switch was used since the event was taken, and nothing is kept any more.
            None if agent.run.switch.is_ended() => return Err(Logged::Refused),
            None if context.shadow_stack.iter().any(Entry::is_dropped) => {
                agent.run.count_lost(None);
                (Word::lost(Lost::Dropped), NodeId(0), NodeId(0))
            }
            None => {
                agent.run.count_lost(None);
                return Err(Logged::Lost);
            }
        }
    } else {
        (context.word, NodeId(0), NodeId(0))
    };
    Ok(KeptContext { word, below, node })
}

/// The log's numbers of a thread and a kind. The log describes both, and the site, before the
/// event.
pub fn introduced(
    agent: &Agent,
    thread: JavaThread,
    origin: OriginId,
    kind: EventKind<'_>,
    site: SiteId,
) -> (u32, u32) {
    let origin = agent.events.origins.logged(origin);
    let (number, introduction) = agent.events.threads.number(agent.jvm.jvmti, thread, origin);
    let kind = agent.graph.locked(|graph| {
        graph.describe(site);
        if let Some(introduction) = introduction {
            graph.record(introduction);
        }
        graph.kind(kind)
    });
    (number, kind)
}

/// The frames above the innermost instrumented one, innermost first, without the hooks' own.
pub fn walked_frames(view: StackView<'_>, above: &[Frame]) -> Vec<WalkedFrame> {
    above
        .iter()
        .filter_map(|frame| Some((frame, view.named(frame.raw)?)))
        .filter(|(_, named)| !named.is_hook())
        .take(WALKED)
        .map(|(frame, named)| WalkedFrame {
            class: named.class.as_str().into(),
            method: named.method.as_str().into(),
            desc: named.desc.as_str().into(),
            line: if frame.is_native() { Some(WalkedFrame::NATIVE) } else { named.line(frame.location) },
        })
        .collect()
}
