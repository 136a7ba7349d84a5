//! Sums by what they have in common, the largest first.
//!
//! Invariant: each kind has a ranking of its own, so that bytes, nanoseconds and counts never stand
//! in one. Ties go to what was seen first.
//! Source: docs/guide/decoder.md.

use std::collections::HashMap;

use crate::export::{FrameKind, Profile, StackId, Sum};

/// What makes sums one row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Group {
    /// Their context.
    #[default]
    Context,
    /// The innermost method.
    Method,
    /// The innermost method and line.
    Line,
    /// The class of the events.
    Class,
    /// The thread.
    Thread,
    /// The outermost method.
    Root,
}

/// Some sums of a kind.
#[derive(Clone, Debug)]
pub struct Row<'a> {
    /// The first of them.
    pub first: &'a Sum,
    /// What they have in common; empty for contexts.
    pub name: String,
    /// Number of events.
    pub events: u64,
    /// Sum of values.
    pub value: i128,
    /// Of the classes the one with the largest sum.
    pub class: Option<&'a str>,
}

/// The rows of a kind.
#[derive(Clone, Debug)]
pub struct Ranking<'a> {
    /// Its number, [`Profile::kinds`].
    pub kind: usize,
    /// Number of all its events.
    pub events: u64,
    /// Sum of all its values.
    pub value: i128,
    /// Largest sum first.
    pub rows: Vec<Row<'a>>,
}

impl Ranking<'_> {
    /// The share of a sum in percent.
    pub fn share(&self, value: i128) -> f64 {
        if self.value > 0 && value >= 0 { 100.0 * value as f64 / self.value as f64 } else { 0.0 }
    }
}

#[derive(PartialEq, Eq, Hash)]
enum Key {
    Stack(StackId),
    Name(String),
}

/// Ranks the sums of each kind, in the order of the kinds.
pub fn ranking(profile: &Profile, group: Group) -> Vec<Ranking<'_>> {
    let ranked = |kind| Ranking { kind, events: 0, value: 0, rows: Vec::new() };
    let mut rankings: Vec<Ranking<'_>> = (0..profile.kinds().len()).map(ranked).collect();
    let mut rows: HashMap<(usize, Key), usize> = HashMap::new();
    let mut classes: HashMap<(usize, usize, usize), i128> = HashMap::new();
    for sum in profile.sums() {
        let of = &mut rankings[sum.kind];
        of.events = of.events.saturating_add(sum.count);
        of.value += sum.value;
        let key = key(profile, sum, group);
        let name = if let Key::Name(name) = &key { name.clone() } else { String::new() };
        let at = *rows.entry((sum.kind, key)).or_insert_with(|| {
            of.rows.push(Row { first: sum, name, events: 0, value: 0, class: None });
            of.rows.len() - 1
        });
        let row = &mut of.rows[at];
        row.events = row.events.saturating_add(sum.count);
        row.value += sum.value;
        if let Some(class) = sum.class {
            *classes.entry((sum.kind, at, class)).or_default() += sum.value;
        }
    }
    let mut largest: HashMap<(usize, usize), (i128, usize)> = HashMap::new();
    for ((kind, row, class), sum) in classes {
        let best = largest.entry((kind, row)).or_insert((sum, class));
        // Of classes with equal sums the one that was met first.
        if (sum, std::cmp::Reverse(class)) > (best.0, std::cmp::Reverse(best.1)) {
            *best = (sum, class);
        }
    }
    for ((kind, row), (_, class)) in largest {
        rankings[kind].rows[row].class = profile.classes().get(class).map(|class| &**class);
    }
    rankings.retain(|ranking| !ranking.rows.is_empty());
    for ranking in &mut rankings {
        ranking.rows.sort_by_key(|row| std::cmp::Reverse(row.value));
    }
    rankings
}

fn key(profile: &Profile, sum: &Sum, group: Group) -> Key {
    let stacks = profile.stacks();
    let frame = |frame: Option<crate::export::FrameId>| frame.map(|frame| stacks.frame(frame));
    let innermost = || frame(stacks.split(sum.stack).map(|(_, frame)| frame));
    Key::Name(match group {
        Group::Context => return Key::Stack(sum.stack),
        Group::Method => innermost().map_or_else(|| "[no frame]".into(), |frame| frame.name()),
        Group::Line => innermost().map_or_else(|| "[no frame]".into(), |frame| frame.located()),
        Group::Class => profile.class(sum).unwrap_or("[no class]").to_owned(),
        Group::Thread => {
            profile.thread(sum).map_or_else(|| "[sums of all threads]".into(), |thread| thread.name.clone())
        }
        Group::Root => {
            let mut frames = stacks.outermost_first(sum.stack).into_iter().map(|frame| stacks.frame(frame));
            let outermost = frames.clone().find(|frame| !matches!(frame.kind, FrameKind::Mark | FrameKind::Unknown));
            outermost.or(frames.next()).map_or_else(|| "[no frame]".into(), |frame| frame.name())
        }
    })
}
