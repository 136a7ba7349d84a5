//! The thread that rewrites ahead.
//!
//! Invariant: it sleeps unless a class was loaded, and then rewrites what it can guess from that, behind all others that want a processor. It ends,
//! and gives back all that it has, once the program has started or the guesses prove to be wrong.

use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, unbounded};
use lucce_classfile::{Scratch, references};
use rustc_hash::FxHashMap;

use super::class_path::{At, ClassPath};
use super::guesses::{Chance, Guesses};
use super::{Ready, is_useless};
use crate::agent::{Agent, count};
use crate::boundary::guarded;
use crate::catalog::Texts;
use crate::classes::is_foreseen;

/// The program has started if no class is loaded for so long.
const STARTED: Duration = Duration::from_secs(30);
/// How often the thread looks for what was loaded, where it has nothing to do and where as many classes wait as may; and for how long, before it
/// sleeps until it is woken.
const LOOK: Duration = Duration::from_micros(100);
const LOOK_WHEN_FULL: Duration = Duration::from_millis(2);
const AWAKE: Duration = Duration::from_millis(20);

/// Starts it; who is given the sender tells it of the classes that are loaded. `None` if the system has no thread for it.
pub(super) fn start(agent: &'static Agent, classes: String, modules: String) -> Option<Sender<Loaded>> {
    let (sender, loaded) = unbounded();
    let run = move || {
        step_back();
        let class_path = guarded("class path", None, || Some(ClassPath::read(&classes, &modules)));
        let Some(class_path) = class_path.filter(|path| !path.is_empty()) else { return };
        let (guesses, names) = (Guesses::default(), FxHashMap::default());
        let (scratch, texts) = (Scratch::default(), Texts::default());
        let mut worker = Worker { agent, loaded, class_path, guesses, names, scratch, texts };
        guarded("rewriting ahead", (), || worker.run());
        // Nobody may put more on the shelf, nor tell of what is loaded.
        drop(worker);
        let gone = agent.ahead.shelf.lock().clear();
        // Not under the lock.
        drop(gone);
    };
    std::thread::Builder::new().name("lucce-ahead".into()).spawn(run).ok()?;
    Some(sender)
}

/// Puts the running thread behind the program's own and the JIT's: where they leave no time, classes are rewritten as they are loaded. A processor
/// on which nothing else runs counts as free, so that a thread of theirs that wakes goes there, and not where the program's runs.
fn step_back() {
    let priority = libc::sched_param { sched_priority: 0 };
    // SAFETY: a number, and a value that is read. A thread whose priority cannot be changed works on with the one it has.
    unsafe { libc::sched_setscheduler(0, libc::SCHED_IDLE, &raw const priority) };
}

/// A class that is being loaded.
pub(super) struct Loaded {
    pub(super) name: String,
    /// Its class file: a copy, for what it names, or what this thread has read.
    pub(super) bytes: Option<Vec<u8>>,
}

struct Worker {
    agent: &'static Agent,
    loaded: Receiver<Loaded>,
    class_path: ClassPath,
    guesses: Guesses,
    /// What the classes name that were rewritten, and not loaded yet.
    names: FxHashMap<At, Vec<At>>,
    scratch: Scratch,
    texts: Texts,
}

impl Worker {
    fn run(&mut self) {
        while !self.agent.is_dead() && !self.agent.switch.is_ended() && !is_useless(self.agent) {
            if let Ok(class) = self.loaded.try_recv() {
                self.loaded(class);
            } else if !self.makes_one() {
                let Some(class) = self.wait() else { return };
                self.loaded(class);
            }
        }
    }

    /// The next class that is loaded; `None` if the program has started.
    fn wait(&self) -> Option<Loaded> {
        // Whoever loads one class loads more: looking often is cheaper for that thread than waking this one each time.
        let look = if self.agent.ahead.shelf.lock().has_room() { LOOK } else { LOOK_WHEN_FULL };
        let began = Instant::now();
        while began.elapsed() < AWAKE {
            std::thread::sleep(look);
            if let Ok(class) = self.loaded.try_recv() {
                return Some(class);
            }
        }
        self.loaded.recv_timeout(STARTED).ok()
    }

    /// The program has loaded a class: what it names comes next.
    fn loaded(&mut self, Loaded { name, mut bytes }: Loaded) {
        let Some(class) = self.class_path.find(name.as_bytes()) else { return };
        self.guesses.done(class);
        let names = self.names.remove(&class).or_else(|| {
            bytes = bytes.take().or_else(|| self.class_path.bytes(class));
            Some(self.names(bytes.as_deref()?))
        });
        self.guesses.loaded(names.unwrap_or_default());
        bytes.into_iter().for_each(|bytes| self.class_path.recycle(bytes));
    }

    /// Rewrites the next class. Was there any, and room for one more?
    fn makes_one(&mut self) -> bool {
        let Some((class, chance)) = self.guesses.next() else { return false };
        let Some(bytes) = self.class_path.bytes(class) else { return true };
        let names = self.names(&bytes);
        // What would go wrong here may never be loaded.
        let make = || Ready::make(self.agent, &mut self.scratch, &mut self.texts, bytes);
        let Some(ready) = guarded("rewriting ahead", None, make) else { return true };
        count(&self.agent.ahead.made);
        self.names.insert(class, names.clone());
        self.guesses.made(names);
        let mut shelf = self.agent.ahead.shelf.lock();
        let gone = shelf.put(ready);
        let room = chance == Chance::Near || shelf.has_room();
        drop(shelf);
        // Not under the lock.
        drop(gone);
        room
    }

    /// The classes of the class path that a class file names.
    fn names(&mut self, bytes: &[u8]) -> Vec<At> {
        let Self { agent, class_path, .. } = self;
        let named = references(bytes).unwrap_or_default();
        let wanted = named.into_iter().filter(|name| is_foreseen(agent, name));
        wanted.filter_map(|name| class_path.find(name)).collect()
    }
}
