//! Logs that are read as one: their sums in one profile, and what else is known of each.
//!
//! Invariant: no event is kept. A damaged log is read as far as it goes, and a line says so.
//! Source: docs/guide/decoder.md.

use std::fs;
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Read, StdoutLock};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use lucce_decoder::export::{Gathered, Profile};
use lucce_decoder::{Filter, Follow, Log, NotALog, Stats, Unpack, Unpacked};
use lucce_log::glob_matches;

use crate::args::{Choice, Look};
use crate::failure::{Failure, fail, printed, say};
use crate::state::{Lock, State};
use crate::{damage, progress, text};

/// All logs of a command.
pub struct Summed {
    /// Their sums.
    pub profile: Profile,
    /// Each of them, without its events.
    pub logs: Vec<ReplayedLog>,
}

/// One log.
pub struct ReplayedLog {
    /// Its name.
    pub path: PathBuf,
    /// All but its events.
    pub log: Log,
    /// How it stands.
    pub state: State,
    /// What is wrong with it.
    line: Option<String>,
}

impl Summed {
    /// The figures of a log.
    pub fn stats(&self, at: usize) -> Stats {
        Stats::streamed(&self.logs[at].log, self.profile.runs()[at].counts.clone())
    }

    /// Adds a log. So many counted events were left out.
    pub fn add(&mut self, path: &Path, input: Input<'_>, mut gathered: Gathered, prefix: &str) -> Result<u64, String> {
        let lock = input.lock;
        let log = stream(path, input, |log| {
            gathered.take(log);
            ControlFlow::Continue(())
        })?;
        let left_out = gathered.left_out();
        let undecodable = log.loss().undecodable_events().saturating_add(self.profile.add(&log, gathered, prefix));
        let state = State::of(&log, lock);
        let line = damage::told(&log, state, undecodable);
        self.logs.push(ReplayedLog { path: path.into(), log, state, line });
        Ok(left_out)
    }

    /// Prints a view; the exit status, which says also whether a log is damaged.
    pub fn print(&self, view: impl FnOnce(&mut BufWriter<StdoutLock<'_>>) -> Result<(), Failure>) -> ExitCode {
        let mut out = BufWriter::new(io::stdout().lock());
        let shown = view(&mut out);
        let status = match printed(shown, out) {
            Ok(status) => status,
            Err(status) => return status,
        };
        self.say();
        if self.is_damaged() { ExitCode::from(3) } else { status }
    }

    /// Is one of them damaged or cut?
    pub fn is_damaged(&self) -> bool {
        self.logs.iter().any(|log| log.line.is_some() && log.state != State::Written)
    }

    /// Says what is wrong with each.
    pub fn say(&self) {
        for ReplayedLog { path, line, .. } in &self.logs {
            if let Some(line) = line {
                say(&if self.logs.len() > 1 { format!("{}: {line}", path.display()) } else { line.clone() });
            }
        }
    }

    /// A question, if a kind was chosen that no log has.
    pub fn check_kinds(&self, filter: &Filter) -> Result<(), Failure> {
        let missing = filter.kinds.iter().find(|kind| self.logs.iter().all(|log| log.log.kind_id(kind).is_none()));
        let Some(name) = missing else { return Ok(()) };
        let mut kinds: Vec<&str> = Vec::new();
        for kind in self.logs.iter().flat_map(|log| log.log.kinds()) {
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        let known =
            if kinds.is_empty() { "there are no events".into() } else { format!("there is {}", kinds.join(", ")) };
        Err(Failure::Question(format!("no event kind {name}: {known}")))
    }
}

/// Do threads tell sums apart? With origins they always do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    Apart,
    /// Fewer sums: a view that names no thread takes less memory and time.
    Together,
}

/// Reads all logs; an error is one line for the first that cannot be read.
pub fn read(paths: &[PathBuf], choice: &Choice, origins: bool, threads: Threads) -> Result<Summed, String> {
    let together = threads == Threads::Together && !origins;
    gathered(paths, choice, origins, |gathered| if together { gathered.together() } else { gathered })
}

/// The same, with each log gathered as `how` has it.
pub fn gathered(
    paths: &[PathBuf],
    choice: &Choice,
    origins: bool,
    how: impl Fn(Gathered) -> Gathered,
) -> Result<Summed, String> {
    let filter = choice.filter();
    let paths: Vec<PathBuf> = paths.iter().flat_map(|path| expanded(path)).collect();
    let mut all = Summed { profile: Profile::new(origins), logs: Vec::new() };
    let mut left_out = 0_u64;
    for path in &paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let prefix = if paths.len() > 1 { format!("{name}:") } else { String::new() };
        left_out = left_out.saturating_add(all.add(path, Input::open(path)?, how(Gathered::with(&filter)), &prefix)?);
    }
    if left_out > 0 {
        let (events, time) = (text::plural(left_out, "counted event"), filter.asks_for_time());
        say(&format!("{events} left out: sums have no {}", if time { "time" } else { "thread" }));
    }
    Ok(all)
}

/// The bytes of a log.
pub struct Input<'a> {
    bytes: Box<dyn Read + Send + 'a>,
    /// How many; 0 where that is not known.
    length: u64,
    lock: Lock,
    /// Is progress shown?
    watched: bool,
}

impl<'a> Input<'a> {
    /// A file, or the standard input for `-`.
    pub fn open(path: &Path) -> Result<Self, String> {
        if path == Path::new("-") {
            return Ok(Self { bytes: Box::new(io::stdin()), length: 0, lock: Lock::default(), watched: false });
        }
        let file = File::open(path).map_err(|error| unreadable(path, &error))?;
        let length = file.metadata().map_or(0, |file| file.len());
        // Before it is read: who has let go of it by now has written all.
        let lock = Lock::of(&file);
        Ok(Self { bytes: Box::new(file), length, lock, watched: true })
    }

    /// What is in memory.
    pub fn held(bytes: &'a [u8]) -> Self {
        Self { bytes: Box::new(bytes), length: bytes.len() as u64, lock: Lock::default(), watched: true }
    }

    /// No more than its first bytes, while something is printed: progress would stand between its
    /// lines.
    pub fn again(self, most: u64) -> Self {
        let watched = !io::stdout().is_terminal();
        Self { bytes: Box::new(self.bytes.take(most)), length: self.length.min(most), watched, ..self }
    }
}

fn unreadable(path: &Path, error: &io::Error) -> String {
    format!("cannot read {}: {error}", path.display())
}

/// Blocks that are unpacked ahead: enough that neither thread waits for a moment's delay of the
/// other, and few in memory.
const AHEAD: usize = 4;

/// Reads a log block by block; `take` is given it with the events of each block, and says whether
/// that is enough. All but its events. A thread of its own reads and unpacks, ahead of the one that
/// takes.
pub fn stream(path: &Path, input: Input<'_>, mut take: impl FnMut(&Log) -> ControlFlow<()>) -> Result<Log, String> {
    let progress = progress::Progress::new(if input.watched { input.length } else { 0 });
    let mut follow = Follow::new();
    thread::scope(|scope| {
        let (sender, receiver) = sync_channel(AHEAD);
        thread::Builder::new()
            .name("lucce-unpack".into())
            .spawn_scoped(scope, move || {
                if let Err(line) = unpack(path, input, &sender) {
                    // It is not received where enough was taken.
                    let _ = sender.send(Err(line));
                }
            })
            .map_err(|error| format!("cannot start a thread: {error}"))?;
        for unpacked in receiver {
            let (unpacked, done) = unpacked?;
            if take(follow.take(unpacked)).is_break() {
                break;
            }
            progress.at(done);
        }
        Ok::<_, String>(())
    })?;
    progress.finish();
    Ok(follow.taken())
}

/// What goes from the thread that unpacks to the one that takes: a piece, and how many bytes are
/// read.
type Arrived = Result<(Unpacked, u64), String>;

/// Reads and unpacks until the end, or until what is sent is not taken any more.
fn unpack(path: &Path, mut input: Input<'_>, sender: &SyncSender<Arrived>) -> Result<(), String> {
    let none = |error: NotALog| format!("{}: {error}", path.display());
    let (mut unpack, mut chunk, mut done) = (Unpack::new(), Vec::new(), 0);
    loop {
        chunk.resize(unpack.wanted(), 0);
        let read = input.bytes.read(&mut chunk).map_err(|error| unreadable(path, &error))?;
        if read == 0 {
            let _ = sender.send(Ok((unpack.end().map_err(none)?, done)));
            return Ok(());
        }
        done += read as u64;
        unpack.grow(&chunk[..read]);
        while let Some(unpacked) = unpack.step().map_err(none)? {
            if sender.send(Ok((unpacked, done))).is_err() {
                return Ok(());
            }
        }
    }
}

/// Reads all logs and prints a view of their sums; the exit status. `methods`: without --lines,
/// frames are methods.
pub fn view(
    paths: &[PathBuf],
    choice: &Choice,
    look: Look,
    methods: bool,
    threads: Threads,
    view: impl FnOnce(&Summed, &mut BufWriter<StdoutLock<'_>>) -> Result<(), Failure>,
) -> ExitCode {
    let mut all = match read(paths, choice, look.origins, threads) {
        Ok(all) => all,
        Err(line) => return fail(2, &line),
    };
    let (filter, shape) = (choice.filter(), look.shape(methods));
    if filter.asks_for_frames() || shape != Default::default() {
        all.profile.shape(&filter, shape);
    }
    all.print(|out| {
        all.check_kinds(&filter)?;
        view(&all, out)
    })
}

/// The files that a name with `*` or `?` means, in the order of their names. A file of that very
/// name comes first, and alone.
pub fn expanded(path: &Path) -> Vec<PathBuf> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if !name.contains(['*', '?']) || path.exists() {
        return vec![path.into()];
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter(|entry| glob_matches(&name, &entry.file_name().to_string_lossy()));
    let mut found: Vec<PathBuf> = names.map(|entry| path.with_file_name(entry.file_name())).collect();
    found.sort();
    if found.is_empty() { vec![path.into()] } else { found }
}

#[cfg(test)]
mod tests {
    use lucce_log::{BlockBuilder, Header, Owner, Record, encode_header};
    use lucce_words::{NodeId, SiteId, Word};

    use super::*;

    /// Blocks with three events each.
    fn log(blocks: u64) -> Vec<u8> {
        let mut builder = BlockBuilder::new();
        let mut bytes = encode_header(&Header { format: lucce_log::FORMAT, ..Header::default() });
        builder.push(&Record::Kind { id: 1, owner: Owner::Program, name: "mine".into() });
        for block in 0..blocks {
            for nth in 0..3 {
                let (word, site, chain, node) = (Word::NONE, SiteId::UNKNOWN, NodeId(0), NodeId(0));
                let (time_ns, walked) = (block * 3 + nth, [].into());
                builder.push(&Record::Event {
                    time_ns,
                    thread: 1,
                    kind: 1,
                    value: 1,
                    word,
                    site,
                    chain,
                    class: None,
                    walked,
                    node,
                });
            }
            bytes.extend(builder.finish(block));
        }
        bytes
    }

    /// What each block brings, and what is wrong with the whole.
    fn streamed(bytes: &[u8]) -> Result<(Vec<u64>, String), String> {
        let mut seqs = Vec::new();
        let log = stream(Path::new("a.log"), Input::held(bytes), |log| {
            seqs.extend(log.events().iter().map(|event| event.seq));
            ControlFlow::Continue(())
        })?;
        Ok((seqs, format!("{:?} {:?} {}", log.damage(), log.loss(), log.bytes())))
    }

    /// The same on one thread.
    fn read(bytes: &[u8]) -> Result<(Vec<u64>, String), String> {
        let mut seqs = Vec::new();
        let take = |log: &Log, _| seqs.extend(log.events().iter().map(|event| event.seq));
        let log = Log::stream(bytes, take).map_err(|error| format!("a.log: {error}"))?;
        Ok((seqs, format!("{:?} {:?} {}", log.damage(), log.loss(), log.bytes())))
    }

    #[test]
    fn what_another_thread_unpacks_is_what_one_thread_reads() {
        let whole = log(20);
        assert_eq!(streamed(&whole).expect("a log").0, (0..60).collect::<Vec<_>>());
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x55;
            for bytes in [&whole[..at], &damaged] {
                assert_eq!(streamed(bytes), read(bytes), "at {at}");
            }
        }
    }

    /// A log without an end.
    struct Endless(Vec<u8>, usize);

    impl Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let at = self.1 % self.0.len();
            let some = buffer.len().min(self.0.len() - at);
            buffer[..some].copy_from_slice(&self.0[at..at + some]);
            self.1 += some;
            Ok(some)
        }
    }

    #[test]
    fn the_thread_ends_with_the_view_that_has_enough() {
        let endless = Endless(log(20), 0);
        let input = Input { bytes: Box::new(endless), length: 0, lock: Lock::default(), watched: false };
        let mut blocks = 0;
        // It comes back only when the thread has ended.
        let read = stream(Path::new("a.log"), input, |_| {
            blocks += 1;
            if blocks == 10 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert!(read.is_ok() && blocks == 10, "{blocks}");
    }
}
