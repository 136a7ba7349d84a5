//! What stands between the two ends of a call: the log's "via" notes.
//!
//! Invariant: whoever makes an edge notes what it has seen there, in the same step under the lock,
//! so that the note stands before every event that needs the edge. Names are asked for before that,
//! for the JVM is not called under it.
//! Source: docs/FORMAT.md, "Records" (Via).

use lucce_words::{MethodId, SiteId};

use crate::stack::frames::{self, Frame, StackView};
use crate::state::graph::SkippedFrames;

/// Frames that a note names.
const MOST: usize = 8;

/// A call with frames between its ends, which have no names yet.
pub struct Gap {
    /// Both ends.
    pub call: (SiteId, MethodId),
    /// How many frames stand above them.
    depth: usize,
    count: usize,
}

/// The gaps of a walked path, whose calls come bottom first. `stack`: the frames with hooks,
/// innermost first, from the callee of the path's last call on, as one walk has given them.
pub fn gaps(stack: &[Frame], path: &[(SiteId, MethodId)]) -> Vec<Gap> {
    let callees = path.iter().rev().zip(stack).enumerate();
    let gap = |(at, (&call, callee)): (usize, (&(SiteId, MethodId), &Frame))| {
        let depth = callee.depth + 1;
        // Below the outermost one they end at the thread's base.
        let count = stack.get(at + 1).map_or(MOST, |caller| caller.depth.saturating_sub(depth).min(MOST));
        (count > 0).then_some(Gap { call, depth, count })
    };
    callees.filter_map(gap).collect()
}

/// The notes of those calls of a walked path that the graph does not have yet: see [`gaps`]. The
/// thread must still be in the native or callback that has walked.
pub fn along(view: StackView<'_>, stack: &[Frame], path: &[(SiteId, MethodId)]) -> Vec<SkippedFrames> {
    let mut gaps = gaps(stack, path);
    if gaps.is_empty() {
        return Vec::new();
    }
    view.agent.graph.locked(|graph| gaps.retain(|gap| !graph.has_edge(gap.call)));
    named(view, gaps)
}

/// The same where all frames are at hand: those with hooks among them are `stack`.
pub fn among(view: StackView<'_>, all: &[Frame], stack: &[Frame], path: &[(SiteId, MethodId)]) -> Vec<SkippedFrames> {
    let mut gaps = gaps(stack, path);
    if !gaps.is_empty() {
        view.agent.graph.locked(|graph| gaps.retain(|gap| !graph.has_edge(gap.call)));
    }
    let named = |gap: Gap| {
        let between = all.iter().skip(gap.depth).take(gap.count).copied().collect::<Vec<_>>();
        SkippedFrames { call: gap.call, frames: names(view, &between) }
    };
    gaps.into_iter().map(named).filter(|via| !via.frames.is_empty()).collect()
}

/// The notes of gaps.
pub fn named(view: StackView<'_>, gaps: Vec<Gap>) -> Vec<SkippedFrames> {
    let named = |gap: Gap| SkippedFrames {
        call: gap.call,
        frames: names(view, &frames::stretch(view.agent.jvm.jvmti, gap.depth, gap.count)),
    };
    gaps.into_iter().map(named).filter(|via| !via.frames.is_empty()).collect()
}

/// The names of frames without hooks, as far as traces show them.
pub fn names(view: StackView<'_>, between: &[Frame]) -> Vec<String> {
    let agent = view.agent;
    between
        .iter()
        .take(MOST)
        .filter_map(|frame| Some((frame, view.named(frame.raw)?)))
        .filter(|(_, named)| !(named.is_hook() || agent.options.jdk && agent.classes.hidden_methods.contains(named)))
        .map(|(frame, named)| (frame, named.dotted()))
        .map(|(frame, name)| if frame.is_native() { name + "(native method)" } else { name })
        .collect()
}
