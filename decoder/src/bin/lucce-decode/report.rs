//! `lucce-decode report LOG... -o FILE`: one HTML file with the sums of logs, to look at in a
//! browser.
//!
//! Invariant: several logs are one. A damaged log is shown as far as it can be read, and the exit
//! status says so.
//! Source: docs/guide/report.md.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use lucce_decoder::Shape;
use lucce_decoder::export::Gathered;
use lucce_decoder::report::Report;

use crate::args::{Choice, Logs};
use crate::export::{ExportFailure, end, to};
use crate::failure::fail;
use crate::logs::{self, Summed};

const MORE: &str = "\
The file needs no network and no server: open it in a browser.

Exit status: 0 complete logs, 1 no events, no counted calls or the output cannot be written, 2 not Lucce logs, 3 a damaged or cut log.";

/// Writes an HTML file that shows the sums of one or several logs: graphs, tables, a timeline, and
/// what has changed since other logs.
#[derive(Debug, Parser)]
#[command(after_help = MORE)]
pub struct ReportArgs {
    #[command(flatten)]
    logs: Logs,
    /// The file to write; - is the standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// A log of an older run to compare with; may be given several times, all are one
    #[arg(long, value_name = "OLD")]
    base: Vec<PathBuf>,
    /// Divides the sums of both runs by the counted calls of these methods (entries=): a glob over
    /// class.method, com.acme.Api.handle
    #[arg(long, value_name = "METHOD", requires = "base")]
    per: Option<String>,
    #[command(flatten)]
    choice: Choice,
}

/// Writes the report; the exit status.
pub fn run(args: &ReportArgs) -> ExitCode {
    let read = |logs: &[PathBuf]| {
        let all = logs::gathered(logs, &args.choice, true, Gathered::timed)?;
        all.say();
        Ok::<Summed, String>(all)
    };
    let (mut new, mut base) = match read(&args.logs.logs).and_then(|new| Ok((new, read(&args.base)?))) {
        Ok(read) => read,
        Err(line) => return fail(2, &line),
    };
    let done = write(args, &mut new, &mut base);
    end(done, new.is_damaged() || base.is_damaged())
}

fn write(args: &ReportArgs, new: &mut Summed, base: &mut Summed) -> Result<(), ExportFailure> {
    let filter = args.choice.filter();
    if let Err(crate::failure::Failure::Question(line)) = new.check_kinds(&filter) {
        return Err(ExportFailure::Question(line));
    }
    if filter.asks_for_frames() {
        [&mut *new, &mut *base].into_iter().for_each(|all| all.profile.shape(&filter, Shape::default()));
    }
    let base = (!args.base.is_empty()).then_some(&base.profile);
    let report = Report { new: &new.profile, base, per: args.per.as_deref() };
    report.check().map_err(ExportFailure::Question)?;
    to(&args.output, |out| report.write(out))
}
