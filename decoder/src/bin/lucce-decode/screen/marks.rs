//! Marks behind frames, and the legend that names them.
//!
//! Invariant: each mark on the screen is in the legend, and no other.
//! Source: docs/guide/decoder.md, "The first screen".

use std::collections::{HashMap, HashSet};

use lucce_decoder::TraceFrame;
use lucce_decoder::export::{Frame, Stacks};

/// Which marks are used.
#[derive(Clone, Copy, Default)]
pub struct Marks {
    walked: bool,
    via: bool,
    index: bool,
}

/// Lines of methods in which several places are known.
pub struct Places(HashSet<Line>);

/// Class, method, descriptor, line.
type Line = (String, String, String, u32);

impl Places {
    /// Of the frames of a profile.
    pub fn of(stacks: &Stacks) -> Self {
        let mut first: HashMap<Line, u16> = HashMap::new();
        let mut several = HashSet::new();
        for Frame { class, method, desc, line, bci, .. } in stacks.frames() {
            let (Some(line), Some(bci)) = (line, bci) else { continue };
            let key = (class.to_string(), method.to_string(), desc.to_string(), *line);
            if *first.entry(key.clone()).or_insert(*bci) != *bci {
                several.insert(key);
            }
        }
        Self(several)
    }

    /// The bytecode index, where the line does not say which place it is.
    pub fn index(&self, frame: &TraceFrame<'_>, marks: &mut Marks) -> String {
        let (Some(line), Some(bci)) = (frame.line, frame.bci) else { return String::new() };
        let key = (frame.class.to_owned(), frame.method.to_owned(), frame.desc.to_owned(), line);
        marks.index = self.0.contains(&key);
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
