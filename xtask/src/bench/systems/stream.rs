//! A trace in memory: its entries in order, for algorithms that look at it many times.
//!
//! Invariant: it is the same prefix of the file that the encoders replay; an entry whose context is
//! not known is counted and left out. The file has one time for some hundred entries of a thread.
//! Between two of these times, entries are spread evenly.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use lucce_profiles::trace::{Item, TraceContext, TraceNode, TracePaths, TraceReader};
use lucce_words::{MethodId, SiteId};

use crate::Result;

/// An entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub thread: u32,
    /// Nanoseconds since the start of the run.
    pub time: u64,
    pub context: TraceContext,
}

/// Entries of a thread, one behind the other.
struct Batch {
    thread: u32,
    /// The thread's time before, and that at which they were handed on.
    since: u64,
    until: u64,
    contexts: Vec<TraceContext>,
}

/// The entries, and the tree of their contexts.
#[derive(Default)]
pub struct Stream {
    pub paths: TracePaths,
    batches: Vec<Batch>,
    /// Entries whose context is known.
    pub total: u64,
    /// The time of the last batch of each thread.
    times: BTreeMap<u32, u64>,
}

impl Stream {
    /// Reads at most so many entries.
    ///
    /// # Errors
    /// One line: the file is no trace.
    pub fn read(file: &Path, most: u64) -> Result<Self> {
        let opened = File::open(file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
        let mut reader = TraceReader::new(BufReader::with_capacity(1 << 20, opened)).map_err(|e| e.to_string())?;
        let (mut stream, mut read) = (Self::default(), 0);
        while read < most
            && let Some(item) = reader.next()
        {
            match item {
                Item::Context { id, node } => {
                    if !stream.paths.add(id, node) {
                        return Err(format!("the trace defines {id:?} twice, or before its parent"));
                    }
                }
                Item::Entries { thread, time, contexts } => {
                    read += contexts.len() as u64;
                    stream.push(thread, time, contexts);
                }
                Item::Method { .. } | Item::Site { .. } | Item::Ended { .. } => {}
            }
        }
        Ok(stream)
    }

    /// Adds entries of a thread.
    pub fn push(&mut self, thread: u32, time: u64, mut contexts: Vec<TraceContext>) {
        contexts.retain(|&context| self.paths.node(context).is_some());
        let since = self.times.insert(thread, time).unwrap_or(time);
        self.total += contexts.len() as u64;
        self.batches.push(Batch { thread, since, until: time, contexts });
    }

    /// All entries, in the order of the file.
    pub fn entries(&self) -> impl Iterator<Item = Entry> {
        self.batches.iter().flat_map(|batch| {
            let (span, number) = (batch.until.saturating_sub(batch.since), batch.contexts.len() as u64);
            (1..).zip(&batch.contexts).map(move |(at, &context)| {
                let time = batch.since + (u128::from(span) * u128::from(at as u64) / u128::from(number)) as u64;
                Entry { thread: batch.thread, time, context }
            })
        })
    }
}

/// A stream of one thread that is made up: context `n + 2` is below the context `parents[n]`, and 1
/// is the thread's base. An entry a microsecond.
pub fn program(parents: &[u32], entries: impl IntoIterator<Item = u32>) -> Stream {
    let mut stream = Stream::default();
    for (id, parent) in (1..).zip(std::iter::once(&0).chain(parents)) {
        let method = if id == 1 { MethodId::ROOT } else { MethodId(id) };
        stream.paths.add(TraceContext(id), TraceNode { parent: TraceContext(*parent), site: SiteId(id), method });
    }
    let contexts: Vec<_> = entries.into_iter().map(TraceContext).collect();
    stream.times.insert(1, 0);
    stream.push(1, 1000 * contexts.len() as u64, contexts);
    stream
}

/// Streams for the tests of what is computed of them.
#[cfg(test)]
pub mod example {
    use super::{Stream, program};

    /// HCCT's `main` (2), which calls `p` (3) once and `q` (4) six times.
    pub fn main_p_q() -> Stream {
        program(&[1, 2, 2], [2, 3, 4, 4, 4, 4, 4, 4])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_spread_between_two_times_and_unknown_contexts_are_left_out() {
        let mut stream = example::main_p_q();
        assert_eq!(stream.total, 8);
        stream.push(1, 10_000, vec![TraceContext(4), TraceContext::UNKNOWN, TraceContext(2)]);
        let times: Vec<_> = stream.entries().map(|entry| entry.time).collect();
        assert_eq!(times, [1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000, 10_000]);
        assert_eq!(stream.total, 10);
    }
}
