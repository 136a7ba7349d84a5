//! Rewritten classes that are kept in a file from run to run (`cache=<file>`), so that the next
//! start need not rewrite them.
//!
//! Invariant: what comes out of the file is what the rewriter would make of the class, or the class
//! is rewritten. So the file is one of this very agent with these options, each record is the one
//! that was there when the run began, and whole, each time it is read, a record is found by the
//! hash of the class file it was made of (128 bits), and what it follows from still holds. Its ids
//! are set aside before the run gives its first, and each record serves one class, so no id means
//! two things. A class waits for its record to be read, and the first for the list of them, which a
//! thread of its own makes meanwhile; nobody waits for writing.
//! Source: docs/design/class-cache.md.

mod file;
mod index;
mod recorder;
mod window;

use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded};
use lucce_classfile::{Instrumented, Policy, Recorded};
use xxhash_rust::xxh3::{xxh3_128, xxh3_128_with_seed};

use crate::state::agent::count;
use crate::state::catalog::{Catalog, hooked};
use file::{Head, Start};
use index::{Index, IndexedRecord};
use recorder::{Message, Recorder};
pub use window::Window;

/// Records that may wait to be written: one beyond is not kept this time.
const QUEUE: usize = 1 << 12;
/// Records of one class file: as many loaders may define it, or as many answers differ.
const SAME: usize = 8;
/// How long the end of a run waits for what has not been written.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long the first class waits until it is known what the file has.
const LISTING: Duration = Duration::from_secs(5);

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
    /// Opens the file or begins it. `options`: everything besides the class files that the rewriter
    /// goes by; `seed`: a number of a new file's own.
    ///
    /// # Errors
    /// One line: what is wrong with the path, and what can be done.
    pub fn open(path: &Path, options: &str, seed: u64) -> Result<Self, String> {
        let key = xxh3_128(format!("{} {options}", env!("LUCCE_BUILD")).as_bytes());
        let (file, writes) = file::open(path)?;
        let file = Arc::new(file);
        let (told, reading) = bounded(1);
        let (queue, records) = bounded(QUEUE);
        let state = Arc::new(State { writes: AtomicBool::new(writes), recorded: AtomicU64::new(0) });
        let recorder = Recorder::new(Arc::clone(&file), path, Start { key, seed }, Arc::clone(&state));
        let thread = std::thread::Builder::new().name("lucce-cache".into());
        let run = move || crate::support::boundary::guarded("cache", (), || recorder.run(&told, &records));
        thread.spawn(run).map_err(|error| format!("no thread for the cache: {error}"))?;
        Ok(Self { file, index: OnceLock::new(), reading, queue, found: AtomicU64::new(0), state })
    }

    /// Waits until it is known what the file has, and sets its ids aside. To be called before the
    /// run gives any.
    pub fn ready(&self, catalog: &Catalog) {
        self.index.get_or_init(|| {
            let index = self.reading.recv_timeout(LISTING).unwrap_or_else(|_| {
                // What was kept now would have ids that the file may have already.
                self.state.writes.store(false, Ordering::Relaxed);
                Index::default()
            });
            catalog.set_aside(index.ends());
            index
        });
    }

    /// The hash that the class file is found by, once the cache is [ready](Self::ready).
    pub fn hash(&self, class: &[u8]) -> Hash {
        xxh3_128_with_seed(class, self.seed())
    }

    fn seed(&self) -> u64 {
        self.index.get().map_or(0, |index| index.start().seed)
    }

    fn of(&self, hash: Hash) -> &[IndexedRecord] {
        self.index.get().map_or(&[], |index| index.of(hash))
    }

    /// Lets the class file have a record that holds, if there is one no other class has: what
    /// `use_it` makes of that. The record is read through `window`.
    pub fn take<R>(
        &self,
        hash: Hash,
        class: &[u8],
        policy: &dyn Policy,
        catalog: &Catalog,
        window: &mut Window,
        use_it: impl FnOnce(Recorded<'_>) -> R,
    ) -> Option<R> {
        for kept in self.of(hash).iter().filter(|kept| !kept.is_taken()) {
            let Some(record) = kept.read(&self.file, self.seed(), window) else { continue };
            let Ok(recorded) = Recorded::read(class, record) else { continue };
            if recorded.holds(policy) && kept.take() && catalog.has_come(&recorded.class) {
                count(&self.found);
                return Some(use_it(recorded));
            }
        }
        None
    }

    /// Keeps the record of a class for the next run.
    pub fn keep(&self, hash: Hash, class: &Instrumented<'_>, record: Vec<u8>) {
        let methods = class.methods.iter().filter_map(|method| hooked(&method.outcome)).map(|(id, _)| id.0 + 1);
        let sites = class.sites.iter().map(|site| site.id.0 + 1);
        let ends = [class.id.0 + 1, methods.max().unwrap_or(0), sites.max().unwrap_or(0)];
        // Where too many wait, it is rewritten the next time as well.
        let _ = self.queue.try_send(Message::Keep(Head::of(self.seed(), hash, ends, &record), record));
    }

    /// May another record of the class file be kept?
    pub fn keeps(&self, hash: Hash) -> bool {
        self.writes() && self.of(hash).len() < SAME
    }

    fn writes(&self) -> bool {
        self.state.writes.load(Ordering::Relaxed)
    }

    /// Classes that do not have to be rewritten the next time.
    pub fn recorded(&self) -> u64 {
        self.state.recorded.load(Ordering::Relaxed)
    }

    /// The run ends: what waits is written, if that takes no longer than a second.
    pub fn finish(&self) {
        let (done, written) = bounded(1);
        if self.writes() && self.queue.send_timeout(Message::Finish(done), PATIENCE).is_ok() {
            // What is not written by then is cut from the file by whoever opens it next.
            let _ = written.recv_timeout(PATIENCE);
        }
    }
}
