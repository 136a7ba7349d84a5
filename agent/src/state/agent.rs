//! The agent itself: what all callbacks and natives share.
//!
//! Invariant: never dropped; natives may run on daemon threads after VMDeath. There is one in a
//! process, or one after the other: where no class is rewritten, an agent that was killed leaves,
//! and another may be attached.

use std::any::Any;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

use lucce_words::MethodId;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::control::socket::Socket;
use crate::encode::encoder::ContextEncoder;
use crate::events::part::Events;
use crate::hook_tables::tables::Tables;
use crate::jvm::part::Jvm;
use crate::options::Options;
use crate::rewrite::classes::HiddenLoaders;
use crate::rewrite::jdk::Hidden;
use crate::stack::part::FrameMethods;
use crate::state::cache::Cache;
use crate::state::catalog::Catalog;
use crate::state::demand::Demand;
use crate::state::graph::Graph;
use crate::state::interposable::Interposable;
use crate::state::leaf_constructors::LeafConstructors;
use crate::state::leaf_methods::LeafMethods;
use crate::state::origin::ClassOrigins;
use crate::state::run::Run;
use crate::state::unload::Unloading;
pub use crate::support::counters::{Counters, count};
use crate::support::dead::Dead;
use crate::support::lock::Shared;
use crate::support::text;
use crate::verify::oracle::Oracle;

/// Everything of a run.
pub struct Agent {
    /// The JVM, and how it is asked.
    pub jvm: Jvm,
    /// What was asked for.
    pub options: Options,
    /// Classes, methods, sites. One in a process, for threads remember its ids.
    pub catalog: Arc<Catalog>,
    /// Classes from earlier runs, with `cache`.
    pub cache: Option<Cache>,
    /// Encoder, captured tree, journal.
    pub graph: Graph,
    /// What gives activations their words.
    pub encoder: Box<dyn ContextEncoder>,
    /// What the hooks read by address.
    pub tables: Tables,
    /// Methods whose code another agent changed after us.
    pub foreign: Foreign,
    /// Interposable signatures, inert classes.
    pub interposable: Interposable,
    /// Methods that are called with nothing published.
    pub leaf_methods: LeafMethods,
    /// Constructors that subclasses may call so.
    pub leaf_constructors: LeafConstructors,
    /// Which methods are active, with `hooks=demand`.
    pub demand: Demand,
    /// Methods of the JDK that the JVM hides.
    pub hidden: Hidden,
    /// Class loaders without a guard.
    pub hidden_loaders: HiddenLoaders,
    /// Which classes are the JDK's.
    pub origin: ClassOrigins,
    /// Methods of uninstrumented classes with a Guard.
    pub guarded: Guarded,
    /// Which loaders may be unloaded, and what goes with them.
    pub unloading: Unloading,
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

/// A set of methods that is asked on the slow path and hardly ever grows.
#[derive(Default)]
pub struct Foreign(Shared<FxHashSet<MethodId>>);

impl Foreign {
    /// Is it in the set?
    pub fn contains(&self, method: MethodId) -> bool {
        self.0.read().contains(&method)
    }

    /// Puts it in; was it not there?
    pub fn add(&self, method: MethodId) -> bool {
        self.0.write().insert(method)
    }

    /// Takes unloaded methods out.
    pub fn forget(&self, dead: &Dead) {
        self.0.write().retain(|&method| !dead.has_method(method));
    }
}

/// The classes of methods with a Guard, which throws again whatever leaves them, by the method's
/// name.
#[derive(Default)]
pub struct Guarded(Shared<FxHashMap<String, FxHashSet<String>>>);

impl Guarded {
    /// Has the method one?
    pub fn contains(&self, class: &str, method: &str) -> bool {
        self.0.read().get(method).is_some_and(|classes| classes.contains(class))
    }

    /// It has.
    pub fn add(&self, class: &str, method: &[u8]) {
        self.0.write().entry(text::ours(method).into_owned()).or_default().insert(class.into());
    }
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

    /// Is the method a constructor?
    pub fn is_constructor(&self, method: MethodId) -> bool {
        self.catalog.method(method).is_some_and(|entry| entry.is_constructor())
    }
}
