//! `hot --tree`: the hot calling context tree, that is the hot contexts with all that lead to them.
//!
//! Invariant: a node is a context, so two calls of a method from two places are two nodes; of
//! contexts that differ by class loaders alone there is one. A hot node says so, and each node has
//! the samples of all hot contexts in it, each once. Source: HCCT, section 2.2.

use std::collections::HashMap;
use std::io::Write;

use lucce_decoder::{Contexts, HotContext, Hottest, TraceFrame};
use lucce_words::Bci;
use serde::Serialize;

use super::HotArgs;
use crate::args::Format;
use crate::failure::Failure;
use crate::plain::plain;
use crate::{json, text};

/// A context, hot or on the way to hot ones.
struct HotNode {
    method: String,
    /// Where its caller has called it, if that is known.
    called_at: Option<String>,
    samples: u64,
    /// Itself, if it is hot: places among the hottest.
    hot: Vec<usize>,
    children: Vec<usize>,
}

/// What tells a node from the others of its parent: the instruction that calls, and the method.
type Key<'a> = (Option<usize>, Option<Bci>, [&'a str; 3]);

/// Prints it, the hottest first.
pub fn show(
    hottest: &Hottest,
    contexts: &mut Contexts<'_>,
    args: &HotArgs,
    out: &mut impl Write,
) -> Result<(), Failure> {
    if args.format == Format::Collapsed {
        return Err(Failure::Question("--tree is for text and JSON: leave it out for flame graphs".into()));
    }
    let traces: Vec<_> = hottest.contexts.iter().map(|hot| contexts.trace(&hot.place)).collect();
    let ends: Vec<_> = traces.iter().map(|trace| text::end(trace.end)).collect();
    let mut tree = Tree::default();
    for (rank, (hot, trace)) in hottest.contexts.iter().zip(&traces).enumerate() {
        // A trace that ends early has nothing in common with one that does not.
        let end = ends[rank].as_deref();
        let mut parent = end.map(|end| tree.enter((None, None, ["", end, ""]), end.to_owned(), None, hot.low));
        let mut caller: Option<&TraceFrame<'_>> = None;
        for frame in trace.frames.iter().rev() {
            let key = (parent, caller.and_then(|caller| caller.bci), [frame.class, frame.method, frame.desc]);
            parent = Some(tree.enter(key, text::method(frame), caller.and_then(place), hot.low));
            caller = Some(frame);
        }
        if let Some(last) = parent {
            tree.nodes[last].hot.push(rank);
        }
    }
    print(hottest, &tree, args, out)
}

/// The nodes of all.
#[derive(Default)]
struct Tree<'t> {
    nodes: Vec<HotNode>,
    roots: Vec<usize>,
    known: HashMap<Key<'t>, usize>,
}

impl<'t> Tree<'t> {
    /// Goes to a node, which is made if it is not there yet, with so many samples more.
    fn enter(&mut self, key: Key<'t>, method: String, called_at: Option<String>, samples: u64) -> usize {
        let next = self.nodes.len();
        let at = *self.known.entry(key).or_insert(next);
        if at == next {
            match key.0 {
                Some(parent) => self.nodes[parent].children.push(at),
                None => self.roots.push(at),
            }
            self.nodes.push(HotNode { method, called_at, samples: 0, hot: Vec::new(), children: Vec::new() });
        }
        self.nodes[at].samples += samples;
        at
    }
}

/// `Main.java:8`, where a call stands.
fn place(caller: &TraceFrame<'_>) -> Option<String> {
    Some(format!("{}:{}", caller.file?, caller.line?))
}

fn print(hottest: &Hottest, tree: &Tree<'_>, args: &HotArgs, out: &mut impl Write) -> Result<(), Failure> {
    let nodes = &tree.nodes;
    // What is still to be printed, the next one last. Deep trees need no deep stack.
    let mut pending: Vec<(usize, usize)> = Vec::new();
    let push = |pending: &mut Vec<(usize, usize)>, children: &[usize], depth| {
        let mut children = children.to_vec();
        children.sort_by_key(|&at| (nodes[at].samples, std::cmp::Reverse(at)));
        pending.extend(children.into_iter().map(|at| (at, depth)));
    };
    push(&mut pending, &tree.roots, 0);
    while let Some((at, depth)) = pending.pop() {
        let node = &nodes[at];
        let hot: Vec<&HotContext> = node.hot.iter().map(|&rank| &hottest.contexts[rank]).collect();
        match args.format {
            Format::Json => json::put(&TreeLine::new(node, &hot, depth), out)?,
            Format::Text | Format::Collapsed => {
                let share = 100.0 * node.samples as f64 / hottest.samples.max(1) as f64;
                let own: String = hot.iter().map(|hot| format!(" [{}]", super::line(hottest, hot))).collect();
                let place = node.called_at.as_ref().map_or_else(String::new, |place| format!(", called at {place}"));
                let name = format!("{}{place}", node.method);
                writeln!(out, "{share:7.3} % {}{}{own}", "  ".repeat(depth), plain(&name))?;
            }
        }
        if args.depth.is_none_or(|most| depth + 1 < most) {
            push(&mut pending, &node.children, depth + 1);
        }
    }
    Ok(())
}

/// The keys of one node; a node's children follow it, one level deeper.
#[derive(Serialize)]
struct TreeLine<'a> {
    depth: usize,
    method: &'a str,
    called_at: Option<&'a str>,
    /// Of all hot contexts in it.
    samples: u64,
    /// Null where it only leads to hot ones, as all that follows.
    verdict: Option<&'static str>,
    own_samples: Option<u64>,
    own_most_samples: Option<u64>,
}

impl<'a> TreeLine<'a> {
    fn new(node: &'a HotNode, hot: &[&HotContext], depth: usize) -> Self {
        let sum = |of: fn(&HotContext) -> u64| hot.first().map(|_| hot.iter().map(|hot| of(hot)).sum::<u64>());
        Self {
            depth,
            method: &node.method,
            called_at: node.called_at.as_deref(),
            samples: node.samples,
            verdict: hot.first().map(|hot| hot.verdict.name()),
            own_samples: sum(|hot| hot.low),
            own_most_samples: sum(|hot| hot.high),
        }
    }
}
