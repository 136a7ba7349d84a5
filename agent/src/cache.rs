//! Rewritten classes that are kept in a file from run to run (`cache=<file>`), so that the next start need not rewrite them.
//!
//! Invariant: what comes out of the file is what the rewriter would make of the class, or the class is rewritten. So the file is one of this very agent
//! with these options, its records are whole by a checksum each time they are read, a record is found by the hash of the class file it was made
//! of (128 bits), and what it follows from still holds. Its ids are set aside before the run gives its first, and each record serves one class, so no
//! id means two things. Nothing here waits for a disk but the first rewriting, for what is read in the meantime by a thread of its own.
//! Source: ARCHITECTURE ("Classes kept from run to run").

mod file;
mod index;
mod recorder;

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded};
use lucce_classfile::{Instrumented, Policy, Recorded};
use xxhash_rust::xxh3::xxh3_128;

use crate::agent::count;
use crate::catalog::{Catalog, hooked};
use file::{HEAD, Head};
use index::{Index, Kept};
use recorder::{Message, Recorder};

/// Records that may wait to be written: one beyond is not kept this time.
const QUEUE: usize = 1 << 12;
/// How long the end of a run waits for what has not been written.
const PATIENCE: Duration = Duration::from_secs(1);

/// The file, and what it has.
pub struct Cache {
    file: Arc<File>,
    index: OnceLock<Index>,
    reading: Receiver<Index>,
    /// Where records go.
    queue: Sender<Message>,
    /// Classes that did not have to be rewritten.
    pub found: AtomicU64,
    state: Arc<State>,
}

/// What the thread of the cache tells the others.
struct State {
    /// May records be written? Not any more, once that has failed.
    writes: AtomicBool,
    /// Records that were written.
    recorded: AtomicU64,
}

/// The hash of a class file.
pub type Hash = u128;

impl Cache {
    /// Opens the file or begins it. `options`: everything besides the class files that the rewriter goes by.
    ///
    /// # Errors
    /// One line: what is wrong with the path, and what can be done.
    pub fn open(path: &Path, options: &str) -> Result<Self, String> {
        let key = xxh3_128(format!("{} {options}", env!("LUCCE_BUILD")).as_bytes());
        let (file, writes) = file::open(path)?;
        let file = Arc::new(file);
        let (told, reading) = bounded(1);
        let (queue, records) = bounded(QUEUE);
        let state = Arc::new(State { writes: AtomicBool::new(writes), recorded: AtomicU64::new(0) });
        let recorder = Recorder::new(Arc::clone(&file), path, key, Arc::clone(&state));
        let thread = std::thread::Builder::new().name("lucce-cache".into());
        let run = move || crate::boundary::guarded("cache", (), || recorder.run(&told, &records));
        thread.spawn(run).map_err(|error| format!("no thread for the cache: {error}"))?;
        Ok(Self { file, index: OnceLock::new(), reading, queue, found: AtomicU64::new(0), state })
    }

    /// Waits until it is known what the file has, and sets its ids aside. To be called before the run gives any.
    pub fn ready(&self, catalog: &Catalog) {
        self.index.get_or_init(|| {
            // Without the thread that reads there is nothing.
            let index = self.reading.recv().unwrap_or_default();
            catalog.set_aside(index.ends());
            index
        });
    }

    /// Lets the class file have a record that holds, if there is one no other class has: what `use_it` makes of that. The record is read into `buffer`.
    pub fn take<R>(
        &self,
        hash: Hash,
        class: &[u8],
        policy: &dyn Policy,
        buffer: &mut Vec<u8>,
        use_it: impl FnOnce(Recorded<'_>) -> R,
    ) -> Option<R> {
        for kept in self.index.get()?.of(hash).iter().filter(|kept| !kept.is_taken()) {
            let Some(record) = self.read(hash, kept, buffer) else { continue };
            let Ok(recorded) = Recorded::read(class, record) else { continue };
            if recorded.holds(policy) && kept.take() {
                count(&self.found);
                return Some(use_it(recorded));
            }
        }
        None
    }

    /// `None` if the file has something else there by now.
    fn read<'b>(&self, hash: Hash, kept: &Kept, buffer: &'b mut Vec<u8>) -> Option<&'b [u8]> {
        buffer.resize(HEAD + kept.len(), 0);
        self.file.read_exact_at(buffer, kept.at()).ok()?;
        let (head, record) = buffer.split_first_chunk()?;
        Head::read(head).filter(|head| head.fits(hash, record)).map(|_| record)
    }

    /// Keeps the record of a class for the next run.
    pub fn keep(&self, hash: Hash, class: &Instrumented<'_>, record: Vec<u8>) {
        let methods = class.methods.iter().filter_map(|method| hooked(&method.outcome)).map(|(id, _)| id.0 + 1);
        let sites = class.sites.iter().map(|site| site.id.0 + 1);
        let ends = [class.id.0 + 1, methods.max().unwrap_or(0), sites.max().unwrap_or(0)];
        // Where too many wait, it is rewritten the next time as well.
        let _ = self.queue.try_send(Message::Keep(Head::of(hash, ends, &record), record));
    }

    /// May classes be kept?
    pub fn keeps(&self) -> bool {
        self.state.writes.load(Ordering::Relaxed)
    }

    /// Classes that do not have to be rewritten the next time.
    pub fn recorded(&self) -> u64 {
        self.state.recorded.load(Ordering::Relaxed)
    }

    /// The run ends: what waits is written, if that takes no longer than a second.
    pub fn finish(&self) {
        let (done, written) = bounded(1);
        if self.keeps() && self.queue.send_timeout(Message::Finish(done), PATIENCE).is_ok() {
            // What is not written by then is cut from the file by whoever opens it next.
            let _ = written.recv_timeout(PATIENCE);
        }
    }
}

/// The hash that a class file is found by.
pub fn hash(class: &[u8]) -> Hash {
    xxh3_128(class)
}
