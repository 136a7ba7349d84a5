//! The way into a method under Algorithm 1: passage as for every encoder, number and version by
//! update.
//!
//! Invariant: the thread's version is 0 (no number) whenever the word is lost, so it is set to 0
//! first and to the callee's version last.
//! Source: Lucce section 5; docs/design/thread-state.md.

use lucce_encoding::algorithm1::Encoding;
use lucce_encoding::{End, Passage};
use lucce_words::{Lost, MethodId, Signal, SiteId, Word};

use super::{Paper, encoding};
use crate::encode::entry::{self, CHECKED_FRAMES, CallEnds, StackCheck};
use crate::encode::walk::{self, FrameSite};
use crate::jvm::thread::{Entry, JavaThread, ThreadFields};
use crate::options::Verify;
use crate::stack::frames::{Frame, StackView};
use crate::state::agent::{Agent, count};
use crate::state::graph::SkippedFrames;

/// The running thread, and what it takes to ask about it.
#[derive(Clone, Copy)]
pub(super) struct Here<'a> {
    pub(super) agent: &'a Agent,
    pub(super) fields: &'a ThreadFields,
    pub(super) thread: JavaThread,
}

/// Where an entry comes from.
pub(super) struct Caller {
    pub(super) at: Encoding<u64>,
    pub(super) site: SiteId,
    /// It has not begun (see [`walk::Walked`]): the exit goes back to UNKNOWN.
    entering: bool,
}

impl Paper {
    /// Entry of `callee` from `ctx` at `site`, or from a walked caller if `site` is UNKNOWN. The
    /// word, whose version is in the thread; and whether it is due to be compared.
    pub(super) fn entered(
        &self,
        here: Here<'_>,
        callee: MethodId,
        at: Encoding<u64>,
        site: SiteId,
    ) -> Result<(Signal, bool), Lost> {
        let Here { agent, thread, .. } = here;
        let view = StackView::of(agent, thread.jni);
        if agent.run.is_dead() {
            return Err(Lost::Death);
        }
        self.alive()?;
        let target = agent.classes.catalog.method(callee).ok_or(Lost::Hook)?;
        let origin = if site == SiteId::ROOT { None } else { agent.classes.catalog.site(site) };
        let weak = origin.as_ref().is_some_and(|origin| origin.is_doubtful_for(&target)) && !agent.fault("weak");
        let known = site == SiteId::ROOT || site != SiteId::UNKNOWN && at.version.0 != 0;
        let seen = if known && !weak {
            match entry::decided(view, CallEnds { site, origin: origin.as_ref(), callee, target: &target }) {
                StackCheck::Seen(passage, _) => Some(passage),
                StackCheck::Absent => Some(Passage::Restoring),
                StackCheck::Elsewhere => None,
            }
        } else {
            None
        };
        let (caller, passage, skipped) = if let Some(passage) = seen {
            (Caller { at, site, entering: false }, passage, self.skipped_of_entry(here, (site, callee)))
        } else {
            let stack = walk::instrumented(view).ok_or(Lost::Hook)?;
            if stack.first().and_then(|frame| frame.method) != Some(callee) {
                return Err(Lost::Hook);
            }
            let caller = self.walk(here, &stack[1..])?;
            let skipped = self.skipped(view, &stack, &[(caller.site, callee)]);
            (caller, Passage::Restoring, skipped)
        };
        let at = self.update(agent, caller.at.clone(), &[(caller.site, callee)], &skipped)?;
        let word = Word(at.call_id);
        if passage == Passage::Restoring && !target.is_constructor() {
            here.push(&caller, callee, word)?;
        }
        here.fields.set_version(thread, at.version);
        let due = matches!(agent.options.verify, Verify::Every(2..)) && self.is_due(caller.site, callee);
        Ok((if passage == Passage::Restoring { Signal::restoring(word) } else { Signal::plain(word) }, due))
    }

    /// What stands between an entry and its caller, if the call is new.
    fn skipped_of_entry(&self, here: Here<'_>, call: (SiteId, MethodId)) -> Vec<SkippedFrames> {
        if self.lock().edges.contains(&call) {
            return Vec::new();
        }
        let Here { agent, thread, .. } = here;
        let view = StackView::of(agent, thread.jni);
        let mut top = view.top(CHECKED_FRAMES);
        top.retain(|frame| frame.method.is_some());
        self.skipped(view, &top, &[call])
    }

    /// Encodes the context whose innermost activation is `stack[0]`; an empty stack is the thread
    /// base. Starts from the caller of the topmost pushed activation, where that decodes to the
    /// bottom of the stack: each update costs versions.
    pub(super) fn walk(&self, here: Here<'_>, stack: &[Frame]) -> Result<Caller, Lost> {
        self.alive()?;
        let Here { agent, fields, thread } = here;
        count(&agent.run.counters.walks);
        let entering = stack.first().is_some_and(|frame| !walk::has_word(&agent.classes, frame));
        let frames = stack;
        let stack = frames.iter().map(|frame| walk::frame_site(&agent.classes, frame)).collect::<Option<Vec<_>>>();
        let stack = stack.ok_or(Lost::Ids)?;
        let shadow_stack = fields.shadow_stack(thread);
        let top = shadow_stack.iter().rev().find(|entry| !entry.shadow.barrier);
        let (start, path) = match top.and_then(|top| self.confirmed(agent, &stack, top)) {
            Some((start, depth)) => (start, walk::steps(&stack[..=stack.len() - depth])),
            None => {
                let base = stack.last().map(|first| (SiteId::ROOT, first.method));
                (self.root(), base.into_iter().chain(walk::steps(&stack)).collect::<Vec<_>>())
            }
        };
        let skipped = self.skipped(StackView::of(agent, thread.jni), frames, &path);
        let at = self.update(agent, start, &path, &skipped)?;
        Ok(Caller { at, site: stack.first().map_or(SiteId::ROOT, |innermost| innermost.site), entering })
    }

    /// The caller of the pushed activation `top`, if it is on the real stack just as its encoding
    /// says: that encoding, and the number of frames from it to the base.
    fn confirmed(&self, agent: &Agent, stack: &[FrameSite], top: &Entry) -> Option<(Encoding<u64>, usize)> {
        if top.version.0 == 0 {
            return None;
        }
        let caller = agent.classes.catalog.site(top.shadow.site)?.method;
        let decoded = self.frames(caller, top.shadow.ctx, top.version);
        let depth = decoded.frames.len();
        let pushed = stack.len().checked_sub(depth + 1)?;
        let real = &stack[pushed + 1..];
        let sites = std::iter::once(Some(top.shadow.site)).chain(decoded.frames.iter().skip(1).map(|frame| frame.site));
        let agrees = decoded.end == End::Root
            && stack[pushed].method == top.shadow.method
            && decoded
                .frames
                .iter()
                .zip(sites)
                .zip(real)
                .all(|((frame, site), real)| frame.method == real.method && site == Some(real.site));
        if !agrees {
            count(&agent.run.counters.chain_repairs);
            return None;
        }
        Some((encoding(top.shadow.ctx, top.version), depth))
    }
}

impl Here<'_> {
    /// Pushes what the exit of `callee` goes back to.
    fn push(self, caller: &Caller, callee: MethodId, word: Word) -> Result<(), Lost> {
        let own = Entry::pushed(Word(caller.at.call_id), caller.site, callee, word, false);
        let own = Entry { version: caller.at.version, ..own };
        let entries: &[Entry] = if caller.entering { &[Entry::barrier(), own] } else { &[own] };
        if self.fields.push(self.thread, entries) { Ok(()) } else { Err(Lost::Memory) }
    }
}
