//! Events for other agents' consumers.
//!
//! Invariant: a consumer is called outside every lock, on the thread of the event, and never from
//! within a consumer.
//! Source: `embed/include/lucce.h`.

mod list;

use std::ptr::{null, null_mut};

use lucce_embed::raw::{CAPTURED, Event};
use lucce_words::Word;

use super::{Allocated, EventPlace};
use crate::encode::capture;
use crate::jvm::thread::JavaThread;
use crate::state::agent::{Agent, count};
use crate::support::kinds::EventKind;
use crate::support::text::zero_terminated;
pub use list::Consumers;

/// An event that is given.
pub struct Given<'a> {
    /// Its kind.
    pub kind: EventKind<'a>,
    /// Its value.
    pub value: i64,
    /// Internal name of the class that goes with it.
    pub class: Option<&'a str>,
    /// What was allocated.
    pub allocated: Option<Allocated>,
    /// When.
    pub time_ns: u64,
    /// Where.
    pub place: EventPlace<'a>,
}

impl Consumers {
    /// Gives an event to all.
    pub fn give(&self, agent: &Agent, thread: JavaThread, given: &Given<'_>) {
        let Some(list) = self.listening() else { return };
        let (kind, class) = (zero_terminated(&given.kind.label()), given.class.map(zero_terminated));
        let wanted = list.iter().any(|registered| registered.consumer.flags & CAPTURED != 0);
        let (word, site, node) = match given.place {
            EventPlace::Here(context) => {
                let node = if wanted { capture::keep(agent, thread, context) } else { None };
                (agent.encoder.word(agent, context), context.site, node)
            }
            EventPlace::Captured(node, site) => (Word::NONE, site, Some(node)),
        };
        let event = Event {
            size: size_of::<Event>() as u32,
            site: site.0 as i32,
            kind: kind.as_ptr(),
            value: given.value,
            word: word.0,
            captured: node.map_or(0, |node| node.0.into()),
            time_ns: given.time_ns,
            thread: thread.object,
            r#type: given.allocated.map_or(null_mut(), |allocated| allocated.class),
            type_name: class.as_ref().map_or(null(), |class| class.as_ptr()),
            object: given.allocated.map_or(null_mut(), |allocated| allocated.object),
        };
        for registered in list.iter() {
            if let Some(function) = registered.consumer.event {
                let captured = if registered.consumer.flags & CAPTURED != 0 { event.captured } else { 0 };
                registered.run(|| {
                    count(&agent.run.counters.abi_given);
                    // SAFETY: the function it was registered with, and what that is declared for.
                    unsafe { function(thread.jni.raw().cast(), &Event { captured, ..event }, registered.consumer.data) }
                });
            }
        }
    }
}
