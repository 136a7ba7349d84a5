//! `lucce-decode export LOG... -o FILE`: the sums of logs in a format that other tools read.
//!
//! Invariant: several logs are one. A damaged log is exported as far as it can be read, and the
//! exit status says so.
//! Source: docs/guide/decoder.md, "Other tools".

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use lucce_decoder::Shape;
use lucce_decoder::export::{Profile, collapsed, jfr, otlp, pprof, speedscope};

use crate::args::{Choice, Logs, Look};
use crate::failure::{fail, say};
use crate::logs::Threads;
use crate::plain::plain;
use crate::{logs, text};

const MORE: &str = "\
FORMAT is taken from the ending of FILE:
  jfr         .jfr               JDK Mission Control, jfr, async-profiler's converter
  pprof       .pb.gz, .pprof     go tool pprof, Pyroscope, Parca; a file for each kind of events
  speedscope  .json              speedscope.app
  otlp        .otlp              OpenTelemetry's collector (ProfilesData, protobuf)
  collapsed   .collapsed, .txt   flame graph scripts

In a JFR file an allocation or a wait is a sum, with the weight or duration of all events in the context;
exceptions and samples of the processor are as many as were logged. The events lucce.* have number and sum,
context and origin of each context.

A pprof file holds one kind of events. With --kind it is FILE. Otherwise the name of each kind is put before
the ending: -o app.pb.gz writes app.alloc.pb.gz, app.exception.pb.gz and so on. The files written are printed.

Exit status: 0 complete logs, 1 no events, no such kind or the output cannot be written, 2 not Lucce logs, 3 a damaged or cut log.";

/// Writes the sums of one or several logs, by context, class, thread and origin, for other tools.
#[derive(Debug, Parser)]
#[command(after_help = MORE)]
pub struct ExportArgs {
    #[command(flatten)]
    logs: Logs,
    /// The file to write; - is the standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// The format, if the ending does not say it
    #[arg(long, value_name = "FORMAT", value_enum)]
    format: Option<Format>,
    #[command(flatten)]
    choice: Choice,
    #[command(flatten)]
    look: Look,
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A recording of JDK Flight Recorder.
    Jfr,
    /// Google's, compressed.
    Pprof,
    /// JSON.
    Speedscope,
    /// OpenTelemetry's.
    Otlp,
    /// `outermost;...;innermost value`.
    Collapsed,
}

/// Endings and what they mean; the first that fits counts.
const ENDINGS: [(&str, Format); 8] = [
    (".jfr", Format::Jfr),
    (".pb.gz", Format::Pprof),
    (".pprof", Format::Pprof),
    (".json", Format::Speedscope),
    (".otlp", Format::Otlp),
    (".collapsed", Format::Collapsed),
    (".folded", Format::Collapsed),
    (".txt", Format::Collapsed),
];

/// Exports; the exit status.
pub fn run(args: &ExportArgs) -> ExitCode {
    let Some(format) = args.format.or_else(|| ending(&args.output).map(|(_, format)| format)) else {
        return fail(2, "the ending of the file names no format: name it with --format");
    };
    let mut all = match logs::read(&args.logs.logs, &args.choice, args.look.origins, Threads::Apart) {
        Ok(all) => all,
        Err(line) => return fail(2, &line),
    };
    all.say();
    let (filter, shape) = (args.choice.filter(), args.look.shape(false));
    if filter.asks_for_frames() || shape != Shape::default() {
        all.profile.shape(&filter, shape);
    }
    let damaged = all.is_damaged();
    let done = match all.check_kinds(&filter) {
        Err(crate::failure::Failure::Question(line)) => Err(ExportFailure::Question(line)),
        _ => write(&all.profile, args, format),
    };
    end(done, damaged)
}

/// The exit status of a file that was written, or was not, which is printed.
pub fn end(done: Result<(), ExportFailure>, damaged: bool) -> ExitCode {
    match done {
        Err(ExportFailure::Question(line)) => _ = fail(1, &line),
        Err(ExportFailure::Output(path, error))
            if path == Path::new("-") && error.kind() == io::ErrorKind::BrokenPipe =>
        {
            return ExitCode::from(if damaged { 3 } else { 0 });
        }
        Err(ExportFailure::Output(path, error)) => {
            return fail(1, &format!("cannot write {}: {error}", path.display()));
        }
        Ok(()) if !damaged => return ExitCode::SUCCESS,
        Ok(()) => {}
    }
    // The damage may have taken the answer.
    ExitCode::from(if damaged { 3 } else { 1 })
}

/// Why nothing was written.
pub enum ExportFailure {
    /// The question has no answer in these logs.
    Question(String),
    /// A file cannot be written.
    Output(PathBuf, io::Error),
}

fn write(profile: &Profile, args: &ExportArgs, format: Format) -> Result<(), ExportFailure> {
    // One kind that was chosen is the file that was named.
    let kind = (args.choice.kind.len() == 1 && profile.kinds().len() == 1).then_some(0);
    if profile.sums().is_empty() {
        return Err(ExportFailure::Question("no events to export".into()));
    }
    match (format, kind) {
        (Format::Pprof, None) => {
            if args.output == Path::new("-") && profile.kinds().len() > 1 {
                let names: Vec<&str> = profile.kinds().iter().map(|kind| kind.label.as_str()).collect();
                return Err(ExportFailure::Question(format!(
                    "pprof has one kind in a file: choose one of {}",
                    names.join(", ")
                )));
            }
            let mut taken = HashSet::new();
            for (kind, name) in profile.kinds().iter().enumerate() {
                let path = path_of(&args.output, &name.label, &mut taken);
                to(&path, |out| pprof::write(profile, kind, out))?;
            }
            Ok(())
        }
        (Format::Pprof, Some(kind)) => to(&args.output, |out| pprof::write(profile, kind, out)),
        (Format::Jfr, kind) => to(&args.output, |out| jfr::write(profile, kind, out)),
        (Format::Speedscope, kind) => {
            let mut negative = 0;
            to(&args.output, |out| {
                negative = speedscope::write(profile, kind, out)?;
                Ok(())
            })?;
            if negative > 0 {
                say(&format!("{} left out: speedscope has no negative weights", text::plural(negative, "sum")));
            }
            Ok(())
        }
        (Format::Otlp, kind) => to(&args.output, |out| otlp::write(profile, kind, out)),
        (Format::Collapsed, kind) => {
            let options = collapsed::CollapsedOptions { kind, lines: args.look.lines, ..Default::default() };
            to(&args.output, |out| collapsed::write_with(profile, options, out))
        }
    }
}

/// Writes a file and says so, or to the standard output.
pub fn to(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), ExportFailure> {
    let failure = |error| ExportFailure::Output(path.to_owned(), error);
    if path == Path::new("-") {
        let mut out = BufWriter::new(io::stdout().lock());
        return write(&mut out).and_then(|()| out.flush()).map_err(failure);
    }
    let mut out = BufWriter::new(File::create(path).map_err(failure)?);
    write(&mut out).and_then(|()| out.flush()).map_err(failure)?;
    // A closed output takes nothing away from the file.
    let _ = writeln!(io::stdout(), "{}", plain(&path.display().to_string()));
    Ok(())
}

/// The ending of a file that names a format.
fn ending(path: &Path) -> Option<(&'static str, Format)> {
    let name = path.file_name()?.to_str()?;
    ENDINGS.into_iter().find(|(ending, _)| name.ends_with(ending))
}

/// The file of a kind: its name before the ending. `taken` has those of other kinds.
fn path_of(path: &Path, kind: &str, taken: &mut HashSet<PathBuf>) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let ending = ending(path).map_or("", |(ending, _)| ending);
    let stem = name.strip_suffix(ending).unwrap_or(&name);
    let kept = |each: char| if each.is_alphanumeric() || "._-".contains(each) { each } else { '_' };
    let kind: String = kind.chars().take(LONGEST).map(kept).collect();
    let numbers = std::iter::once(String::new()).chain((2..).map(|number| format!("-{number}")));
    let mut paths = numbers.map(|number| path.with_file_name(format!("{stem}.{kind}{number}{ending}")));
    // Never without end: each of the few names that are taken is passed over once.
    let free = paths.find(|path| taken.insert(path.clone()));
    free.unwrap_or_else(|| path.to_owned())
}

/// Most characters of a kind in the name of a file: a name may have 255 bytes, and a character
/// takes 4.
const LONGEST: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_a_file_of_its_own_named_after_it() {
        let mut taken = HashSet::new();
        let mut named = |path: &str, kind: &str| path_of(Path::new(path), kind, &mut taken).display().to_string();
        assert_eq!(named("a/app.pb.gz", "alloc"), "a/app.alloc.pb.gz");
        assert_eq!(named("app.pprof", "my kind/../x"), "app.my_kind_.._x.pprof");
        assert_eq!(named("app.pprof", "my_kind_.._x"), "app.my_kind_.._x-2.pprof");
        assert_eq!(named("app", "größe"), "app.größe");
    }
}
