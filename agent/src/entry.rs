//! The slow way into a method: a link that the hooks do not know yet, or a caller that only a walk can tell.
//!
//! Invariant (INV, ARCHITECTURE): a link is plain only if control returns from its callee directly to its site's method: the names
//! fit, nothing uninstrumented of that signature exists (or the callee forgets at exit), and the first look showed the two frames
//! side by side. Everything else restores.
//! Source: DESIGN section 3.

use jvmti_bindings::sys::jni::jobject;
use lucce_classfile::SiteKind;
use lucce_encoding::{Link, LinkKind, Passage};
use lucce_words::{EdgeId, Lost, MethodId, Signal, SiteId, Word};

use crate::agent::{Agent, count};
use crate::catalog::{MethodEntry, Place, SiteEntry};
use crate::core::Inner;
use crate::jvm::frames::{self, Frame};
use crate::jvm::jni::Jni;
use crate::jvm::thread::Entry;
use crate::links::RecordKind;
use crate::{classes, walk};
use lucce_log::Record;

/// Frames looked at when a link is made: the hooks' own, the callee, the caller, and some between them for the log's "via".
const LOOK: usize = 16;
/// JVMTI_CLASS_STATUS_INITIALIZED.
const INITIALIZED: i32 = 4;
/// Uninstrumented frames that a "via" note names.
const VIA: usize = 8;

/// Entry of `callee` from `ctx` at `site`, with no link in the tables.
pub fn enter(agent: &Agent, jni: Jni, thread: jobject, callee: MethodId, ctx: Word, site: SiteId) -> Signal {
    count(&agent.counters.slow_entries);
    if agent.is_dead() {
        return lose(agent, jni, thread, callee, Lost::Death);
    }
    if agent.foreign.contains(callee) {
        return disown(agent, jni, thread, callee);
    }
    if site == SiteId::UNKNOWN || ctx.version().0 == 0 {
        return enter_walked(agent, jni, thread, callee);
    }
    let Some(target) = agent.catalog.method(callee) else { return lose(agent, jni, thread, callee, Lost::Hook) };
    let origin = if site == SiteId::ROOT { None } else { agent.catalog.site(site) };
    if let Some(origin) = &origin
        && origin.place == Place::Published(SiteKind::WeakInit)
        && !(target.is_constructor() && *origin.owner == *target.class_name)
    {
        return enter_walked(agent, jni, thread, callee);
    }
    let known = agent.core.with(&agent.catalog, &agent.writer, |core, _| core.passage(site, callee));
    let (passage, via) = match known {
        Some(passage) => (passage, Vec::new()),
        None => match look(agent, jni, origin.as_ref(), callee, &target) {
            Look::Seen(passage, via) => (passage, via),
            Look::Elsewhere => return enter_walked(agent, jni, thread, callee),
            Look::Foreign => {
                note_foreign(agent, callee, &target);
                return disown(agent, jni, thread, callee);
            }
        },
    };
    let link = make_link(agent, ctx, site, callee, &target, origin.as_ref(), passage);
    match link {
        Ok(link) => {
            note_via(agent, jni, link.edge, &via);
            finish(agent, jni, thread, callee, &target, (ctx, site), Vec::new(), &link)
        }
        Err(reason) => lose(agent, jni, thread, callee, reason),
    }
}

/// Entry of `callee` with `ctx` published before `super(...)` by a constructor that had not been entered through a plain link.
///
/// Such a constructor (of an object made by reflection, or by `Foo::new` in a stream) cannot watch that instruction, so what it has
/// published may be left over from one that failed. It is taken at its word only if it stands right below, at that very instruction.
pub fn enter_super(agent: &Agent, jni: Jni, thread: jobject, callee: MethodId, ctx: Word) -> Signal {
    match super_link(agent, jni, callee, ctx) {
        Some(word) => Signal::restoring(word),
        None => {
            count(&agent.counters.slow_entries);
            enter_walked(agent, jni, thread, callee)
        }
    }
}

fn super_link(agent: &Agent, jni: Jni, callee: MethodId, ctx: Word) -> Option<Word> {
    if agent.is_dead() || agent.foreign.contains(callee) || ctx.version().0 == 0 || !agent.is_constructor(callee) {
        return None;
    }
    let frames = frames::top(agent.jvmti, jni, &agent.methods, &agent.catalog, LOOK);
    let at = frames.iter().position(|frame| frame.method.is_some())?;
    let below = frames.get(at + 1).filter(|_| frames[at].method == Some(callee))?;
    let standing = walk::standing(agent, below).filter(|_| walk::has_word(agent, below))?;
    let target = agent.catalog.method(callee)?;
    let site = agent.catalog.site(standing.site)?;
    // Before any link is taken: at another site `ctx` is what a constructor that failed has left, and a link made by a walk may answer.
    if site.place != Place::Published(SiteKind::WeakInit) || !fits(&site, &target) {
        return None;
    }
    if let Some(word) = agent.links.constructor(standing.site, callee, ctx) {
        return Some(word);
    }
    count(&agent.counters.slow_entries);
    let link = agent.core.link(
        &agent.catalog,
        &agent.writer,
        |core, catalog| core.enter(catalog, ctx, standing.site, callee, Passage::Restoring),
        |core, link| {
            let link = link.ok().filter(|link| link.kind != LinkKind::Cut)?;
            core.publish(&agent.links, &link, standing.site, callee, RecordKind::Constructor);
            Some(link)
        },
    )?;
    Some(link.word)
}

/// Entry of `callee`, which the JVM calls whenever it likes.
///
/// A method walks. A constructor (of an exception, mostly) cannot push, and would walk again at each `super(...)`, so what is published is
/// believed if the nearest frame with hooks stands at that very call: then that frame has published it, and nothing has been left over.
pub fn enter_untrusted(agent: &Agent, jni: Jni, thread: jobject, callee: MethodId) -> Signal {
    let fields = agent.fields.get().filter(|_| agent.is_constructor(callee));
    let Some(fields) = fields else { return enter_walked(agent, jni, thread, callee) };
    if let Some(ctx) = fields.constructing(jni, thread) {
        return enter_super(agent, jni, thread, callee, ctx);
    }
    let state = fields.state(jni, thread);
    if !agent.is_dead() && state.is_known() && stands_below(agent, jni, callee, state.site) {
        return enter(agent, jni, thread, callee, state.ctx, state.site);
    }
    enter_walked(agent, jni, thread, callee)
}

/// Does the nearest frame with hooks below that of `callee` stand at `site`, its own entry done?
fn stands_below(agent: &Agent, jni: Jni, callee: MethodId, site: SiteId) -> bool {
    let frames = frames::top(agent.jvmti, jni, &agent.methods, &agent.catalog, LOOK);
    let mut hooked = frames.iter().filter(|frame| frame.method.is_some());
    let (own, below) = (hooked.next(), hooked.next());
    own.is_some_and(|frame| frame.method == Some(callee))
        && below.is_some_and(|frame| {
            walk::has_word(agent, frame) && walk::standing(agent, frame).is_some_and(|standing| standing.site == site)
        })
}

/// Entry of `callee` with an unknown or untrusted caller.
pub fn enter_walked(agent: &Agent, jni: Jni, thread: jobject, callee: MethodId) -> Signal {
    if agent.is_dead() {
        return lose(agent, jni, thread, callee, Lost::Death);
    }
    let Some(stack) = walk::instrumented(agent, jni) else {
        let reason = if agent.is_dead() { Lost::Death } else { Lost::Hook };
        return lose(agent, jni, thread, callee, reason);
    };
    let Some(target) = agent.catalog.method(callee) else { return lose(agent, jni, thread, callee, Lost::Hook) };
    if stack.first().and_then(|frame| frame.method) != Some(callee) {
        note_foreign(agent, callee, &target);
        return disown(agent, jni, thread, callee);
    }
    let walked = match walk::encode(agent, jni, thread, &stack[1..], target.is_constructor()) {
        Ok(walked) => walked,
        Err(reason) => return lose(agent, jni, thread, callee, reason),
    };
    let encoded = agent.core.link(
        &agent.catalog,
        &agent.writer,
        |core, catalog| core.enter(catalog, walked.ctx, walked.site, callee, Passage::Restoring),
        |core, link| {
            let link = link?;
            // A link for the next callback from the same code; where a direct call may come, that call decides first.
            let site = agent.catalog.site(walked.site);
            if !walked.entering && site.as_ref().is_none_or(|site| !fits(site, &target)) {
                core.decide(walked.site, callee, Passage::Restoring, false);
                let kind = record_kind(&link, Passage::Restoring, &target);
                core.publish(&agent.links, &link, walked.site, callee, kind);
            }
            Ok(link)
        },
    );
    match encoded {
        Ok(link) => {
            let mut below = Vec::with_capacity(walked.extra.len() + 1);
            if walked.entering || !walked.extra.is_empty() {
                // The exit goes back to where the push began, and finds UNKNOWN there: the walked caller's entries are gone then, or
                // the caller has not begun.
                below.push(Entry::mark());
                below.extend(walked.extra);
            }
            finish(agent, jni, thread, callee, &target, (walked.ctx, walked.site), below, &link)
        }
        Err(reason) => lose(agent, jni, thread, callee, reason),
    }
}

/// Encodes (site, callee) at `ctx` and publishes the link.
fn make_link(
    agent: &Agent,
    ctx: Word,
    site: SiteId,
    callee: MethodId,
    target: &MethodEntry,
    origin: Option<&SiteEntry>,
    passage: Passage,
) -> Result<Link, Lost> {
    agent.core.link(
        &agent.catalog,
        &agent.writer,
        |core, catalog| {
            core.renumber_if_due(&agent.links);
            // The signature may have become risky since the look; what was decided first holds, and conversions come through it.
            let passage = decide(agent, core, origin, site, callee, target, passage);
            core.enter(catalog, ctx, site, callee, passage).map(|link| (link, passage))
        },
        |core, encoded| {
            let (link, passage) = encoded?;
            core.publish(&agent.links, &link, site, callee, record_kind(&link, passage, target));
            Ok(link)
        },
    )
}

/// What was decided first, or else what a look said.
fn decide(
    agent: &Agent,
    core: &mut Inner,
    origin: Option<&SiteEntry>,
    site: SiteId,
    callee: MethodId,
    target: &MethodEntry,
    looked: Passage,
) -> Passage {
    core.passage(site, callee).unwrap_or_else(|| {
        let passage = if is_risky(agent, origin, target) { Passage::Restoring } else { looked };
        let exposed = passage == Passage::Plain && is_virtual(origin) && !target.risky_exit;
        core.decide(site, callee, passage, exposed);
        passage
    })
}

/// How (site, callee) is entered, for an encoder that makes no links; what stands between the two is told at first sight.
pub fn decided(
    agent: &Agent,
    jni: Jni,
    origin: Option<&SiteEntry>,
    site: SiteId,
    callee: MethodId,
    target: &MethodEntry,
) -> Look {
    if let Some(passage) = agent.core.with(&agent.catalog, &agent.writer, |core, _| core.passage(site, callee)) {
        return Look::Seen(passage, Vec::new());
    }
    match look(agent, jni, origin, callee, target) {
        Look::Seen(looked, via) => {
            let decide = |core: &mut Inner, _: &_| decide(agent, core, origin, site, callee, target, looked);
            Look::Seen(agent.core.with(&agent.catalog, &agent.writer, decide), via)
        }
        other => other,
    }
}

/// Pushes what the link says, behind the entries that the caller's word needs, and gives the word.
#[allow(clippy::too_many_arguments, reason = "one entry's worth of facts")]
fn finish(
    agent: &Agent,
    jni: Jni,
    thread: jobject,
    callee: MethodId,
    target: &MethodEntry,
    caller: (Word, SiteId),
    mut entries: Vec<Entry>,
    link: &Link,
) -> Signal {
    if target.is_constructor() {
        let needs_chain = link.kind == LinkKind::Cut || entries.iter().any(|entry| !entry.chain.mark);
        return if needs_chain { lose(agent, jni, thread, callee, Lost::Chain) } else { signal(link) };
    }
    if link.kind == LinkKind::Plain {
        return signal(link);
    }
    entries.push(Entry::pushed(caller.0, caller.1, callee, link.word, link.kind == LinkKind::Cut));
    let Some(fields) = agent.fields.get() else { return lose(agent, jni, thread, callee, Lost::Hook) };
    if fields.push(jni, thread, &entries) {
        signal(link)
    } else {
        count(&agent.counters.lost);
        Signal::restoring(Word::lost(Lost::Memory))
    }
}

fn signal(link: &Link) -> Signal {
    if link.kind == LinkKind::Plain { Signal::plain(link.word) } else { Signal::restoring(link.word) }
}

/// The callee's hooks run, but its frame is not one that Lucce emitted: another agent has changed its code after us. From now on it counts
/// as uninstrumented: named in the log, its signature risky.
pub fn note_foreign(agent: &Agent, callee: MethodId, target: &MethodEntry) {
    if agent.foreign.add(callee) {
        classes::disown(agent, &target.class_name, &target.name, &target.desc);
    }
}

/// Entry of a foreign method: what it calls is walked and restores, so that the frames around it stay exact without it.
pub fn disown(agent: &Agent, jni: Jni, thread: jobject, callee: MethodId) -> Signal {
    lose_quietly(agent, jni, thread, callee, Lost::Foreign)
}

/// Does the current thread lend its identity to a virtual thread ([`ThreadFields::is_lent`](crate::jvm::thread::ThreadFields::is_lent))?
pub fn is_lent(agent: &Agent, jni: Jni, thread: jobject) -> bool {
    agent.fields.get().is_some_and(|fields| fields.is_lent(jni, thread))
}

/// Entry of a method on such a thread: nobody may ask for its stack.
pub fn lend(agent: &Agent, jni: Jni, thread: jobject, callee: MethodId) -> Signal {
    lose_quietly(agent, jni, thread, callee, Lost::Lent)
}

/// Entry of a method whose class is about to be given back as it was.
pub fn end(agent: &Agent, jni: Jni, thread: jobject, callee: MethodId) -> Signal {
    lose_quietly(agent, jni, thread, callee, Lost::Ended)
}

/// The word of an activation whose context cannot be kept. It restores UNKNOWN when it leaves.
pub fn lose(agent: &Agent, jni: Jni, thread: jobject, callee: MethodId, reason: Lost) -> Signal {
    count(&agent.counters.lost);
    lose_quietly(agent, jni, thread, callee, reason)
}

fn lose_quietly(agent: &Agent, jni: Jni, thread: jobject, callee: MethodId, reason: Lost) -> Signal {
    if let Some(fields) = agent.fields.get() {
        if agent.is_constructor(callee) {
            fields.publish(jni, thread, Word::NONE, SiteId::UNKNOWN);
        } else {
            fields.push(jni, thread, &[Entry::mark()]);
        }
    }
    Signal::restoring(Word::lost(reason))
}

/// What a look at the frames of (site, callee) shows.
pub enum Look {
    /// How it may be entered, and the uninstrumented frames between the two.
    Seen(Passage, Vec<Frame>),
    /// The nearest instrumented frame does not stand at the site: nobody published for it. So it is where another agent has put calls into
    /// code before which nothing is published (closed calls, quiet methods).
    Elsewhere,
    /// The callee's own frame is not there.
    Foreign,
}

/// The first look at (site, callee).
fn look(agent: &Agent, jni: Jni, origin: Option<&SiteEntry>, callee: MethodId, target: &MethodEntry) -> Look {
    count(&agent.counters.looks);
    let frames = frames::top(agent.jvmti, jni, &agent.methods, &agent.catalog, LOOK);
    if frames.is_empty() {
        return Look::Seen(Passage::Restoring, Vec::new());
    }
    let Some(at) = frames.iter().position(|frame| frame.method == Some(callee)) else { return Look::Foreign };
    let below = &frames[at + 1..];
    let between: Vec<_> = below.iter().take_while(|frame| frame.method.is_none()).copied().collect();
    let caller = below.get(between.len());
    let stands = |frame: &Frame| {
        origin.is_some_and(|origin| {
            frame.method == Some(origin.method)
                && walk::standing(agent, frame)
                    .and_then(|standing| agent.catalog.site(standing.site))
                    .is_some_and(|site| site.bci == origin.bci)
        })
    };
    if agent.options.faults.is_empty() && caller.is_some_and(|caller| !stands(caller)) {
        return Look::Elsewhere;
    }
    let adjacent = agent.fault("look") || between.is_empty() && caller.is_some_and(stands);
    let plain = adjacent
        && origin.is_some_and(|origin| fits(origin, target))
        && !is_risky(agent, origin, target)
        && (!is_static(origin) || is_initialised(agent, jni, &frames[at]));
    Look::Seen(if plain { Passage::Plain } else { Passage::Restoring }, between.into_iter().take(VIA).collect())
}

/// Does the callee fit the site's kind: could the site's own instruction have entered it?
pub fn fits(site: &SiteEntry, target: &MethodEntry) -> bool {
    let direct = matches!(
        site.place,
        Place::Published(
            SiteKind::Static | SiteKind::Special | SiteKind::Virtual | SiteKind::Interface | SiteKind::WeakInit
        )
    );
    direct && site.name == target.name && site.desc == target.desc
}

fn is_virtual(site: Option<&SiteEntry>) -> bool {
    site.is_some_and(|site| matches!(site.place, Place::Published(SiteKind::Virtual | SiteKind::Interface)))
}

fn is_static(site: Option<&SiteEntry>) -> bool {
    site.is_some_and(|site| site.place == Place::Published(SiteKind::Static))
}

/// Is the class of the frame's method initialised? As long as it is not, an uninstrumented initialiser (of a superclass, say) can stand
/// between a static site and its method, although the first look showed them side by side.
fn is_initialised(agent: &Agent, jni: Jni, frame: &Frame) -> bool {
    let class = agent.jvmti.declaring_class(frame.raw);
    let initialised = agent.jvmti.class_status(class) & INITIALIZED != 0;
    jni.release(class);
    initialised
}

/// Could uninstrumented code of the same signature stand between a virtual site and a callee that leaves garbage behind?
fn is_risky(agent: &Agent, site: Option<&SiteEntry>, target: &MethodEntry) -> bool {
    is_virtual(site)
        && !target.risky_exit
        && !agent.fault("conversion")
        && !agent.fault("risky_exit")
        && agent.risk.is_risky(target.name.as_bytes(), target.desc.as_bytes())
}

fn record_kind(link: &Link, passage: Passage, target: &MethodEntry) -> RecordKind {
    match (link.kind, passage) {
        (LinkKind::Cut, _) => RecordKind::Cut,
        (_, Passage::Restoring) if target.is_constructor() => RecordKind::Constructor,
        (LinkKind::Restoring, _) => RecordKind::Restoring,
        (LinkKind::Plain, _) => RecordKind::Plain,
    }
}

/// Logs the uninstrumented frames between the two ends of a new edge.
pub fn note_via(agent: &Agent, jni: Jni, edge: EdgeId, between: &[Frame]) {
    let names: Vec<String> = between
        .iter()
        .filter_map(|frame| Some((frame, agent.names.of(agent.jvmti, jni, frame.raw)?)))
        .filter(|(_, named)| !(agent.options.jdk && agent.hidden.contains(named)))
        .map(|(frame, named)| (frame, named.dotted()))
        .filter(|(_, name)| !name.starts_with("java.lang.LucceHooks"))
        .map(|(frame, name)| if frame.is_native() { name + "(native method)" } else { name })
        .collect();
    if !names.is_empty() {
        agent.core.with(&agent.catalog, &agent.writer, |core, _| core.record(Record::Via { edge, frames: names }));
    }
}
