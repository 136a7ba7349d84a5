//! What the log says: one record for each fact, in the order in which the facts came to hold.
//!
//! Invariant (write-ahead): whatever an [`Record::Event`] refers to stands before it in the log.
//! Ids are absolute, so the loss of one record takes away only what depends on it. What the log
//! writes once and names by an id (docs/FORMAT.md, "Tables") is shared by the records that name it,
//! so that a small log cannot become large ones.
//! Source: docs/FORMAT.md, "Records" and "Write-ahead".

use std::sync::Arc;

use lucce_words::{Bci, ClassId, EdgeId, MethodId, NodeId, OriginId, SiteId, Version, Word};

use crate::Owner;

/// One record. Class names are internal names (`java/lang/String`), descriptors as in JVMS 4.3.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are named for what they hold; a line is given where that is not enough")]
pub enum Record {
    /// One definition of a class. `source` is its SourceFile, `loader` a number for its class
    /// loader (0: boot).
    Class { id: ClassId, name: Arc<str>, source: Option<Arc<str>>, loader: u32 },
    /// A method of a class. `huge`: longer than HotSpot's 8000-byte compile limit once it is
    /// instrumented.
    Method { id: MethodId, class: ClassId, name: Arc<str>, desc: Arc<str>, access: u16, huge: bool },
    /// An instruction of a method. `kind` is the writer's own code of what it does; `owner`,
    /// `name`, `desc` are what it names.
    Site {
        id: SiteId,
        method: MethodId,
        bci: Bci,
        line: Option<u16>,
        kind: u8,
        owner: Arc<str>,
        name: Arc<str>,
        desc: Arc<str>,
    },
    /// A new edge of the call graph.
    Edge { id: EdgeId, site: SiteId, callee: MethodId },
    /// The edge became a cut edge.
    Cut { edge: EdgeId },
    /// The edge may be cyclic and is kept out of the numbering's order.
    Unrolled { edge: EdgeId },
    /// The caller's numbers `lo..lo + len` in `source` are `base..base + len` at the callee.
    Segment { edge: EdgeId, version: Version, lo: u64, len: u64, restoring: bool, base: u64 },
    /// The number of the edge's cut entries at the callee.
    CutNumber { edge: EdgeId, version: Version, number: u64 },
    /// The method's class was unloaded: from the next version on it has no numbers. What was said
    /// of it stays.
    Unloaded { method: MethodId },
    /// The graph so far was numbered anew; `digest` is that of the outcome.
    NewVersion { version: Version, digest: u64 },
    /// What making a version came to, behind its [`Record::NewVersion`]. `methods` and `edges` are
    /// those that have numbers, `largest` is the number of contexts of the method that has most,
    /// `cut` counts the edges behind which numbers start anew.
    Numbering {
        version: Version,
        time_ns: u64,
        cause: Cause,
        nanos: u64,
        methods: u64,
        edges: u64,
        largest: u64,
        cut: u64,
    },
    /// A class, or one method (name and descriptor) of it, that was left as it was.
    Skip { class: Arc<str>, method: Option<Arc<str>>, reason: Arc<str> },
    /// A thread. `id` is the log's own number, `java_id` that of `Thread.getId()`.
    Thread { id: u32, name: String, java_id: u64 },
    /// A thread as long as `origin` is in force on it, in place of [`Record::Thread`]: a thread
    /// that runs tasks has several.
    ThreadOf { id: u32, name: String, java_id: u64, origin: OriginId },
    /// Where threads or tasks came from: `node` is the context that started or submitted them,
    /// `parent` the origin in force there.
    Origin { id: OriginId, node: NodeId, kind: OriginKind, ground: Ground, parent: OriginId, cut: bool },
    /// A captured context: a frame of `site`'s method at `site`, called from `parent` (0: the
    /// thread base).
    Node { id: NodeId, parent: NodeId, site: SiteId },
    /// `encoder=icpp`: a walk has found that `word` means this context where it is published in the
    /// method. `ambiguous`: it was known to mean another one.
    Learned { word: u64, method: MethodId, node: NodeId, ambiguous: bool },
    /// An event kind: whose it is, and its name.
    Kind { id: u32, owner: Owner, name: String },
    /// Something happened in a context.
    Event {
        /// Nanoseconds since [`Header::start_unix_ns`](crate::Header::start_unix_ns).
        time_ns: u64,
        thread: u32,
        kind: u32,
        value: i64,
        /// The word of the innermost instrumented activation, and the instruction it stood at.
        word: Word,
        site: SiteId,
        /// For a chained word the context of the caller below the topmost cut entry; 0 otherwise.
        chain: NodeId,
        /// The allocated class.
        class: Option<Arc<str>>,
        /// Uninstrumented frames above the innermost instrumented one, innermost first.
        walked: Arc<[WalkedFrame]>,
        /// 0, or a captured context that stands in place of `word` and `site`.
        node: NodeId,
    },
    /// So many events of a kind in one context since the last such record: sums, to be added up.
    Tally {
        kind: u32,
        /// The captured context; 0 for one that was lost: then the site is all that is known, and
        /// the word says why.
        node: NodeId,
        site: SiteId,
        word: Word,
        /// The allocated class.
        class: Option<Arc<str>>,
        count: u64,
        /// Sum of their values: bytes of allocations.
        value: u64,
    },
    /// What `profile` has sampled so far, and how; the last one counts. The samples of each context
    /// are [`Record::Tally`]s of the kind `profile`.
    Profile {
        /// Entries of a thread from one sample to the next, on average.
        period: u64,
        /// Contexts that are counted at once.
        counters: u64,
        /// Entries that were counted down.
        entries: u64,
        /// Samples that were counted.
        samples: u64,
        /// Samples for which there was no place.
        dropped: u64,
        /// Samples of contexts that could not be told.
        lost: u64,
        /// Samples of contexts that lost their counter before these were written: in no tally.
        replaced: u64,
        /// The greatest count at which a context lost its counter; 0 if none did. No context has
        /// more samples beside those that its tallies say.
        unseen: u64,
    },
    /// A context whose counter was another's before: its samples are at most `count`, and at least
    /// `count - error`.
    ProfileContext { node: NodeId, count: u64, error: u64 },
    /// Uninstrumented frames once seen between the edge's two ends (`java.util.ArrayList.forEach`),
    /// innermost first.
    Via { edge: EdgeId, frames: Vec<Arc<str>> },
    /// Algorithm 1: E gained an edge, in the version that this makes. (The other two: likewise,
    /// what changed.)
    PaperEdge { version: Version, site: SiteId, callee: MethodId },
    /// Algorithm 1: numCC of a method.
    PaperContexts { version: Version, method: MethodId, contexts: u64 },
    /// Algorithm 1: lv of a method, the version in which its activation that called last was
    /// entered.
    PaperLastVersion { version: Version, method: MethodId, last: Version },
    /// Cumulative counters; of each name the last one counts.
    Counters { values: Vec<(String, u64)> },
    /// A decoded context and the JVM's stack walk disagreed.
    Mismatch { text: String },
    /// A remark for people.
    Note { text: String },
    /// The run ended in order; nothing follows.
    End,
    /// The file ended in order; the log goes on in the file of this name in the same folder.
    Rotated { next: String },
    /// The blocks that follow, so many, repeat every definition of the run so far, in order.
    Keyframe { blocks: u32 },
    /// What the disk did not take, as of the last time that it refused a block: events by counter,
    /// and whether the run has ended since. It stands in the first block alone, which the writer
    /// overwrites in place.
    Refused { ended: bool, dropped: Vec<(String, u64)> },
    /// The tallies that follow hold for what happened until then, in nanoseconds since
    /// [`Header::start_unix_ns`](crate::Header::start_unix_ns), since the tallies of the one
    /// before.
    SumsUntil { time_ns: u64 },
}

impl Record {
    /// Does it say something about the run that later events may need, wherever they are written?
    /// Every file of a run holds all of these; the others belong to the file that they were written
    /// to.
    pub const fn is_definition(&self) -> bool {
        match self {
            Self::Event { .. }
            | Self::Tally { .. }
            | Self::Profile { .. }
            | Self::ProfileContext { .. }
            | Self::Counters { .. }
            | Self::End
            | Self::Rotated { .. }
            | Self::Keyframe { .. }
            | Self::Refused { .. }
            | Self::SumsUntil { .. } => false,
            Self::Class { .. }
            | Self::Method { .. }
            | Self::Site { .. }
            | Self::Edge { .. }
            | Self::Cut { .. }
            | Self::Unrolled { .. }
            | Self::Segment { .. }
            | Self::CutNumber { .. }
            | Self::Unloaded { .. }
            | Self::NewVersion { .. }
            | Self::Numbering { .. }
            | Self::Skip { .. }
            | Self::Thread { .. }
            | Self::ThreadOf { .. }
            | Self::Origin { .. }
            | Self::Node { .. }
            | Self::Learned { .. }
            | Self::Kind { .. }
            | Self::Via { .. }
            | Self::PaperEdge { .. }
            | Self::PaperContexts { .. }
            | Self::PaperLastVersion { .. }
            | Self::Mismatch { .. }
            | Self::Note { .. } => true,
        }
    }
}

/// Why a version was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// So many links had needed something new: 1024, and twice as many with each version.
    Links,
    /// So many entries had found their links late that a new version costs less.
    LateFinds,
}

impl Cause {
    /// All, by their code in the log.
    pub const ALL: [Self; 2] = [Self::Links, Self::LateFinds];

    /// What reports call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Links => "links",
            Self::LateFinds => "late finds",
        }
    }
}

/// What an origin was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OriginKind {
    /// A call of `Thread.start`.
    Started,
    /// A task was handed over.
    Submitted,
}

/// Why an origin has the node that it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ground {
    /// It is the context.
    Known,
    /// None: no instrumented frame was on the stack.
    Outside,
    /// None: the context could not be kept.
    Lost,
    /// None: the same task was handed over more than once, and which time this is cannot be told.
    Ambiguous,
    /// None: the task was not met when it was handed over, or more are waiting than are kept.
    Unmet,
    /// None: there are more origins than are kept.
    Full,
}

impl Ground {
    /// All, by their code in the log.
    pub const ALL: [Self; 6] = [Self::Known, Self::Outside, Self::Lost, Self::Ambiguous, Self::Unmet, Self::Full];
}

/// A frame that was read from the real stack.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "named for what they hold")]
pub struct WalkedFrame {
    pub class: Arc<str>,
    pub method: Arc<str>,
    pub desc: Arc<str>,
    pub line: Option<u32>,
}

impl WalkedFrame {
    /// In place of a line, which class files keep in 16 bits: the method is native.
    pub const NATIVE: u32 = 1 << 16;
}
