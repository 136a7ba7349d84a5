//! `top`: the largest sums of each kind, with the full traces of contexts.
//!
//! Invariant: each kind has a ranking of its own. Sums of different kinds are never added up.
//! Source: docs/guide/decoder.md.

use std::io::{self, Write};

use lucce_decoder::export::{Holding, collapsed};
use lucce_decoder::{Group, Ranking, Row, ranking};
use serde::Serialize;

use crate::args::{By, Format};
use crate::commands::Top;
use crate::failure::Failure;
use crate::json::{Both, JsonFrame};
use crate::logs::Summed;
use crate::plain::plain;
use crate::{json, text};

/// What is asked for.
pub struct Asked {
    /// So many of each kind; all where it is not said.
    pub top: Option<usize>,
    pub format: Format,
    pub group: Option<By>,
    pub depth: Option<usize>,
    pub lines: bool,
    /// Kinds whose sums say nothing are shown, too: kinds were named.
    pub named: bool,
}

impl Asked {
    /// Of the command.
    pub fn of(args: &Top) -> Self {
        let top = Some(args.top).filter(|_| args.format != Format::Collapsed);
        Self {
            top,
            format: args.format,
            group: args.group,
            depth: args.depth,
            lines: args.look.lines,
            named: !args.choice.kind.is_empty(),
        }
    }
}

#[derive(Serialize)]
struct TopLine<'a> {
    context: &'a str,
    kind: Option<&'a str>,
    value: i128,
    events: u64,
    class: Option<&'a str>,
    frames: Vec<JsonFrame<'a>>,
    unknown: Option<String>,
    owner: Option<&'static str>,
    #[serde(flatten)]
    fingerprints: Both,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    holders: Vec<WaitsForHolder<'a>>,
}

/// Waits for what was held in one context.
#[derive(Serialize)]
struct WaitsForHolder<'a> {
    events: u64,
    value: i128,
    frames: Vec<JsonFrame<'a>>,
    unknown: Option<String>,
}

impl<'a> WaitsForHolder<'a> {
    fn of(all: &'a Summed, holding: &Holding) -> Self {
        let (frames, unknown) = JsonFrame::of_stack(all.profile.stacks(), holding.stack);
        Self { events: holding.count, value: holding.value, frames, unknown }
    }
}

#[derive(Serialize)]
struct GroupLine<'a> {
    group: &'a str,
    kind: Option<&'a str>,
    value: i128,
    events: u64,
    owner: Option<&'static str>,
}

/// Prints the first of each kind.
pub fn show(all: &Summed, asked: &Asked, out: &mut impl Write) -> Result<(), Failure> {
    let profile = &all.profile;
    if asked.format == Format::Collapsed {
        let options = collapsed::CollapsedOptions { lines: asked.lines, top: asked.top, ..Default::default() };
        return Ok(collapsed::write_with(profile, options, out)?);
    }
    let group = asked.group.map_or(Group::Context, Group::from);
    let is_sum = |ranking: &Ranking<'_>| asked.named || !profile.kinds()[ranking.kind].is_of_suspect();
    for ranking in ranking(profile, group).into_iter().filter(is_sum) {
        for (rank, row) in ranking.rows.iter().enumerate().take(asked.top.unwrap_or(usize::MAX)) {
            match (asked.format, group) {
                (Format::Json, _) => json(all, &ranking, row, group, asked, out)?,
                (_, Group::Context) => {
                    writeln!(out, "{}", head(all, &ranking, rank, row))?;
                    let frames = profile.stacks().trace(row.first.stack).take(asked.depth.unwrap_or(usize::MAX));
                    text::stack(frames, "    ", out)?;
                    holders(all, row, asked, out)?;
                }
                _ => writeln!(out, "{} at {}", head(all, &ranking, rank, row), plain(&row.name))?,
            }
        }
    }
    Ok(())
}

/// Holders of what was waited for in one place.
const HOLDERS: usize = 3;

/// Who held most often what was waited for there.
fn holders(all: &Summed, row: &Row<'_>, asked: &Asked, out: &mut impl Write) -> io::Result<()> {
    let holdings = all.profile.holdings(row.first);
    let looked: u64 = holdings.iter().map(|holding| holding.count).sum();
    for holding in holdings.iter().take(HOLDERS) {
        writeln!(
            out,
            "    held by ({} of {looked} looked at, of {})",
            holding.count,
            text::plural(row.events, "wait")
        )?;
        let frames = all.profile.stacks().trace(holding.stack).take(asked.depth.unwrap_or(usize::MAX));
        text::stack(frames, "    ", out)?;
    }
    Ok(())
}

fn json(
    all: &Summed,
    of: &Ranking<'_>,
    row: &Row<'_>,
    group: Group,
    asked: &Asked,
    out: &mut impl Write,
) -> io::Result<()> {
    let profile = &all.profile;
    let kind = Some(&profile.kinds()[of.kind]).filter(|kind| !kind.is_unknown());
    let (label, owner) = (kind.map(|kind| kind.label.as_str()), kind.map(|kind| kind.owner.name()));
    let (value, events) = (row.value, row.events);
    if group != Group::Context {
        return json::put(&GroupLine { group: &row.name, kind: label, value, events, owner }, out);
    }
    let (mut frames, unknown) = JsonFrame::of_stack(profile.stacks(), row.first.stack);
    frames.truncate(asked.depth.unwrap_or(usize::MAX));
    let line = TopLine {
        context: profile.context(row.first),
        kind: label,
        value,
        events,
        class: row.class,
        frames,
        unknown,
        owner,
        fingerprints: profile.fingerprints(row.first).into(),
        holders: profile.holdings(row.first).iter().map(|holding| WaitsForHolder::of(all, holding)).collect(),
    };
    json::put(&line, out)
}

/// One line about a row.
fn head(all: &Summed, of: &Ranking<'_>, rank: usize, row: &Row<'_>) -> String {
    let kind = &all.profile.kinds()[of.kind];
    let class = row.class.map_or_else(String::new, |class| format!(", {}", plain(class)));
    let (value, events) = (text::value(kind.unit(), row.value), text::plural(row.events, "event"));
    let name = if row.name.is_empty() { all.profile.context(row.first) } else { "" };
    let (rank, share) = (rank + 1, of.share(row.value));
    format!("{rank:2}. {name:<6} {share:5.1} % {}: {value} in {events}{class}", plain(&kind.label))
}
