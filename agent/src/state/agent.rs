//! The agent itself: what all callbacks and natives share.
//!
//! Invariant: never dropped; natives may run on daemon threads after VMDeath. There is one in a
//! process, or one after the other: where no class is rewritten, an agent that was killed leaves,
//! and another may be attached.

use std::any::Any;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::control::socket::Socket;
use crate::encode::encoder::ContextEncoder;
use crate::events::part::Events;
use crate::hook_tables::tables::HookTables;
use crate::jvm::part::Jvm;
use crate::options::Options;
use crate::stack::part::FrameMethods;
use crate::state::classes::Classes;
use crate::state::graph::Graph;
use crate::state::run::Run;
pub use crate::support::counters::{Counters, count};
use crate::verify::oracle::Oracle;

/// Everything of a run.
pub struct Agent {
    /// The JVM, and how it is asked.
    pub jvm: Jvm,
    /// What was asked for.
    pub options: Options,
    /// What is known of classes and their methods.
    pub classes: Classes,
    /// Encoder, captured tree, journal.
    pub graph: Graph,
    /// What gives activations their words.
    pub encoder: Box<dyn ContextEncoder>,
    /// What the hooks read by address.
    pub tables: HookTables,
    /// The comparison with the JVM's own walk.
    pub oracle: Oracle,
    /// Which methods the frames of stacks are of.
    pub stack: FrameMethods,
    /// Event sources, sums by context, who is given events.
    pub events: Events,
    /// Where commands come from.
    pub control: Socket,
    /// The run: its log, its counters, how far it is.
    pub run: Run,
}

static AGENT: AtomicPtr<Agent> = AtomicPtr::new(null_mut());

impl Agent {
    /// The agent of this process; `None` where it stays inert.
    pub fn get() -> Option<&'static Self> {
        // SAFETY: null, or an agent that `install` has leaked.
        unsafe { AGENT.load(Ordering::Acquire).as_ref() }
    }

    /// Makes `agent` the agent of this process: the first, or behind one that has left. `None` if
    /// there is one.
    pub fn install(agent: Self) -> Option<&'static Self> {
        let before = AGENT.load(Ordering::Acquire);
        if Self::get().is_some_and(|before| !before.run.has_left()) {
            return None;
        }
        // Never freed: some thread may still be in a callback of the one before.
        let agent = Box::into_raw(Box::new(agent));
        AGENT.compare_exchange(before, agent, Ordering::AcqRel, Ordering::Acquire).ok()?;
        Self::get()
    }

    /// The encoder, if it is of that type.
    pub fn encoder_as<E: ContextEncoder>(&self) -> Option<&E> {
        (&*self.encoder as &dyn Any).downcast_ref()
    }

    /// Can contexts be told: are the fields of threads found, or none needed?
    pub fn is_ready(&self) -> bool {
        self.jvm.fields.get().is_some() || !self.options.has_hooks()
    }

    /// Is a mechanism switched off by `fault=<name>`? Always false in an ordinary build.
    pub fn fault(&self, name: &str) -> bool {
        self.options.fault(name)
    }
}
