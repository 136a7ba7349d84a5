//! Stacks as a prefix tree: stacks that share their outer frames share nodes.
//!
//! Invariant: equal frames are one frame and equal stacks one node, whichever log they come from. A
//! node's parent was made before it.
//! Source: Lucce section 2 (calling context tree).

use std::collections::HashMap;
use std::sync::Arc;

use lucce_words::Bci;

use crate::{At, Filter, Fingerprints, Part, Shape, TraceFrame, normal_class, normal_desc, normal_method};

/// A frame, by names alone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NamedFrame {
    /// As people write it: `java.util.Map$Entry`. Empty for a mark, and for a frame of which
    /// nothing is known.
    pub class: Arc<str>,
    /// Name of the method, or the text of a mark.
    pub method: Arc<str>,
    /// Descriptor. Empty for a mark.
    pub desc: Arc<str>,
    /// Source file.
    pub file: Option<Arc<str>>,
    /// Line.
    pub line: Option<u32>,
    /// Index of the instruction.
    pub bci: Option<u16>,
    /// What it is.
    pub kind: FrameKind,
}

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FrameKind {
    /// A method with hooks.
    Instrumented,
    /// A method without, read from the real stack.
    Walked,
    /// A native one.
    Native,
    /// No frame but a remark in square brackets: how a task came from the frames below.
    Mark,
    /// Likewise: why nothing is known from here down.
    Unknown,
}

impl NamedFrame {
    /// A remark of this kind.
    pub(super) fn remark(kind: FrameKind, text: &str) -> Self {
        let (class, method, desc) = ("".into(), format!("[{text}]").into(), "".into());
        Self { class, method, desc, file: None, line: None, bci: None, kind }
    }

    /// As traces have it. A remark has no class.
    pub fn in_trace(&self) -> TraceFrame<'_> {
        TraceFrame {
            class: &self.class,
            method: &self.method,
            desc: &self.desc,
            file: self.file.as_deref(),
            line: self.line,
            bci: self.bci.map(Bci),
            via: &[],
            // A native frame of a context has an index, one that was walked has none.
            walked: self.kind == FrameKind::Walked || self.kind == FrameKind::Native && self.bci.is_none(),
            native: self.kind == FrameKind::Native,
        }
    }

    /// As it is shown.
    fn shaped(&self, shape: Shape) -> Self {
        let mut frame = self.clone();
        if shape.norm {
            frame.class = normal_class(&frame.class).into();
            frame.method = normal_method(&frame.method).into();
            frame.desc = normal_desc(&frame.desc).into();
        }
        if shape.methods {
            (frame.line, frame.bci) = (None, None);
        }
        frame
    }

    /// What it adds to a fingerprint.
    pub fn part(&self) -> Part<'_> {
        match self.kind {
            FrameKind::Mark => Part::Step(&self.method[1..self.method.len() - 1]),
            FrameKind::Unknown => Part::Unknown,
            FrameKind::Instrumented | FrameKind::Walked | FrameKind::Native => Part::Frame {
                class: &self.class,
                method: &self.method,
                desc: &self.desc,
                at: At::new(self.bci, self.line),
            },
        }
    }

    /// `java.util.Map$Entry.getKey`, or the text of a mark.
    pub fn name(&self) -> String {
        if self.class.is_empty() { self.method.to_string() } else { format!("{}.{}", self.class, self.method) }
    }

    /// As a Java stack trace has it: `Map$Entry.getKey(Map.java:12)`, with the class's full name.
    pub fn located(&self) -> String {
        let name = self.name();
        match (self.kind, &self.file, self.line) {
            (FrameKind::Mark | FrameKind::Unknown, ..) => name,
            (FrameKind::Native, ..) => format!("{name}(Native Method)"),
            (_, Some(file), Some(line)) => format!("{name}({file}:{line})"),
            (_, Some(file), None) => format!("{name}({file})"),
            (_, None, Some(line)) => format!("{name}(line {line})"),
            (_, None, None) => format!("{name}(Unknown Source)"),
        }
    }
}

/// A frame by number, from 0 without gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameId(pub u32);

/// A stack by number, from 0 without gaps; 0 is the empty one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StackId(pub u32);

impl StackId {
    /// No frames.
    pub const EMPTY: Self = Self(0);
}

/// All stacks.
#[derive(Debug, Default)]
pub struct Stacks {
    frames: Vec<NamedFrame>,
    frame_ids: HashMap<NamedFrame, FrameId>,
    /// Parent and innermost frame of stack `i + 1`.
    nodes: Vec<(StackId, FrameId)>,
    node_ids: HashMap<(StackId, FrameId), StackId>,
    /// Frames without hooks below the innermost frame of a stack.
    via: HashMap<StackId, Vec<Arc<str>>>,
}

impl Stacks {
    /// All frames, by number.
    pub fn frames(&self) -> &[NamedFrame] {
        &self.frames
    }

    /// A frame.
    ///
    /// # Panics
    /// For a number of other stacks.
    pub fn frame(&self, id: FrameId) -> &NamedFrame {
        &self.frames[id.0 as usize]
    }

    /// The stack without its innermost frame, and that frame; `None` for the empty one.
    pub fn split(&self, stack: StackId) -> Option<(StackId, FrameId)> {
        self.nodes.get((stack.0 as usize).checked_sub(1)?).copied()
    }

    /// The frames of a stack, innermost first.
    pub fn innermost_first(&self, stack: StackId) -> impl Iterator<Item = FrameId> {
        std::iter::successors(self.split(stack), |(parent, _)| self.split(*parent)).map(|(_, frame)| frame)
    }

    /// The same, outermost first.
    pub fn outermost_first(&self, stack: StackId) -> Vec<FrameId> {
        let mut frames: Vec<FrameId> = self.innermost_first(stack).collect();
        frames.reverse();
        frames
    }

    /// A stack as a trace has it, innermost first. Remarks have no class.
    pub fn trace(&self, stack: StackId) -> impl Iterator<Item = TraceFrame<'_>> {
        let below = std::iter::successors(Some(stack), |stack| Some(self.split(*stack)?.0));
        below.filter_map(|stack| {
            let (_, frame) = self.split(stack)?;
            let via = self.via.get(&stack).map_or(&[][..], Vec::as_slice);
            Some(TraceFrame { via, ..self.frame(frame).in_trace() })
        })
    }

    /// Notes through which frames a stack's innermost one was called back. A note, outside the
    /// exactness contract.
    pub(super) fn note_via(&mut self, stack: StackId, frames: &[Arc<str>]) {
        if !frames.is_empty() {
            self.via.entry(stack).or_insert_with(|| frames.to_vec());
        }
    }

    /// A stack as it is shown; `None` if the filter leaves it out.
    pub(super) fn shaped(&mut self, stack: StackId, filter: &Filter, shape: Shape) -> Option<StackId> {
        let shown = filter.frames(self.trace(stack))?;
        let below = std::iter::successors(Some(stack), |stack| Some(self.split(*stack)?.0));
        let nodes: Vec<StackId> = below.take(shown).collect();
        if shape == Shape::default() && nodes.len() == self.innermost_first(stack).count() {
            return Some(stack);
        }
        let mut shaped = StackId::EMPTY;
        for node in nodes.into_iter().rev() {
            let Some((_, frame)) = self.split(node) else { continue };
            let frame = self.frame(frame).shaped(shape);
            let frame = self.add_frame(frame);
            shaped = self.push(shaped, frame);
            if let Some(via) = self.via.get(&node).cloned() {
                self.note_via(shaped, &via);
            }
        }
        Some(shaped)
    }

    /// The fingerprints of all stacks, by number.
    pub fn fingerprints(&self) -> Vec<Fingerprints> {
        let mut all = vec![Fingerprints::BASE];
        for &(parent, frame) in &self.nodes {
            all.push(all[parent.0 as usize].with(self.frame(frame).part()));
        }
        all
    }

    pub(super) fn add_frame(&mut self, frame: NamedFrame) -> FrameId {
        if let Some(&id) = self.frame_ids.get(&frame) {
            return id;
        }
        let id = FrameId(self.frames.len() as u32);
        self.frames.push(frame.clone());
        self.frame_ids.insert(frame, id);
        id
    }

    /// The stack with one more frame on top.
    pub(super) fn push(&mut self, parent: StackId, frame: FrameId) -> StackId {
        let nodes = &mut self.nodes;
        *self.node_ids.entry((parent, frame)).or_insert_with(|| {
            nodes.push((parent, frame));
            StackId(nodes.len() as u32)
        })
    }
}
