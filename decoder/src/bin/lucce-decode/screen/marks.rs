//! Marks behind frames, and the legend that names them.
//!
//! Invariant: each mark on the screen is in the legend, and no other.
//! Source: docs/guide/decoder.md, "The first screen".

use std::collections::{HashMap, HashSet};

use lucce_decoder::TraceFrame;
use lucce_decoder::export::{FrameId, NamedFrame, Stacks};

/// Which marks are used.
#[derive(Clone, Copy, Default)]
pub struct Marks {
    walked: bool,
    via: bool,
    index: bool,
}

/// Places of the same line.
pub struct Places {
    /// Lines in which several places are known.
    several: HashSet<MarkedLine>,
    /// The first frame that looks like this one but for its place in the line, by its number.
    first: Vec<FrameId>,
}

/// Class, method, descriptor, line.
type MarkedLine = (String, String, String, u32);

impl Places {
    /// Of the frames of a profile.
    pub fn of(stacks: &Stacks) -> Self {
        let mut places: HashMap<MarkedLine, u16> = HashMap::new();
        let mut lines: HashMap<NamedFrame, FrameId> = HashMap::new();
        let (mut several, mut first) = (HashSet::new(), Vec::new());
        for (frame, id) in stacks.frames().iter().zip(0..) {
            first.push(*lines.entry(NamedFrame { bci: None, ..frame.clone() }).or_insert(FrameId(id)));
            let NamedFrame { class, method, desc, line: Some(line), bci: Some(bci), .. } = frame else { continue };
            let key = (class.to_string(), method.to_string(), desc.to_string(), *line);
            if *places.entry(key.clone()).or_insert(*bci) != *bci {
                several.insert(key);
            }
        }
        Self { several, first }
    }

    /// The frame that stands for all of its line.
    pub fn first(&self, frame: FrameId) -> FrameId {
        self.first[frame.0 as usize]
    }

    /// The bytecode index, where the line does not say which place it is.
    pub fn index(&self, frame: &TraceFrame<'_>, marks: &mut Marks) -> String {
        let (Some(line), Some(bci)) = (frame.line, frame.bci) else { return String::new() };
        let key = (frame.class.to_owned(), frame.method.to_owned(), frame.desc.to_owned(), line);
        marks.index = self.several.contains(&key);
        if marks.index { format!("@{}", bci.0) } else { String::new() }
    }
}

impl Marks {
    /// What is folded behind a frame.
    pub fn of(&mut self, frame: &TraceFrame<'_>) -> String {
        (self.walked, self.via) = (frame.walked, !frame.via.is_empty());
        let walked = if self.walked { " *" } else { "" };
        if self.via { format!("{walked} +{}", frame.via.len()) } else { walked.into() }
    }

    /// Adds those of another line.
    pub fn add(&mut self, other: Self) {
        self.walked |= other.walked;
        self.via |= other.via;
        self.index |= other.index;
    }

    /// What the marks mean.
    pub fn legend(self) -> Vec<&'static str> {
        [
            (self.walked, "*   a frame without hooks, read from the real stack"),
            (self.via, "+N  called through N frames without hooks; --verbose names them"),
            (self.index, "@N  bytecode index: the line has several places"),
        ]
        .into_iter()
        .filter(|(used, _)| *used)
        .map(|(_, text)| text)
        .collect()
    }
}
