//! `hot`: which contexts a sampled run enters most, with what certainty.
//!
//! Invariant: the bounds of counters and the interval of sampling are said apart; what only may be
//! hot is never called hot.
//! Source: docs/guide/profiles.md; docs/FORMAT.md, "Profile".

mod tree;

use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;

use lucce_decoder::{Chosen, Contexts, HotContext, Hottest, Interval, Log, Stream, Verdict};
use serde::Serialize;

use crate::args::Format;
use crate::failure::Failure;
use crate::json::JsonFrame;
use crate::plain::plain;
use crate::replayed::Replayed;
use crate::{json, text};

/// Which contexts run most, with bounds.
#[derive(clap::Args, Clone, Debug)]
pub struct HotArgs {
    /// The log of a run with profile
    #[arg(value_name = "LOG")]
    pub log: PathBuf,
    /// A context is hot that has this share of all entries
    #[arg(long, value_name = "SHARE", default_value = "0.01")]
    pub phi: f64,
    /// At most so many
    #[arg(short = 'n', long, value_name = "N")]
    pub top: Option<usize>,
    /// At most N frames of a trace; with --tree at most N levels
    #[arg(long, value_name = "N")]
    pub depth: Option<usize>,
    /// The contexts as a tree, with those that lead to them
    #[arg(long)]
    pub tree: bool,
    /// text, json (one object a line) or collapsed (for flame graphs)
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    pub format: Format,
}

/// Prints them.
pub fn show(replayed: &Replayed, args: &HotArgs, out: &mut impl Write) -> Result<(), Failure> {
    let log = replayed.log();
    let Some(profile) = log.profile() else {
        return Err(Failure::Question("the log has no profile: run the program with profile=10007".into()));
    };
    let mut counts = Vec::new();
    replayed.events(|event| {
        if log.is_sampled_entry(event) {
            counts.push((event.place, event.count));
        }
        Ok(ControlFlow::Continue(()))
    })?;
    let is_first = log.header().is_none_or(|header| header.part == 1);
    let mut contexts = Contexts::new(log);
    let counts = contexts.samples(counts);
    let mut hottest = profile.hottest(counts, args.phi, (is_first, log.chosen()));
    if args.format == Format::Text {
        head(log, &hottest, args.phi, out)?;
    }
    hottest.contexts.truncate(args.top.unwrap_or(usize::MAX));
    if args.tree {
        return tree::show(&hottest, &mut contexts, args, out);
    }
    for (rank, hot) in hottest.contexts.iter().enumerate() {
        let mut trace = contexts.trace(&hot.place);
        match args.format {
            Format::Text => {
                writeln!(out, "{:2}. {}", rank + 1, line(&hottest, hot))?;
                trace.frames.truncate(args.depth.unwrap_or(usize::MAX));
                text::trace(&trace, "    ", out)?;
            }
            Format::Json => {
                let unknown = json::unknown(&trace);
                let mut frames = JsonFrame::all(&trace);
                frames.truncate(args.depth.unwrap_or(usize::MAX));
                json::put(&HotLine::new(hot, frames, unknown), out)?;
            }
            Format::Collapsed => {
                let frames: Vec<String> =
                    trace.frames.iter().rev().map(|frame| plain(&text::method(frame)).into_owned()).collect();
                writeln!(out, "{} {}", frames.join(";"), hot.low * hottest.stream.period.max(1))?;
            }
        }
    }
    Ok(())
}

/// What was sampled and what was not, and whether counters were enough.
fn head(log: &Log, hottest: &Hottest, phi: f64, out: &mut impl Write) -> Result<(), Failure> {
    let Hottest { stream, samples, contexts } = hottest;
    let chosen = log.chosen();
    let &Stream { period, counters, dropped, lost, unseen, .. } = stream;
    let what = match period {
        0 => format!("profile: {}, each the first entry of a thread behind a tick", text::plural(*samples, "sample")),
        1 => format!("profile: {}, each counted", text::plural(*samples, "entry")),
        _ if chosen == Chosen::InBursts => format!(
            "profile: {}, all entries of bursts; shares are of these samples, what lies between bursts is unknown here",
            text::plural(*samples, "sample")
        ),
        _ => {
            format!("profile: {}, about one of {} entries each", text::plural(*samples, "sample"), text::count(period))
        }
    };
    let kept = match unseen {
        0 => "no context has lost its counter, so the numbers of samples are exact".to_owned(),
        _ => format!(
            "the {} counters were not enough for all contexts: one without may have {}",
            text::count(counters),
            text::plural(unseen, "sample")
        ),
    };
    writeln!(out, "{what}; {kept}")?;
    if dropped + lost > 0 {
        writeln!(out, "not counted: {} dropped, {} of unknown contexts", text::count(dropped), text::count(lost))?;
    }
    if chosen != Chosen::All && log.option("entries") != Some("*") {
        writeln!(
            out,
            "not sampled: calls of methods without hooks, as of those that call nothing; entries=<globs> gives them hooks"
        )?;
    }
    let hot = contexts.iter().filter(|hot| hot.verdict == Verdict::Hot).count() as u64;
    let perhaps = contexts.len() as u64 - hot;
    writeln!(out, "with {} % or more: {hot} hot, {perhaps} perhaps\n", phi * 100.0)?;
    Ok(())
}

fn line(hottest: &Hottest, hot: &HotContext) -> String {
    let estimate = hot.low as f64 / hottest.samples.max(1) as f64;
    let mut line = format!("{:.3} %", estimate * 100.0);
    if hot.low < hot.high {
        line += &format!(", counters say {} %", percent(hot.shares.of_samples));
    }
    match (hottest.stream.period, hot.shares.of_entries) {
        (1, _) | (_, None) => {}
        (0, Some(share)) => line += &format!(", of the time {} %", percent(share)),
        (_, Some(share)) => line += &format!(", of all entries {} %", percent(share)),
    }
    format!("{line}: {}, {}", hot.verdict.name(), text::plural(hot.low, "sample"))
}

fn percent(Interval { low, high }: Interval) -> String {
    format!("{:.3} to {:.3}", low * 100.0, high * 100.0)
}

/// The keys of one context.
#[derive(Serialize)]
struct HotLine<'a> {
    verdict: &'static str,
    samples: u64,
    most_samples: u64,
    share_of_samples: [f64; 2],
    /// Null where entries were sampled in bursts.
    share_of_entries: Option<[f64; 2]>,
    frames: Vec<JsonFrame<'a>>,
    unknown: Option<String>,
}

impl<'a> HotLine<'a> {
    fn new(hot: &HotContext, frames: Vec<JsonFrame<'a>>, unknown: Option<String>) -> Self {
        let both = |Interval { low, high }: Interval| [low, high];
        let (verdict, samples, most_samples) = (hot.verdict.name(), hot.low, hot.high);
        let (share_of_samples, share_of_entries) = (both(hot.shares.of_samples), hot.shares.of_entries.map(both));
        Self { verdict, samples, most_samples, share_of_samples, share_of_entries, frames, unknown }
    }
}
