//! The stacks and origins of one log, found among those of a profile.
//!
//! Invariant: each node of the log's own tree is joined once for each stack below it, and each
//! origin once.
//! Source: docs/FORMAT.md, "From an event to its trace" and "Origins".

use std::collections::HashMap;
use std::sync::Arc;

use lucce_log::{Ground, WalkedFrame};
use lucce_words::{OriginId, SiteId};

use super::{OriginStep, Profile, ProfileOrigin};
use crate::contexts::{Link, Point};
use crate::export::{FrameId, FrameKind, NamedFrame, StackId, Stacks};
use crate::leaks::suspects;
use crate::origins::{reason, verb};
use crate::{ContextId, Contexts, Log, LoggedEvent, Place, Reason, Suspect, TraceEnd, WalkId};

/// One log on its way into a profile.
pub(super) struct Joining<'a> {
    log: &'a Log,
    contexts: Contexts<'a>,
    places: HashMap<Place, ContextId>,
    stacks: HashMap<(Point, StackId), StackId>,
    sites: HashMap<SiteId, FrameId>,
    walked: HashMap<WalkId, Vec<FrameId>>,
    origins: HashMap<OriginId, usize>,
}

impl<'a> Joining<'a> {
    pub(super) fn new(log: &'a Log) -> Self {
        Self {
            log,
            contexts: Contexts::new(log),
            places: HashMap::new(),
            stacks: HashMap::new(),
            sites: HashMap::new(),
            walked: HashMap::new(),
            origins: HashMap::new(),
        }
    }

    /// The context of a place.
    pub(super) fn find(&mut self, place: &Place) -> ContextId {
        let contexts = &mut self.contexts;
        *self.places.entry(*place).or_insert_with(|| contexts.find(place))
    }

    /// How its trace ends.
    pub(super) fn end(&self, context: ContextId) -> TraceEnd {
        self.contexts.end(context)
    }

    /// What the leak detector's events say.
    pub(super) fn suspects(&mut self, events: &[LoggedEvent]) -> Vec<Suspect> {
        suspects(events, self.log, &mut self.contexts)
    }

    /// The stack of a context, on top of another one.
    pub(super) fn stack(&mut self, stacks: &mut Stacks, context: ContextId, below: StackId) -> StackId {
        let mut stack = self.instrumented(stacks, context.0, below);
        let log = self.log;
        let walked = self.walked.entry(context.1).or_insert_with(|| {
            let frames = log.names().walked(context.1).iter().rev();
            let frame = |frame: &crate::Walked| NamedFrame {
                class: Arc::clone(&frame.class),
                method: Arc::clone(&frame.method),
                desc: Arc::clone(&frame.desc),
                file: None,
                line: frame.line.filter(|line| *line != WalkedFrame::NATIVE),
                bci: None,
                kind: if frame.line == Some(WalkedFrame::NATIVE) { FrameKind::Native } else { FrameKind::Walked },
            };
            frames.map(|walked| stacks.add_frame(frame(walked))).collect()
        });
        for &frame in &*walked {
            stack = stacks.push(stack, frame);
        }
        stack
    }

    fn instrumented(&mut self, stacks: &mut Stacks, point: Point, below: StackId) -> StackId {
        let mut pending = Vec::new();
        let mut at = point;
        let mut stack = loop {
            if let Some(&known) = self.stacks.get(&(at, below)) {
                break known;
            }
            match self.contexts.link(at) {
                Link::Frame { parent, site } => {
                    pending.push((at, site));
                    at = parent;
                }
                Link::End(TraceEnd::Root) => break below,
                Link::End(TraceEnd::Unknown(reason)) => break mark(stacks, below, reason),
            }
        };
        while let Some((point, site)) = pending.pop() {
            // Sites without names never enter the tree.
            if let Some(frame) = self.site(stacks, site) {
                stack = stacks.push(stack, frame);
                stacks.note_via(stack, self.contexts.via(point));
            }
            self.stacks.insert((point, below), stack);
        }
        stack
    }

    fn site(&mut self, stacks: &mut Stacks, site: SiteId) -> Option<FrameId> {
        if let Some(&known) = self.sites.get(&site) {
            return Some(known);
        }
        let (info, method, class) = self.log.names().place(site)?;
        let frame = stacks.add_frame(NamedFrame {
            class: Arc::clone(&class.name),
            method: Arc::clone(&method.name),
            desc: Arc::clone(&method.desc),
            file: class.source.clone(),
            line: info.line.map(u32::from),
            bci: Some(info.bci.0),
            kind: if method.is_native() { FrameKind::Native } else { FrameKind::Instrumented },
        });
        self.sites.insert(site, frame);
        Some(frame)
    }

    /// An origin among those of the profile; `None` for number 0.
    pub(super) fn origin(&mut self, profile: &mut Profile, id: OriginId) -> Option<usize> {
        let mut pending = Vec::new();
        let mut next = id;
        // Parents are smaller, so this ends.
        let mut parent = loop {
            if next == OriginId(0) {
                break None;
            }
            if let Some(&known) = self.origins.get(&next) {
                break Some(known);
            }
            let Some(origin) = self.log.origins.get(&next) else {
                let stack = mark(&mut profile.stacks, StackId::EMPTY, Reason::Origin);
                let lost = ProfileOrigin { step: OriginStep { verb: verb(None), stack }, parent: None, cut: false };
                break Some(profile.add_origin(lost));
            };
            pending.push((next, *origin));
            next = origin.parent;
        };
        while let Some((id, origin)) = pending.pop() {
            let stack = match origin.ground {
                Ground::Known => {
                    let context = self.find(&Place { node: origin.node, ..Place::default() });
                    self.stack(&mut profile.stacks, context, StackId::EMPTY)
                }
                ground => mark(&mut profile.stacks, StackId::EMPTY, reason(ground)),
            };
            let step = OriginStep { verb: verb(Some(origin.kind)), stack };
            let joined = profile.add_origin(ProfileOrigin { step, parent, cut: origin.cut });
            self.origins.insert(id, joined);
            parent = Some(joined);
        }
        parent
    }
}

/// The stack with why the rest is unknown on top.
fn mark(stacks: &mut Stacks, below: StackId, reason: Reason) -> StackId {
    let frame = stacks.add_frame(NamedFrame::remark(FrameKind::Unknown, &reason.to_string()));
    stacks.push(below, frame)
}
