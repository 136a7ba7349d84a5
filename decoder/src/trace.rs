//! A decoded stack trace.
//!
//! Invariant: the frames given are exact; where they end short of the thread's base,
//! [`TraceEnd::Unknown`] says why.
//! Source: ARCHITECTURE ("The contract").

use std::sync::Arc;

use lucce_encoding::Unknown;
use lucce_words::{Bci, Lost};

/// Frames, innermost first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace<'a> {
    /// Walked ones, then instrumented ones.
    pub frames: Vec<TraceFrame<'a>>,
    /// What is below the last frame.
    pub end: TraceEnd,
}

/// One frame.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TraceFrame<'a> {
    /// As people write it: `java.util.Map$Entry`.
    pub class: &'a str,
    /// Name.
    pub method: &'a str,
    /// Descriptor.
    pub desc: &'a str,
    /// Source file; not known of walked frames.
    pub file: Option<&'a str>,
    /// Line.
    pub line: Option<u32>,
    /// Index of the instruction in the class bytes as handed to Lucce; not known of walked frames.
    pub bci: Option<Bci>,
    /// Uninstrumented frames through which this one was called back, innermost first. A note,
    /// outside the exactness contract.
    pub via: &'a [Arc<str>],
    /// Read from the real stack: an uninstrumented frame.
    pub walked: bool,
    /// A native method's.
    pub native: bool,
}

impl TraceFrame<'_> {
    /// Is it a remark in square brackets, and no frame? So is the end of a stack that is not known.
    pub fn is_remark(&self) -> bool {
        self.class.is_empty() && self.method.starts_with('[')
    }
}

/// How a trace ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TraceEnd {
    /// At the thread's base: the trace is complete.
    Root,
    /// Unknown from here down.
    Unknown(Reason),
}

/// Why a trace ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The agent could not keep the context.
    Lost(Lost),
    /// The event came from code without a context.
    NoContext,
    /// The word leads nowhere in what is left of the graph.
    Graph(Unknown),
    /// The record of the site, its method or its class is gone.
    Name,
    /// The record of a captured context is gone.
    Node,
    /// A word of `encoder=icpp` that was not walked: a map says what it means.
    Map,
    /// The shadow stack of a chained word was not recorded, or belongs to another word.
    Chain,
    /// More frames than a stack can hold.
    Depth,
    /// The record of where a thread or task came from is gone.
    Origin,
    /// A thread was started, or a task handed over, with no instrumented frame on the stack.
    Outside,
    /// One task was handed over several times, and which time counts cannot be told.
    Ambiguous,
    /// The task was not met when it was handed over.
    Unmet,
    /// There were more origins than the agent keeps.
    Full,
}

impl Reason {
    /// The log lacks something that the trace needs, as damage does; otherwise the agent itself had
    /// no context.
    pub fn is_damage(self) -> bool {
        matches!(self, Self::Graph(_) | Self::Name | Self::Node | Self::Chain | Self::Depth | Self::Origin)
    }
}

impl From<Unknown> for Reason {
    fn from(unknown: Unknown) -> Self {
        match unknown {
            Unknown::Lost(reason) => Self::Lost(reason),
            Unknown::None => Self::NoContext,
            other => Self::Graph(other),
        }
    }
}

impl std::fmt::Display for Reason {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Lost(reason) => {
                let why = match reason {
                    Lost::Memory => "no memory for the thread's chain",
                    Lost::Ids => "ids are exhausted",
                    Lost::Hook => "an error inside a hook",
                    Lost::Chain => "the thread's chain and its stack disagreed",
                    Lost::Death => "the JVM was shutting down",
                    Lost::Overflow => "numbers are exhausted",
                    Lost::Foreign => "another agent changed the method after Lucce",
                    Lost::OnCarrier => "a virtual thread was being scheduled",
                    Lost::Ended => "the kill switch was used",
                    Lost::Unseen => "the JVM could not show the stack at that moment",
                    Lost::Rest => "used since the thread's last sample",
                    Lost::Continuation => "it runs in a jdk.internal.vm.Continuation that is no virtual thread's",
                    Lost::Unheld => "the JVM named no holder",
                    Lost::Passed => "the lock changed hands during the look",
                    Lost::Dropped => "another agent, such as a debugger, dropped frames of the thread",
                };
                write!(out, "context lost: {why}")
            }
            Self::NoContext => out.write_str("unknown here: no context"),
            Self::Graph(unknown) => write!(out, "unknown here: {unknown}"),
            Self::Name => out.write_str("unknown here: the record of this method is lost"),
            Self::Node => out.write_str("unknown here: the record of this captured context is lost"),
            Self::Map => out.write_str("unknown here: a map tells the word (lucce-decode --map)"),
            Self::Chain => out.write_str("unknown here: the chain is lost"),
            Self::Depth => out.write_str("unknown here: too deep"),
            Self::Origin => out.write_str("unknown here: the record of where it came from is lost"),
            Self::Outside => out.write_str("no instrumented frame"),
            Self::Ambiguous => out.write_str("unknown here: the same task was handed over more than once"),
            Self::Unmet => out.write_str("unknown here: the task was not met when it was handed over"),
            Self::Full => out.write_str("unknown here: more origins than are kept"),
        }
    }
}
