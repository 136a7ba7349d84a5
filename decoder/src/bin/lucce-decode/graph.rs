//! `--graph --version V`: the call graph as that version numbered it.
//!
//! Invariant: every number of every method is in exactly one of the lines printed.
//! Source: Lucce section 2 (numCC, av); docs/design/words-and-numbering.md ("Numbering");
//! docs/FORMAT.md, "Numbering".

use std::collections::BTreeMap;
use std::io::{self, Write};

use lucce_decoder::{EdgeState, History, Log, NumberRange};
use lucce_words::{EdgeId, MethodId, SiteId, Version, is_appended, within_part};

use crate::failure::Failure;
use crate::plain::plain;
use crate::text;

/// Prints each method with its sizes, and under it the edges that enter it with their numbers.
pub fn show(log: &Log, version: Option<u32>, out: &mut impl Write) -> Result<(), Failure> {
    if let Some(paper) = log.paper() {
        return show_paper(log, paper, version, out);
    }
    let last = log.graph().version();
    let version = version.map_or(last, Version);
    if version < Version::FIRST || version > last {
        return Err(Failure::Question(format!("no version {version}: there are 1 to {last}")));
    }
    let mut into: BTreeMap<MethodId, Vec<EdgeId>> = BTreeMap::new();
    for (id, edge) in log.graph().edges() {
        into.entry(edge.callee).or_default().push(id);
    }
    let (methods, edges) = (into.len() as u64, into.values().map(Vec::len).sum::<usize>() as u64);
    let (methods, edges) = (text::plural(methods, "method"), text::plural(edges, "edge"));
    writeln!(out, "version {version} of {last}: {methods} entered by {edges}")?;
    for (&method, edges) in &into {
        let ranges: Vec<NumberRange> = log.graph().ranges(method, version).collect();
        writeln!(out, "{}  #{method}{}", method_name(log, method), sizes(&ranges))?;
        for &edge in edges {
            one_edge(log, edge, &ranges, out)?;
        }
    }
    Ok(())
}

/// The graph of Algorithm 1: numCC and lv of each method, av of each edge.
fn show_paper(log: &Log, paper: &History<u64>, version: Option<u32>, out: &mut impl Write) -> Result<(), Failure> {
    let last = paper.version();
    let version = version.map_or(last, Version);
    if version > last {
        return Err(Failure::Question(format!("no version {version}: there are 0 to {last}")));
    }
    let into = log.methods().into_iter().map(|method| (method, paper.incoming(method, version).collect::<Vec<_>>()));
    let into: BTreeMap<MethodId, Vec<_>> = into.filter(|(_, edges)| !edges.is_empty()).collect();
    let (methods, edges) = (into.len() as u64, into.values().map(Vec::len).sum::<usize>() as u64);
    let (methods, edges) = (text::plural(methods, "method"), text::plural(edges, "edge"));
    writeln!(out, "version {version} of {last}: {methods} entered by {edges}")?;
    for (&method, edges) in &into {
        let (name, contexts) = (method_name(log, method), paper.contexts(method, version));
        let called = paper.last_version(method, version);
        let called = called.map_or_else(String::new, |version| format!(", lv {version}"));
        writeln!(out, "{name}  #{method}, numCC {contexts}{called}")?;
        for &(site, _) in edges {
            let value = paper.addition_value(site, method, version);
            let value = value.map_or_else(|| "?".into(), |value| value.to_string());
            writeln!(out, "  <- {}  site {site}, av {value}", site_name(log, site))?;
        }
    }
    Ok(())
}

fn one_edge(log: &Log, id: EdgeId, ranges: &[NumberRange], out: &mut impl Write) -> io::Result<()> {
    let Some(edge) = log.graph().edge(id) else {
        return Ok(());
    };
    let state = match edge.state {
        EdgeState::Ordered => "",
        EdgeState::Cut => ", cut",
        EdgeState::Unrolled => ", unrolled",
    };
    writeln!(out, "  <- {}  edge {id}, site {}{state}", site_name(log, edge.site), edge.site)?;
    for range in ranges.iter().filter(|range| range.edge == id) {
        let to = numbers(range.base, range.len);
        let restoring = if range.restoring { ", restoring" } else { "" };
        match range.source {
            Some(lo) => writeln!(out, "       {} -> {to}{restoring}", numbers(lo, range.len))?,
            None => writeln!(out, "       cut -> {to}")?,
        }
    }
    let via = log.via(id);
    if via.is_empty() { Ok(()) } else { writeln!(out, "       via {}", plain(&via.join(", "))) }
}

/// How many numbers the method has in its block of the line, and late.
fn sizes(ranges: &[NumberRange]) -> String {
    let mut sizes = String::new();
    for late in [false, true] {
        let part = ranges.iter().filter(|range| is_appended(range.base) == late);
        let size: u128 = part.map(|range| u128::from(range.len)).sum();
        if size > 0 {
            sizes += &format!(", {} {size}", part_name(late));
        }
    }
    sizes
}

/// Numbers counted from the beginning of their part.
fn numbers(first: u64, len: u64) -> String {
    let within = within_part(first);
    format!("{} {within}..{}", part_name(is_appended(first)), u128::from(within) + u128::from(len))
}

const fn part_name(late: bool) -> &'static str {
    if late { "late" } else { "block" }
}

fn method_name(log: &Log, id: MethodId) -> String {
    let Some(method) = log.names().method(id) else {
        return if id == MethodId::ROOT { "thread base".into() } else { "unknown method".into() };
    };
    let class = log.names().class(method.class).map_or("unknown class", |class| &*class.name);
    plain(&format!("{class}.{}{}", method.name, method.desc)).into_owned()
}

fn site_name(log: &Log, id: SiteId) -> String {
    let Some((site, method, class)) = log.names().place(id) else {
        return if id == SiteId::ROOT { "thread base".into() } else { "unknown site".into() };
    };
    let line = site.line.map_or_else(String::new, |line| format!(":{line}"));
    let file = class.source.as_deref().unwrap_or("Unknown Source");
    plain(&format!("{}.{}({file}{line}) @{}", class.name, method.name, site.bci.0)).into_owned()
}
