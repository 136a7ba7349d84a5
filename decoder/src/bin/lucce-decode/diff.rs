//! `lucce-decode diff OLD NEW`: what changed from one run to another.
//!
//! Invariant: the first line is the context that grew most. A broken rule names its contexts and
//! ends with status 1.
//! Source: docs/guide/decoder.md, "What changed".

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use lucce_decoder::diff::{Broken, ContextChange, Difference, Join, KindChanges, Per, Rule, Side, Sums, diff};
use lucce_decoder::export::{Profile, Stacks};
use lucce_decoder::{Kind, Own, Shape, TraceFrame, Unit};
use serde::Serialize;

use crate::args::{Choice, ReportFormat};
use crate::failure::fail;
use crate::json::JsonFrame;
use crate::logs::{Summed, Threads};
use crate::plain::plain;
use crate::{fold, json, logs, text};

const MORE: &str = "\
Sums are compared by kind, class and context, and those that grew most come first. A context of one run is the
same in the other if the methods on its stack have the same names (numbers as in $$Lambda or $Proxy5 left out);
with --exact, if the bytecode indices are the same, too.

RULE is KIND.count>+N, KIND.count>+N%, the same with KIND.value (bytes, nanoseconds, or what the program counts),
or new:KIND, which forbids contexts that OLD does not have.

Exit status: 0 no rule is broken, 1 a rule is broken or there is nothing to divide by, 2 not Lucce logs, 3 a damaged or cut log.";

/// Says what changed from one run to another.
#[derive(Debug, Parser)]
#[command(after_help = MORE)]
pub struct DiffArgs {
    /// The log to compare with, or several as in 'old-*.log'
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// The later log
    #[arg(value_name = "NEW")]
    new: PathBuf,
    /// Divides the sums of each run: second, or a method (a glob of class.method) whose calls both
    /// runs have counted with entries=
    #[arg(long, value_name = "second|METHOD")]
    per: Option<String>,
    /// Joins contexts by their exact frames
    #[arg(long)]
    exact: bool,
    /// Ends with status 1 if this is so; may be given several times
    #[arg(long, value_name = "RULE")]
    fail_on: Vec<Rule>,
    /// At most N contexts of each kind that grew, and N that shrank; text has 10 by default
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// N frames at most of each trace [default: to the last one of the program's own, where many
    /// follow]
    #[arg(long, value_name = "N")]
    depth: Option<usize>,
    #[command(flatten)]
    choice: Choice,
    /// text or json (one object)
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    format: ReportFormat,
}

/// Both runs, and what they differ in.
struct Runs<'a> {
    profiles: [&'a Profile; 2],
    difference: &'a Difference,
    per: &'a Per,
    own: Own,
    depth: Option<usize>,
}

/// Compares; the exit status.
pub fn run(args: &DiffArgs) -> ExitCode {
    let read = |path: &PathBuf| read(path, &args.choice);
    let (old, new) = match (read(&args.old), read(&args.new)) {
        (Ok(old), Ok(new)) => (old, new),
        (Err(line), _) | (_, Err(line)) => return fail(2, &line),
    };
    let damaged = old.is_damaged() || new.is_damaged();
    let own = Own::of(old.logs.iter().chain(&new.logs).map(|log| &log.log));
    let (old, new) = (old.profile, new.profile);
    let per = match args.per.as_deref() {
        None => Per::Run,
        Some("second") => Per::Second,
        Some(method) => Per::Method(method.into()),
    };
    let join = if args.exact { Join::Exact } else { Join::Names };
    let mut difference = match diff(&old, &new, join, &per) {
        Ok(difference) => difference,
        Err(line) => return fail(1, &line),
    };
    // Of a kind that was not chosen it is not known that nothing has happened.
    let chosen = &args.choice.kind;
    difference.kinds.retain(|of| chosen.is_empty() || chosen.iter().any(|text| of.kind.is_meant_by(text)));
    let runs = Runs { profiles: [&old, &new], difference: &difference, per: &per, own, depth: args.depth };
    let broken: Vec<(&Rule, Broken<'_>)> =
        args.fail_on.iter().filter_map(|rule| Some((rule, rule.check(&difference)?))).collect();
    let mut out = BufWriter::new(io::stdout().lock());
    let printed = match args.format {
        ReportFormat::Text => runs.text(args.top.unwrap_or(10), &broken, &mut out),
        ReportFormat::Json => runs.json(args.top.unwrap_or(usize::MAX), args.exact, &broken, &mut out),
    };
    match printed.and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => _ = out.into_parts(),
        Err(error) => return fail(1, &format!("cannot write: {error}")),
        Ok(()) => {}
    }
    ExitCode::from(match (damaged, broken.is_empty()) {
        (true, _) => 3,
        (false, false) => 1,
        (false, true) => 0,
    })
}

/// One run, as it is chosen.
fn read(path: &PathBuf, choice: &Choice) -> Result<Summed, String> {
    let mut all = logs::read(std::slice::from_ref(path), choice, false, Threads::Together)?;
    all.say();
    let filter = choice.filter();
    if filter.asks_for_frames() {
        all.profile.shape(&filter, Shape::default());
    }
    Ok(all)
}

impl Runs<'_> {
    fn text(&self, top: usize, broken: &[(&Rule, Broken<'_>)], out: &mut impl Write) -> io::Result<()> {
        for kind in &self.difference.kinds {
            let units = self.difference.units;
            let (grown, shrunk): (Vec<&ContextChange>, Vec<&ContextChange>) =
                kind.changes.iter().partition(|change| change.has_grown(units));
            let shown = if kind.is_comparable() { top } else { 0 };
            for change in grown.iter().take(shown).chain(shrunk.iter().rev().take(shown)) {
                self.change(&kind.kind, change, out)?;
            }
            let more = [(grown.len(), "grew"), (shrunk.len(), "shrank")].map(|(all, what)| {
                let more = all.saturating_sub(top) as u64;
                if more > 0 { format!("{} more {what}. ", text::plural(more, "context")) } else { String::new() }
            });
            writeln!(out, "{}{}", more.concat(), self.total(kind))?;
        }
        if self.difference.kinds.is_empty() {
            writeln!(out, "no events in either run")?;
        }
        for (rule, broken) in broken {
            writeln!(out, "broken: {}", self.reason(rule, broken))?;
            for change in broken.contexts.iter().take(top) {
                if let Some(kind) = broken.kind {
                    writeln!(out, "  {}", self.head(&kind.kind, change))?;
                }
            }
        }
        Ok(())
    }

    /// One change: a line, and the rest of its frames.
    fn change(&self, kind: &Kind, change: &ContextChange, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{}", self.head(kind, change))?;
        let Some(shown) = &change.shown else { return Ok(()) };
        let mut frames: Vec<TraceFrame<'_>> = self.stacks(shown.side).trace(shown.stack).collect();
        let folded = fold::fold(&mut frames, self.depth, &self.own);
        text::stack(frames.into_iter().skip(1), "    ", out)?;
        fold::remark(folded, "    ", out)
    }

    fn stacks(&self, side: Side) -> &Stacks {
        self.profiles[side as usize].stacks()
    }

    fn head(&self, kind: &Kind, change: &ContextChange) -> String {
        let by = self.grown(kind.unit(), change.sums);
        let what = match (change.is_new(), change.is_gone()) {
            (true, _) => ", new".into(),
            (_, true) => ", gone".into(),
            _ => self.percent(change.sums),
        };
        let class = change.class.as_deref().map_or_else(String::new, |class| format!(" of {}", plain(class)));
        let shown = change.shown.as_ref();
        let top = shown.and_then(|shown| self.stacks(shown.side).trace(shown.stack).next());
        let top = top.map_or_else(|| "[no frame]".into(), |top| text::frame(&top));
        format!("{}{class}: {by}{what} at {top}", plain(&kind.label))
    }

    /// `+12.0 KiB in +3 events`, for each second or call if that was asked.
    fn grown(&self, unit: Unit, sums: [Sums; 2]) -> String {
        let value = self.by(unit, sums.map(|sums| sums.value));
        let count = self.by(Unit::Count, sums.map(|sums| i128::from(sums.count)));
        let per = self.per_text();
        if value == count { format!("{count} events{per}") } else { format!("{value} in {count} events{per}") }
    }

    fn per_text(&self) -> String {
        match self.per {
            Per::Run => String::new(),
            Per::Second => " a second".into(),
            Per::Method(glob) => format!(" a call of {}", plain(glob)),
        }
    }

    /// By how much, with a sign.
    fn by(&self, unit: Unit, [old, new]: [i128; 2]) -> String {
        let text = match self.per {
            Per::Run => text::value(unit, new.saturating_sub(old)),
            _ => text::rate(unit, self.rate(1, new) - self.rate(0, old)),
        };
        if text.starts_with('-') { text } else { format!("+{text}") }
    }

    fn amount(&self, unit: Unit, side: usize, sum: i128) -> String {
        match self.per {
            Per::Run => text::value(unit, sum),
            _ => text::rate(unit, self.rate(side, sum)),
        }
    }

    fn rate(&self, side: usize, sum: i128) -> f64 {
        let units = self.difference.units[side] as f64;
        sum as f64 / if *self.per == Per::Second { units / 1e9 } else { units }
    }

    fn percent(&self, sums: [Sums; 2]) -> String {
        let [old, new] = [0, 1].map(|side| {
            let Sums { count, value } = sums[side];
            self.rate(side, if value == 0 { i128::from(count) } else { value })
        });
        if old > 0.0 { format!(", {:+.1} %", 100.0 * (new - old) / old) } else { String::new() }
    }

    /// One line about a kind.
    fn total(&self, of: &KindChanges) -> String {
        let label = plain(&of.kind.label);
        if !of.is_comparable() {
            let which = if of.recorded[0] { "new" } else { "old" };
            let sources = of.kind.sources().join(", ");
            return format!("{label}: not compared, the {which} run did not record it (option {sources} of the agent)");
        }
        let estimated = match of.estimated {
            [false, false] => "",
            [true, true] => ", estimated from samples",
            [true, false] => ", in the old run estimated from samples",
            [false, true] => ", in the new run estimated from samples",
        };
        let amount = |side: usize| {
            let Sums { count, value } = of.sums[side];
            let count = format!("{} events", self.amount(Unit::Count, side, count.into()));
            let value = self.amount(of.kind.unit(), side, value);
            if count == format!("{value} events") { count } else { format!("{value} in {count}") }
        };
        let per = self.per_text();
        if of.changes.is_empty() {
            let same = text::plural(of.same as u64, "context");
            return format!("{label}: no difference, {}{per} in {same}{estimated}", amount(1));
        }
        let count = |is: &dyn Fn(&&ContextChange) -> bool| of.changes.iter().filter(is).count();
        let units = self.difference.units;
        let (new, gone) = (count(&|change| change.is_new()), count(&|change| change.is_gone()));
        let grown = count(&|change| change.has_grown(units) && !change.is_new() && !change.is_gone());
        let shrunk = of.changes.len() - new - gone - grown;
        let percent = self.percent(of.sums);
        format!(
            "{label}: {} -> {}{per}{percent}; contexts: {new} new, {gone} gone, {grown} grown, {shrunk} shrunk, {} the same{estimated}",
            amount(0),
            amount(1),
            of.same,
        )
    }

    fn reason(&self, rule: &Rule, broken: &Broken<'_>) -> String {
        let text = plain(&rule.to_string()).into_owned();
        match broken.kind {
            None => format!("{text}: neither run has events of this kind"),
            Some(kind) if !kind.is_comparable() => format!("{text}: {}", self.total(kind)),
            Some(_) => format!("{text}: by {}", text::plural(broken.contexts.len() as u64, "context")),
        }
    }
}

#[derive(Serialize)]
struct DiffReport<'a> {
    joined_by: &'static str,
    per: Option<&'a str>,
    /// Nanoseconds, or calls; null where nothing is divided.
    units: Option<[i128; 2]>,
    kinds: Vec<KindLine<'a>>,
    broken: Vec<BrokenLine>,
}

#[derive(Serialize)]
struct KindLine<'a> {
    kind: &'a str,
    owner: &'static str,
    recorded: [bool; 2],
    estimated: [bool; 2],
    old: Pair,
    new: Pair,
    same: usize,
    changes: Vec<ChangeLine<'a>>,
}

#[derive(Serialize)]
struct Pair {
    count: u64,
    value: i128,
}

#[derive(Serialize)]
struct ChangeLine<'a> {
    change: &'static str,
    class: Option<&'a str>,
    old: Pair,
    new: Pair,
    fingerprint: String,
    context: Option<&'a str>,
    of: Option<&'static str>,
    frames: Vec<JsonFrame<'a>>,
    unknown: Option<String>,
}

#[derive(Serialize)]
struct BrokenLine {
    rule: String,
    compared: bool,
    contexts: Vec<String>,
}

impl From<Sums> for Pair {
    fn from(Sums { count, value }: Sums) -> Self {
        Self { count, value }
    }
}

impl Runs<'_> {
    fn json(&self, top: usize, exact: bool, broken: &[(&Rule, Broken<'_>)], out: &mut impl Write) -> io::Result<()> {
        let broken = broken.iter().map(|(rule, broken)| BrokenLine {
            rule: rule.to_string(),
            compared: broken.kind.is_some_and(KindChanges::is_comparable),
            contexts: broken.contexts.iter().map(|change| change.fingerprint.to_string()).collect(),
        });
        let report = DiffReport {
            joined_by: if exact { "fingerprint" } else { "fingerprint_of_names" },
            per: match self.per {
                Per::Run => None,
                Per::Second => Some("second"),
                Per::Method(glob) => Some(glob),
            },
            units: (*self.per != Per::Run).then_some(self.difference.units),
            kinds: self.difference.kinds.iter().map(|kind| self.kind_line(kind, top)).collect(),
            broken: broken.collect(),
        };
        json::put(&report, out)
    }

    fn kind_line<'a>(&'a self, of: &'a KindChanges, top: usize) -> KindLine<'a> {
        let units = self.difference.units;
        let (grown, shrunk): (Vec<&ContextChange>, Vec<&ContextChange>) =
            of.changes.iter().partition(|change| change.has_grown(units));
        let shown = grown.into_iter().take(top).chain(shrunk.into_iter().rev().take(top));
        KindLine {
            kind: &of.kind.label,
            owner: of.kind.owner.name(),
            recorded: of.recorded,
            estimated: of.estimated,
            old: of.sums[0].into(),
            new: of.sums[1].into(),
            same: of.same,
            changes: shown.map(|change| self.change_line(change)).collect(),
        }
    }

    fn change_line<'a>(&'a self, change: &'a ContextChange) -> ChangeLine<'a> {
        let shown = change.shown.as_ref();
        let (frames, unknown) =
            shown.map(|shown| JsonFrame::of_stack(self.stacks(shown.side), shown.stack)).unwrap_or_default();
        ChangeLine {
            change: match (change.is_new(), change.is_gone(), change.has_grown(self.difference.units)) {
                (true, ..) => "new",
                (_, true, _) => "gone",
                (.., true) => "grown",
                (.., false) => "shrunk",
            },
            class: change.class.as_deref(),
            old: change.sums[0].into(),
            new: change.sums[1].into(),
            fingerprint: change.fingerprint.to_string(),
            context: shown.map(|shown| shown.context.as_str()),
            of: shown.map(|shown| if shown.side == Side::Old { "old" } else { "new" }),
            frames,
            unknown,
        }
    }
}
