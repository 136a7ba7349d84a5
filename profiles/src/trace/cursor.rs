//! From the stream of one thread's entries to its calls and returns.
//!
//! A context says its whole path, so what has returned before an entry is seen at the entry: all
//! frames above the caller's.
//! Invariant: after a step the stack holds the path of the context entered last, base first.
//! Source: ACCT, section 3 (the sampled bit): the frames that were not there at the last look are
//! those above the lowest point that the stack has been at.

use super::{TraceContext, TraceNode, TracePaths};

/// What happened to a thread's stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackChange {
    /// The innermost activation has returned: this was its context.
    Return(TraceContext, TraceNode),
    /// An activation is there whose entry is not in the stream: it was entered while its context
    /// was not known.
    Found(TraceContext, TraceNode),
    /// An entry of the stream.
    Call(TraceContext, TraceNode),
}

/// One thread's stack.
#[derive(Clone, Debug, Default)]
pub struct Cursor {
    stack: Vec<TraceContext>,
}

impl Cursor {
    /// The thread has entered `context`: shows what that says happened since the last entry. False,
    /// and nothing, if it is not known.
    pub fn enter(&mut self, paths: &TracePaths, context: TraceContext, mut step: impl FnMut(StackChange)) -> bool {
        let Some(node) = paths.node(context) else { return false };
        let mut missing = Vec::new();
        let mut at = node.parent;
        // The place of a context on the stack is its depth.
        while at != TraceContext::UNKNOWN && self.stack.get(paths.depth(at) as usize) != Some(&at) {
            missing.push(at);
            at = paths.node(at).map_or(TraceContext::UNKNOWN, |node| node.parent);
        }
        let keep = if at == TraceContext::UNKNOWN { 0 } else { paths.depth(at) as usize + 1 };
        while self.stack.len() > keep
            && let Some(left) = self.stack.pop()
        {
            step(StackChange::Return(left, paths.node(left).unwrap_or_default()));
        }
        for found in missing.into_iter().rev() {
            self.stack.push(found);
            step(StackChange::Found(found, paths.node(found).unwrap_or_default()));
        }
        self.stack.push(context);
        step(StackChange::Call(context, node));
        true
    }

    /// The contexts on the stack, from the thread's base on.
    pub fn stack(&self) -> &[TraceContext] {
        &self.stack
    }
}
