//! Logs that are read as one: their sums in one profile, and what else is known of each.
//!
//! Invariant: no event is kept. A damaged log is read as far as it goes, and a line says so.
//! Source: docs/guide/decoder.md.

use std::fs;
use std::fs::File;
use std::io::{self, BufWriter, Read, StdoutLock};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use lucce_decoder::export::{Gathered, Profile};
use lucce_decoder::{Filter, Follow, Log, NotALog, Stats};
use lucce_log::glob_matches;

use crate::args::{Choice, Look};
use crate::state::{Lock, State};
use crate::{Failure, damage, fail, progress, say, text};

/// All logs of a command.
pub struct Summed {
    /// Their sums.
    pub profile: Profile,
    /// Each of them, without its events.
    pub logs: Vec<Known>,
}

/// One log.
pub struct Known {
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

    /// Is one of them damaged or cut?
    pub fn is_damaged(&self) -> bool {
        self.logs.iter().any(|log| log.line.is_some() && log.state != State::Written)
    }

    /// Says what is wrong with each.
    pub fn say(&self) {
        for Known { path, line, .. } in &self.logs {
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
        let mut gathered = how(Gathered::with(&filter));
        let (lock, log) = stream(path, |log| gathered.take(log))?;
        left_out = left_out.saturating_add(gathered.left_out());
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let prefix = if paths.len() > 1 { format!("{name}:") } else { String::new() };
        let undecodable = log.loss().undecodable_events().saturating_add(all.profile.add(&log, gathered, &prefix));
        let state = State::of(&log, lock);
        let line = damage::told(&log, state, undecodable);
        all.logs.push(Known { path: path.clone(), log, state, line });
    }
    if left_out > 0 {
        let (events, time) = (text::plural(left_out, "counted event"), filter.asks_for_time());
        say(&format!("{events} left out: sums have no {}", if time { "time" } else { "thread" }));
    }
    Ok(all)
}

/// Reads a log piece by piece; `take` is given it with the events of each piece. What its lock said before, and all but its events.
fn stream(path: &Path, mut take: impl FnMut(&Log)) -> Result<(Lock, Log), String> {
    let unreadable = |error: io::Error| format!("cannot read {}: {error}", path.display());
    let none = |error: NotALog| format!("{}: {error}", path.display());
    let (lock, mut input, length): (Lock, Box<dyn Read>, u64) = if path == Path::new("-") {
        (Lock::default(), Box::new(io::stdin().lock()), 0)
    } else {
        let file = File::open(path).map_err(unreadable)?;
        let length = file.metadata().map_or(0, |file| file.len());
        // Before it is read: who has let go of it by now has written all.
        (Lock::of(&file), Box::new(file), length)
    };
    let progress = progress::Progress::new(length);
    let (mut follow, mut chunk, mut done) = (Follow::new(), Vec::new(), 0);
    loop {
        chunk.resize(follow.wanted(), 0);
        let read = input.read(&mut chunk).map_err(unreadable)?;
        if read == 0 {
            break;
        }
        if let Some(log) = follow.grow(&chunk[..read]).map_err(none)? {
            take(log);
        }
        done += read as u64;
        progress.at(done);
    }
    progress.finish();
    Ok((lock, follow.finish().map_err(none)?))
}

/// Reads all logs and prints a view of their sums; the exit status. `methods`: without --lines, frames are methods.
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
    let mut out = BufWriter::new(io::stdout().lock());
    let shown = all.check_kinds(&filter).and_then(|()| view(&all, &mut out));
    let status = match crate::printed(shown, out) {
        Ok(status) => status,
        Err(status) => return status,
    };
    all.say();
    if all.is_damaged() { ExitCode::from(3) } else { status }
}

/// The files that a name with `*` or `?` means, in the order of their names. A file of that very name comes first, and alone.
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
