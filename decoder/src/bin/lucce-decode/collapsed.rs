//! `--format collapsed`: one line a context, `outermost;...;innermost value`, as flame graph tools read it.
//!
//! Invariant: one line for each distinct stack; with several event kinds the outermost frame is the kind, so that values of
//! different units are never added up. An allocated class is the innermost frame. No name breaks a stack or its line.
//! Source: Brendan Gregg's FlameGraph, "collapsed stacks".

use std::collections::HashMap;
use std::io::{self, Write};

use lucce_decoder::{Contexts, End, Event, Log, Place, Trace};

use crate::plain::part;
use crate::text;

/// Prints the stacks of these events, those with the largest sums first; `single`: only one kind was chosen.
pub fn show<'a>(
    log: &'a Log,
    contexts: &mut Contexts<'a>,
    events: impl Iterator<Item = &'a Event>,
    single: bool,
    top: Option<usize>,
    out: &mut impl Write,
) -> io::Result<()> {
    let single = single || log.kinds().count() < 2;
    let mut sums: HashMap<(Place, u32, Option<u32>), i128> = HashMap::new();
    let mut samples: Vec<&Event> = Vec::new();
    for event in events {
        let sum = sums.entry((event.place, event.kind, event.class)).or_insert_with(|| {
            samples.push(event);
            0
        });
        *sum += log.weight(event);
    }
    let mut stacks: HashMap<String, i128> = HashMap::new();
    for event in samples {
        let kind = match log.kind(event.kind) {
            Some(_) if single => None,
            kind => Some(kind.unwrap_or("unknown kind")),
        };
        let stack = stack(&contexts.trace(&event.place), kind, log.allocated(event));
        *stacks.entry(stack).or_default() += sums[&(event.place, event.kind, event.class)];
    }
    let mut stacks: Vec<(String, i128)> = stacks.into_iter().collect();
    stacks.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    stacks.iter().take(top.unwrap_or(usize::MAX)).try_for_each(|(stack, sum)| writeln!(out, "{stack} {sum}"))
}

/// One stack on one line.
pub fn stack(trace: &Trace<'_>, kind: Option<&str>, class: Option<&str>) -> String {
    let mut parts: Vec<String> = kind.map(|kind| format!("[{}]", part(kind))).into_iter().collect();
    if let End::Unknown(reason) = trace.end {
        parts.push(format!("[{reason}]"));
    }
    parts.extend(trace.frames.iter().rev().map(|frame| part(&text::method(frame)).into_owned()));
    parts.extend(class.map(|class| part(class).into_owned()));
    parts.join(";")
}
