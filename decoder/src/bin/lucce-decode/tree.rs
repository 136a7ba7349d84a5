//! `tree`: the call tree of each kind, with sums.
//!
//! Invariant: what is left out is named with its sum. Kinds are never added up.
//! Source: docs/guide/decoder.md.

use std::io::Write;

use lucce_decoder::{CallTree, Kind, Unit};

use crate::commands::Tree;
use crate::failure::Failure;
use crate::logs::Summed;
use crate::plain::plain;
use crate::text;

/// Prints them.
pub fn show(all: &Summed, args: &Tree, out: &mut impl Write) -> Result<(), Failure> {
    let profile = &all.profile;
    let is_sum = |kind: &Kind| !args.choice.kind.is_empty() || !kind.is_of_suspect();
    for (at, kind) in profile.kinds().iter().enumerate().filter(|(_, kind)| is_sum(kind)) {
        let tree = CallTree::new(profile, profile.sums().iter().filter(|sum| sum.kind == at), args.callers);
        if tree.roots().is_empty() {
            continue;
        }
        let (value, events) = (text::value(kind.unit(), tree.value), text::plural(tree.events, "event"));
        writeln!(out, "{}: {value} in {events}", plain(&kind.label))?;
        // What is still to be printed, the next one last. Deep trees need no deep stack.
        let mut pending: Vec<(usize, usize)> = tree.roots().iter().rev().map(|&root| (root, 0)).collect();
        while let Some((at, depth)) = pending.pop() {
            let node = tree.node(at);
            if args.depth.is_some_and(|most| depth >= most) || tree.share(node.value) < args.least {
                continue;
            }
            let frame = match node.frame.map(|frame| profile.stacks().frame(frame)) {
                None => "[no frame]".into(),
                Some(frame) if frame.class.is_empty() => plain(&frame.method).into_owned(),
                Some(frame) if args.look.lines => text::frame(&frame.in_trace()),
                Some(frame) => plain(&frame.name()).into_owned(),
            };
            writeln!(out, "{} {}{frame}", sum(&tree, kind.unit(), node.value), "  ".repeat(depth))?;
            pending.extend(node.children.iter().rev().map(|&child| (child, depth + 1)));
            let shown = |at: &&usize| tree.share(tree.node(**at).value) >= args.least;
            let hidden: i128 = node.children.iter().filter(|at| !shown(at)).map(|&at| tree.node(at).value).sum();
            if hidden != 0 {
                let less = node.children.iter().filter(|at| !shown(at)).count() as u64;
                let which = text::plural(less, "method");
                writeln!(out, "{} {}... {which}", sum(&tree, kind.unit(), hidden), "  ".repeat(depth + 1))?;
            }
        }
    }
    Ok(())
}

fn sum(tree: &CallTree<'_>, unit: Unit, value: i128) -> String {
    format!("{:5.1} % {:>11}", tree.share(value), text::value(unit, value))
}
