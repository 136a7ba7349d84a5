//! The calling context tree of a log's events, built as they are decoded: equal contexts are one
//! node.
//!
//! Invariant: a node is `(parent, site)`; each number of the graph is decoded once. Memory grows
//! with distinct contexts.
//! Source: docs/FORMAT.md, "From an event to its trace"; Lucce section 5 (De).

use std::collections::HashMap;
use std::sync::Arc;

use lucce_encoding::Below;
use lucce_log::WalkedFrame;
use lucce_words::{MethodId, NodeId, SiteId, Word};

use crate::{At, Fingerprints, Log, LoggedEvent, Part, Place, Reason, Trace, TraceEnd, TraceFrame, WalkId, Walked};

/// Most frames of one context: more than stacks hold, so that a hostile log cannot lead round for
/// ever.
const DEEPEST: usize = 1 << 22;

/// A node of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Point(u32);

/// One distinct context: a node and the walked frames on top.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContextId(pub(crate) Point, pub(crate) WalkId);

#[derive(Clone, Copy, Debug)]
pub(crate) enum Link {
    /// A frame at `site`, called from `parent`.
    Frame { parent: Point, site: SiteId },
    /// Where traces end.
    End(TraceEnd),
}

const ROOT: Point = Point(0);

/// What a walk down the graph still has to put on top of what it finds: the site of each frame, and
/// what is to be remembered.
enum Pending {
    Frame(SiteId),
    Activation(MethodId, Word, NodeId),
    Captured(NodeId),
}

/// Decodes contexts of one log.
pub struct Contexts<'a> {
    pub(crate) log: &'a Log,
    /// Does a map say what words mean, and not the log?
    has_bare_words: bool,
    links: Vec<Link>,
    ends: HashMap<TraceEnd, Point>,
    frames: HashMap<(Point, SiteId), Point>,
    /// What is below an activation: method, word, and the chain's node if the word is chained.
    activations: HashMap<(MethodId, Word, NodeId), Point>,
    captured: HashMap<NodeId, Point>,
    /// Of the nodes up to some number.
    fingerprints: Vec<Fingerprints>,
}

impl<'a> Contexts<'a> {
    /// An empty tree.
    pub fn new(log: &'a Log) -> Self {
        let links = vec![Link::End(TraceEnd::Root)];
        let (ends, frames) = (HashMap::from([(TraceEnd::Root, ROOT)]), HashMap::new());
        Self {
            log,
            has_bare_words: log.has_bare_words(),
            links,
            ends,
            frames,
            activations: HashMap::new(),
            captured: HashMap::new(),
            fingerprints: Vec::new(),
        }
    }

    /// The context of a place. Equal contexts give equal ids, whatever their words.
    pub fn find(&mut self, place: &Place) -> ContextId {
        ContextId(self.point(place), place.walked)
    }

    /// The trace of a place.
    pub fn trace(&mut self, place: &Place) -> Trace<'a> {
        let context = self.find(place);
        self.show(context)
    }

    /// The samples of each context. One that lost its counter and came again has had several
    /// numbers; those that the log does not say stay apart.
    pub fn samples(&mut self, sums: impl IntoIterator<Item = (Place, u64)>) -> Vec<(Place, u64)> {
        let (mut known, mut all) = (HashMap::new(), Vec::<(Place, u64)>::new());
        for (place, count) in sums {
            let context = self.find(&place);
            let apart = (self.end(context) != TraceEnd::Root).then_some(place.node);
            let at = *known.entry((context, apart)).or_insert(all.len());
            match all.get_mut(at) {
                None => all.push((place, count)),
                Some((first, sum)) => {
                    *sum = sum.saturating_add(count);
                    if self.log.profile().is_some_and(|profile| profile.has_taken_over(place.node)) {
                        *first = place;
                    }
                }
            }
        }
        all
    }

    /// How the trace of a context ends.
    pub fn end(&self, context: ContextId) -> TraceEnd {
        let mut at = context.0;
        loop {
            match self.links[at.0 as usize] {
                Link::Frame { parent, .. } => at = parent,
                Link::End(end) => return end,
            }
        }
    }

    /// What a node of the tree is. Its parent was made before it.
    pub(crate) fn link(&self, point: Point) -> Link {
        self.links[point.0 as usize]
    }

    /// The trace of a context that [`Self::find`] gave.
    pub fn show(&self, context: ContextId) -> Trace<'a> {
        let names = self.log.names();
        let walked = names.walked(context.1).iter().map(|frame| TraceFrame {
            class: &frame.class,
            method: &frame.method,
            desc: &frame.desc,
            file: None,
            line: frame.line.filter(|line| *line != WalkedFrame::NATIVE),
            bci: None,
            via: &[],
            walked: true,
            native: frame.line == Some(WalkedFrame::NATIVE),
        });
        let mut frames: Vec<TraceFrame<'a>> = walked.collect();
        let mut at = context.0;
        loop {
            let (parent, site) = match self.links[at.0 as usize] {
                Link::Frame { parent, site } => (parent, site),
                Link::End(end) => return Trace { frames, end },
            };
            // Sites without names never enter the tree.
            if let Some((info, method, class)) = names.place(site) {
                frames.push(TraceFrame {
                    class: &class.name,
                    method: &method.name,
                    desc: &method.desc,
                    file: class.source.as_deref(),
                    line: info.line.map(u32::from),
                    bci: Some(info.bci),
                    via: self.via(at),
                    walked: false,
                    native: method.is_native(),
                });
            }
            at = parent;
        }
    }

    /// The fingerprints of a context that [`Self::find`] gave.
    pub fn fingerprints(&mut self, context: ContextId) -> Fingerprints {
        for at in self.fingerprints.len()..self.links.len() {
            // A parent was made before its children.
            let both = match self.links[at] {
                Link::End(TraceEnd::Root) => Fingerprints::BASE,
                Link::End(TraceEnd::Unknown(_)) => Fingerprints::BASE.with(Part::Unknown),
                Link::Frame { parent, site } => {
                    let below = self.fingerprints[parent.0 as usize];
                    let place = self.log.names.place(site);
                    place.map_or(below, |(site, method, class)| {
                        let (class, at) = (&*class.name, At::Bci(site.bci.0));
                        below.with(Part::Frame { class, method: &method.name, desc: &method.desc, at })
                    })
                }
            };
            self.fingerprints.push(both);
        }
        let walked = self.log.names().walked(context.1).iter().rev();
        walked.fold(self.fingerprints[context.0.0 as usize], |below, frame| {
            let Walked { class, method, desc, line } = frame;
            let at = At::new(None, line.filter(|line| *line != WalkedFrame::NATIVE));
            below.with(Part::Frame { class, method, desc, at })
        })
    }

    /// Through which frames without hooks the frame of a node was called back.
    pub(crate) fn via(&self, point: Point) -> &'a [Arc<str>] {
        let names = self.log.names();
        let Link::Frame { parent, site } = self.links[point.0 as usize] else { return &[] };
        let caller = match self.links[parent.0 as usize] {
            Link::Frame { site, .. } => site,
            Link::End(_) => SiteId::ROOT,
        };
        names.site(site).map_or(&[], |info| names.via(caller, info.method))
    }

    fn point(&mut self, place: &Place) -> Point {
        if place.node != NodeId(0) {
            return self.below(Pending::Captured(place.node));
        }
        match place.site {
            SiteId::UNKNOWN => {
                let reason = place.word.lost_reason().map_or(Reason::NoContext, Reason::Lost);
                self.end_point(TraceEnd::Unknown(reason))
            }
            SiteId::ROOT => ROOT,
            site => {
                let Some(info) = self.log.names.site(site) else {
                    return self.end_point(TraceEnd::Unknown(Reason::Name));
                };
                if self.has_bare_words {
                    let callers = self.end_point(TraceEnd::Unknown(Reason::Map));
                    return self.frame(callers, site);
                }
                let callers = self.below(Pending::Activation(info.method, place.word, place.chain));
                self.frame(callers, site)
            }
        }
    }

    /// What is below an activation, or a captured node itself. Walks down to something known, then
    /// builds up again.
    fn below(&mut self, from: Pending) -> Point {
        let mut pending = Vec::new();
        let mut next = from;
        let mut at = loop {
            if pending.len() > DEEPEST {
                break self.end_point(TraceEnd::Unknown(Reason::Depth));
            }
            match next {
                Pending::Activation(method, word, chain) => {
                    let key = (method, word, if word.chained() { chain } else { NodeId(0) });
                    if let Some(&known) = self.activations.get(&key) {
                        break known;
                    }
                    pending.push(Pending::Activation(key.0, key.1, key.2));
                    match self.log.snapshot.step(method, word) {
                        Ok(Below::Root) => break ROOT,
                        Ok(Below::Caller { site: SiteId::ROOT, caller, word, .. }) => {
                            next = Pending::Activation(caller, word, chain);
                        }
                        Ok(Below::Caller { site, caller, word, .. }) => {
                            pending.push(Pending::Frame(site));
                            next = Pending::Activation(caller, word, chain);
                        }
                        Ok(Below::ShadowStack { site, .. }) => {
                            let belongs = match self.log.nodes.get(&chain) {
                                Some(&(_, at)) => at == site,
                                None => chain == NodeId(0) && site == SiteId::ROOT,
                            };
                            match (belongs, chain) {
                                (true, NodeId(0)) => break ROOT,
                                (true, _) => next = Pending::Captured(chain),
                                (false, _) => break self.end_point(TraceEnd::Unknown(Reason::Chain)),
                            }
                        }
                        Err(unknown) => break self.end_point(TraceEnd::Unknown(unknown.into())),
                    }
                }
                Pending::Captured(NodeId(0)) => break ROOT,
                Pending::Captured(node) => {
                    if let Some(&known) = self.captured.get(&node) {
                        break known;
                    }
                    let Some(&(parent, site)) = self.log.nodes.get(&node) else {
                        break self.end_point(TraceEnd::Unknown(Reason::Node));
                    };
                    pending.push(Pending::Captured(node));
                    if site != SiteId::ROOT {
                        pending.push(Pending::Frame(site));
                    }
                    next = Pending::Captured(parent);
                }
                // Never asked for.
                Pending::Frame(_) => break ROOT,
            }
        };
        while let Some(step) = pending.pop() {
            match step {
                Pending::Frame(site) => at = self.frame(at, site),
                Pending::Activation(method, word, chain) => {
                    self.activations.insert((method, word, chain), at);
                }
                Pending::Captured(node) => {
                    self.captured.insert(node, at);
                }
            }
        }
        at
    }

    fn frame(&mut self, parent: Point, site: SiteId) -> Point {
        let Some((info, ..)) = self.log.names.place(site) else {
            return self.end_point(TraceEnd::Unknown(Reason::Name));
        };
        let links = &mut self.links;
        *self.frames.entry((parent, info.same)).or_insert_with(|| {
            links.push(Link::Frame { parent, site });
            Point(links.len() as u32 - 1)
        })
    }

    fn end_point(&mut self, end: TraceEnd) -> Point {
        let links = &mut self.links;
        *self.ends.entry(end).or_insert_with(|| {
            links.push(Link::End(end));
            Point(links.len() as u32 - 1)
        })
    }
}

impl std::fmt::Debug for Contexts<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Contexts").field("nodes", &self.links.len()).finish()
    }
}

impl Log {
    /// The trace of an event. For many events use one [`Contexts`].
    pub fn context(&self, event: &LoggedEvent) -> Trace<'_> {
        Contexts::new(self).trace(&event.place)
    }
}
