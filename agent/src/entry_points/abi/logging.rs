//! Events that other agents log.
//!
//! Invariant: nothing of the caller's memory is kept, and no more of it is read than its size says.

use std::ffi::{CStr, c_char};

use lucce_embed::Error;
use lucce_embed::raw::NewEvent;
use lucce_log::Owner;
use lucce_words::{NodeId, text};

use super::context_here;
use crate::events::recording::{self, EventPlace};
use crate::jvm::thread::JavaThread;
use crate::state::agent::{Agent, count};
use crate::support::kinds::EventKind;

/// Longest name of a kind, and of a type.
const LONGEST: (usize, usize) = (255, 65535);

/// Logs an event of a kind of that owner's.
///
/// # Safety
/// `event` is null or points to a struct that begins with its size, and whose texts are null or
/// zero-terminated.
pub unsafe fn log(agent: &Agent, thread: JavaThread, owner: Owner, event: *const NewEvent) -> Result<(), Error> {
    // SAFETY: this function's contract.
    let size = unsafe { event.as_ref() }.map_or(0, |event| event.size);
    if (size as usize) < size_of::<NewEvent>() || thread.object.is_null() {
        return Err(Error::Argument);
    }
    // SAFETY: it is as large as this version's.
    let event = unsafe { event.read() };
    // SAFETY: this function's contract.
    let (kind, class) = unsafe { (text(event.kind, LONGEST.0)?, text(event.type_name, LONGEST.1)?) };
    let kind = kind.filter(|kind| !kind.is_empty()).ok_or(Error::Argument)?;
    let what = (EventKind { owner, name: &kind }, event.value, class);
    let kept = if event.captured == 0 {
        let context = context_here(agent, thread)?;
        recording::given(agent, thread, what, EventPlace::Here(&context))
    } else {
        let node = u32::try_from(event.captured).map(NodeId).map_err(|_| Error::Unknown)?;
        let found = agent.graph.locked(|graph| graph.node_at(node));
        let (_, site) = found.ok_or(Error::Unknown)?;
        recording::given(agent, thread, what, EventPlace::Captured(node, site))
    };
    if kept {
        count(&agent.run.counters.abi_events);
    }
    kept.then_some(()).ok_or(Error::Dropped)
}

/// A text of at most so many bytes; `None` for null.
///
/// # Safety
/// `text` is null or zero-terminated.
unsafe fn text(text: *const c_char, longest: usize) -> Result<Option<String>, Error> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: this function's contract.
    let text = unsafe { CStr::from_ptr(text) }.to_str().map_err(|_| Error::Argument)?;
    if text.len() > longest { Err(Error::Argument) } else { Ok(Some(text::with_zero(text).into_owned())) }
}
