//! One trace through several encoders at once: each thread's calls and returns, and a comparison of
//! what they decode now and then.
//!
//! Invariant: all encoders see the same calls in the same order, with threads as they are in the
//! file: thread by thread, a few hundred entries at a time. What is compared is the whole path.
//! Source: `profiles/src/trace.rs`.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use lucce_encoding::DecodedFrame;
use lucce_profiles::trace::{Cursor, Ending, Item, StackChange, TraceContext, TraceNode, TracePaths, TraceReader};
use lucce_words::{MethodId, SiteId, weights};

use crate::Result;

/// One entry in so many is decoded and compared. A prime, so that no loop of the program falls into
/// step.
pub const EVERY: u64 = 1009;

/// An encoder that a trace is replayed through.
pub trait Subject {
    /// A method, with the hash of its names; constructors are treated apart by some.
    fn method(&mut self, method: MethodId, is_constructor: bool, hash: u64);
    /// A calling instruction, by its bytecode index.
    fn site(&mut self, _: SiteId, _: u16) {}
    /// A context that will be entered, and the method that it is called from.
    fn context(&mut self, id: TraceContext, node: TraceNode, caller: MethodId);
    /// A thread calls: to `node`.
    fn call(&mut self, thread: u32, id: TraceContext, node: TraceNode);
    /// The thread's innermost activation, of `node`, returns.
    fn leave(&mut self, thread: u32, node: TraceNode);
    /// The frames of the thread's innermost activation, as this encoder tells them; `None` if it
    /// says that it does not know.
    fn decode(&mut self, thread: u32, id: TraceContext) -> Option<Vec<DecodedFrame>>;
    /// So many entries have been replayed: a moment at which the program could be stopped.
    fn pause(&mut self, entries: u64);
}

/// What an encoder's paths were worth.
#[derive(Clone, Copy, Debug, Default)]
pub struct Compared {
    /// Paths that were compared.
    pub checks: u64,
    /// That were not the thread's.
    pub wrong: u64,
    /// Of which the encoder said that it does not know them.
    pub unknown: u64,
}

/// What a trace is.
#[derive(Debug, Default)]
pub struct Replayed {
    pub entries: u64,
    pub lost: u64,
    pub contexts: usize,
    pub threads: usize,
    pub methods: usize,
    pub deepest: u32,
    /// How often an entry was that deep.
    pub depths: BTreeMap<u32, u64>,
    /// By subject.
    pub compared: Vec<Compared>,
    /// How the file ends.
    pub ending: Option<Ending>,
}

impl Replayed {
    /// Paths that were compared, with each encoder.
    pub fn checks(&self) -> u64 {
        self.compared.first().map_or(0, |compared| compared.checks)
    }
}

/// Replays at most so many entries.
///
/// # Errors
/// One line: the file is no trace.
pub fn run(file: &Path, most: u64, subjects: &mut [&mut dyn Subject]) -> Result<Replayed> {
    let opened = File::open(file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
    let mut reader = TraceReader::new(BufReader::with_capacity(1 << 20, opened)).map_err(|e| e.to_string())?;
    let (mut paths, mut threads) = (TracePaths::default(), BTreeMap::<u32, Cursor>::new());
    let mut sum = Replayed { compared: vec![Compared::default(); subjects.len()], ..Replayed::default() };
    while sum.entries < most
        && let Some(item) = reader.next()
    {
        match item {
            Item::Method { id, class, name, desc } => {
                sum.methods += 1;
                let hash = weights::of_method(class.as_bytes(), name.as_bytes(), desc.as_bytes());
                subjects.iter_mut().for_each(|subject| subject.method(id, name == "<init>", hash));
            }
            Item::Site { id, bci, .. } => subjects.iter_mut().for_each(|subject| subject.site(id, bci)),
            Item::Context { id, node } => {
                if !paths.add(id, node) {
                    return Err(format!("the trace defines {id:?} twice, or before its parent"));
                }
                if let Some(parent) = paths.node(node.parent) {
                    subjects.iter_mut().for_each(|subject| subject.context(id, node, parent.method));
                }
            }
            Item::Entries { thread, contexts, .. } => {
                let cursor = threads.entry(thread).or_default();
                for id in contexts {
                    let known = cursor.enter(&paths, id, |step| show(step, thread, subjects));
                    sum.lost += u64::from(!known);
                    sum.entries += 1;
                    if known {
                        *sum.depths.entry(paths.depth(id)).or_default() += 1;
                    }
                    if known && sum.entries.is_multiple_of(EVERY) {
                        compare(&paths, thread, id, subjects, &mut sum.compared);
                    }
                }
                subjects.iter_mut().for_each(|subject| subject.pause(sum.entries));
            }
            Item::Ended { .. } => {}
        }
    }
    (sum.contexts, sum.deepest) = (paths.count(), paths.deepest());
    (sum.threads, sum.ending) = (threads.len(), reader.ending());
    Ok(sum)
}

fn show(step: StackChange, thread: u32, subjects: &mut [&mut dyn Subject]) {
    for subject in subjects {
        match step {
            // A thread's base is no call.
            StackChange::Call(_, TraceNode { method: MethodId::ROOT, .. })
            | StackChange::Found(_, TraceNode { method: MethodId::ROOT, .. }) => {}
            StackChange::Call(id, node) | StackChange::Found(id, node) => subject.call(thread, id, node),
            StackChange::Return(_, TraceNode { method: MethodId::ROOT, .. }) => {}
            StackChange::Return(_, node) => subject.leave(thread, node),
        }
    }
}

fn compare(
    paths: &TracePaths,
    thread: u32,
    id: TraceContext,
    subjects: &mut [&mut dyn Subject],
    compared: &mut [Compared],
) {
    let nodes: Vec<_> = paths.path(id).collect();
    let sites = std::iter::once(None).chain(nodes.iter().map(|node| Some(node.site)));
    let frames: Vec<_> =
        nodes.iter().zip(sites).map(|(node, site)| DecodedFrame { method: node.method, site }).collect();
    for (subject, compared) in subjects.iter_mut().zip(compared) {
        compared.checks += 1;
        match subject.decode(thread, id) {
            Some(decoded) => compared.wrong += u64::from(decoded != frames),
            None => compared.unknown += 1,
        }
    }
}
