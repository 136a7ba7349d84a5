//! `--follow`: each event as it comes, from a log that is being written.
//!
//! Invariant: the events of a file are printed in file order, each once; at the end of a file that
//! was rotated it goes on in the next. A next file is one of the same run with a higher number.
//! Ends at the end of the log, on SIGINT, when nobody reads any more, and when the process that
//! wrote was seen and is gone, or has let go of the file.
//! Source: docs/guide/production.md.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use lucce_decoder::{Filter, Follow, Log, Refusal};

use crate::args::Format;
use crate::events::Printing;
use crate::source::Source;
use crate::state::Lock;
use crate::writer::Writer;
use crate::{damage, text};

/// How long a log whose process is gone may be silent: what that has written is there, but on file
/// systems of other hosts.
const SILENCE: Duration = Duration::from_secs(3);
/// Within so many bytes of a log its header ends (docs/FORMAT.md, "Header").
const HEADER: u64 = 16 + (1 << 20);
/// Within so many it does unless somebody has given very long options.
const PIECE: usize = 64 << 10;

/// Why it ended before the log did.
pub enum FollowFailure {
    /// The log cannot be read, or is none.
    Log(String),
    /// The output failed.
    Output(io::Error),
}

impl From<io::Error> for FollowFailure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// Where the log goes on.
enum End {
    Here,
    Next(PathBuf),
    /// Nowhere: its process is gone without having ended it.
    Gone,
}

/// What is known across files.
#[derive(Default)]
struct FollowedRun {
    /// Places that could not be read.
    damaged: u64,
    /// The process, once a header was read.
    writer: Option<Writer>,
}

/// Prints events until the end. One line if something could not be read, or the end is none.
pub fn show(
    log: &Path,
    filter: &Filter,
    format: Format,
    out: &mut impl Write,
) -> Result<Option<String>, FollowFailure> {
    let stop = Arc::new(AtomicBool::new(false));
    // Where signals cannot be had, SIGINT ends the process as it always does.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGINT, Arc::clone(&stop));
    let (mut path, mut run) = (log.to_owned(), FollowedRun::default());
    let gone = loop {
        match file(&path, (filter, format), &stop, &mut run, out)? {
            End::Next(next) => path = next,
            end => break matches!(end, End::Gone),
        }
    };
    let gone = gone.then(|| match refused(&path) {
        Some(Refusal { ended: true, dropped }) => {
            format!("log without its end: the disk was full, {} dropped", text::plural(dropped, "event"))
        }
        _ => "cut log, no end record: the process that wrote it is gone".to_owned(),
    });
    let damage = (run.damaged > 0).then(|| format!("{} could not be read", text::plural(run.damaged, "place")));
    Ok([gone, damage].into_iter().flatten().reduce(|gone, damage| format!("{gone}; {damage}")))
}

/// Follows one file.
fn file(
    path: &Path,
    asked: (&Filter, Format),
    stop: &AtomicBool,
    run: &mut FollowedRun,
    out: &mut impl Write,
) -> Result<End, FollowFailure> {
    let unreadable = |error: io::Error| FollowFailure::Log(format!("cannot read {}: {error}", path.display()));
    let mut source = Source::open(path).map_err(unreadable)?;
    let place = place(path);
    let (mut follow, mut told) = (Follow::new(), (0, 0));
    let mut gone: Option<Instant> = None;
    while !stop.load(Ordering::Relaxed) {
        let read = source.read().map_err(unreadable)?;
        if read.is_empty() {
            if source.has_shrunk() {
                source.seek(follow.shrink()).map_err(unreadable)?;
            }
            if (run.writer.as_ref().is_some_and(Writer::is_gone) || is_let_go(path, &follow))
                && gone.get_or_insert_with(Instant::now).elapsed() >= SILENCE
            {
                unusable(&follow, path, run);
                return Ok(End::Gone);
            }
            continue;
        }
        gone = None;
        let log = follow.grow(read).map_err(|error| FollowFailure::Log(format!("{}: {error}", path.display())))?;
        let Some(log) = log else { continue };
        run.writer.get_or_insert_with(|| Writer::of(log.header()));
        print(log, asked, out)?;
        tell(log, path, &mut told, run);
        if log.ended() || log.meets_another() {
            break;
        }
    }
    unusable(&follow, path, run);
    // Where it was interrupted nothing was said of a next one.
    let next = follow.log().and_then(Log::next).map(str::to_owned);
    Ok(next.and_then(|next| goes_on(&place, &next, &follow, &mut run.damaged)).map_or(End::Here, End::Next))
}

/// Has the writer let go of this file?
fn is_let_go(path: &Path, follow: &Follow) -> bool {
    // A pipe has no lock, and to open it would wait.
    std::fs::metadata(path).is_ok_and(|file| file.is_file())
        && File::open(path).is_ok_and(|file| Lock::of(&file).is_written(follow.header()) == Some(false))
}

/// What the disk has refused, as the first block says it by now.
fn refused(path: &Path) -> Option<Refusal> {
    let mut piece = Vec::new();
    std::fs::metadata(path).ok().filter(|file| file.is_file())?;
    File::open(path).ok()?.take(PIECE as u64).read_to_end(&mut piece).ok()?;
    Follow::new().grow(&piece).ok()??.refusal().cloned()
}

/// Says what is newly damaged; so many places and blocks were told before.
fn tell(log: &Log, path: &Path, told: &mut (usize, u64), run: &mut FollowedRun) {
    for damage in &log.damage()[told.0..] {
        // The traces of what follows say what they lack.
        crate::failure::say(&format!("{}: {damage}", path.display()));
        run.damaged += 1;
    }
    let blocks = log.loss().malformed - told.1;
    if blocks > 0 {
        let which = text::plural(blocks, "block");
        crate::failure::say(&format!("{}: {which} unusable behind what is no record", path.display()));
        run.damaged += blocks;
    }
    *told = (log.damage().len(), log.loss().malformed);
}

/// Says what else of a file was lost. Where it is damaged that is a matter of course, and a
/// keyframe may mend it up to the end.
fn unusable(follow: &Follow, path: &Path, run: &mut FollowedRun) {
    let Some(log) = follow.log().filter(|log| log.damage().is_empty() && log.loss().malformed == 0) else { return };
    let events = log.loss().undecodable_events();
    let events = (events > 0).then(|| format!("{} undecodable", text::plural(events, "event")));
    let lost: Vec<String> = damage::unusable(log.loss()).chain(events).collect();
    if !lost.is_empty() {
        crate::failure::say(&format!("{}: {}", path.display(), lost.join("; ")));
        run.damaged += 1;
    }
}

fn print(log: &Log, (filter, format): (&Filter, Format), out: &mut impl Write) -> io::Result<()> {
    let mut printing = Printing::new(log, filter);
    log.events().iter().try_for_each(|event| printing.event(event, format, out))?;
    out.flush()
}

/// The log goes on beside the file, not beside a link to it; nor where a descriptor has its name.
fn place(path: &Path) -> PathBuf {
    // The name that was given is the better one to tell.
    let link = std::fs::symlink_metadata(path).is_ok_and(|given| given.is_symlink());
    let regular = link && std::fs::metadata(path).is_ok_and(|file| file.is_file());
    let place = regular.then(|| std::fs::canonicalize(path).ok());
    // It may have been deleted since it was opened.
    place.flatten().unwrap_or_else(|| path.to_owned())
}

/// The file named `next`; or where that was deleted or renamed before we came to it, the oldest
/// later one of the same run. Its header says which it is, not its name; so the files that are
/// followed are of one run, each later than the one before, and come to an end.
fn goes_on(path: &Path, next: &str, follow: &Follow, damaged: &mut u64) -> Option<PathBuf> {
    let next = path.with_file_name(next);
    let later = |path: &Path| {
        let (header, run) = (follow.header()?, begin(path)?);
        (run.0 == header.run_id && run.1 > header.part).then_some(run.1)
    };
    if later(&next).is_some() {
        return Some(next);
    }
    *damaged += 1;
    let why = if next.exists() { "is not the next file of this run" } else { "was deleted before it was read" };
    crate::failure::say(&format!("{} {why}", next.display()));
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let files = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    files.filter_map(|path| Some((later(&path)?, path))).min().map(|(_, path)| path)
}

/// Run and number of a file.
fn begin(path: &Path) -> Option<(u64, u32)> {
    // Not a pipe, which would make us wait.
    std::fs::metadata(path).ok().filter(|file| file.is_file())?;
    let mut file = File::open(path).ok()?.take(HEADER);
    let (mut follow, mut chunk) = (Follow::new(), vec![0; PIECE]);
    while follow.header().is_none() {
        let read = file.read(&mut chunk).ok().filter(|&read| read > 0)?;
        follow.grow(&chunk[..read]).ok()?;
    }
    follow.header().map(|header| (header.run_id, header.part))
}
