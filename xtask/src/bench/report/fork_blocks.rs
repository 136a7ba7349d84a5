//! The sections made of forks: time, CPU, memory, the log, and what the agent counted.

use std::collections::BTreeSet;

use super::super::configurations::{Configuration, Loaded};
use super::super::part::{DENSE, Part};
use super::super::results::Memory;
use super::super::section::Section;
use super::super::threads::THREADS;
use super::block::{Block, or_dash, range, row};
use super::share_blocks;

/// Figures of the log that are shown as what the agent counted: those whose names begin so.
const COUNTED: [&str; 5] = ["slow.", "graph.", "stall.", "versions.", "cct."];

/// All blocks of a section.
pub fn of(part: Part<'_>, section: Section) -> Vec<Block> {
    if part.programs().is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![ratios(part, section)];
    if matches!(section, Section::Startup | Section::Threads) {
        let time = |program: &str, c: &Configuration| part.time(program, c.name).map(|time| range(time, 1, ""));
        blocks.push(by_configuration(part, "Milliseconds:", |_| true, time));
    }
    if section == Section::Startup {
        return blocks;
    }
    if section == Section::Threads {
        blocks.push(growth(part));
    }
    if section == Section::Settled {
        blocks.push(share_blocks::until_settled(part));
    }
    blocks.push(cpu(part));
    blocks.extend(share_blocks::shares(part));
    blocks.extend(memory(part));
    let has_log = |c: &Configuration| matches!(c.loaded, Loaded::Agent(_));
    let kib =
        |program: &str, c: &Configuration| part.log(program, c.name).map(|bytes| format!("{:.0}", bytes / 1024.0));
    blocks.push(by_configuration(part, "Length of the log in KiB (medians):", has_log, kib));
    let kinds =
        |name: &str| format!("Bytes of the log of `{name}` by kind of record, before compression, in its first fork:");
    blocks.extend(first_forks(part, kinds, |name| name.strip_prefix("record_bytes.")));
    let counted = |name: &str| format!("What `{name}` counted in its first fork, the whole life of the JVM:");
    let is_counter = |name: &&str| COUNTED.iter().any(|begin| name.starts_with(begin));
    blocks.extend(first_forks(part, counted, |name| Some(name).filter(is_counter)));
    blocks
}

/// A row for each program, a column for each configuration that `of` takes.
pub fn by_configuration(
    part: Part<'_>,
    text: &str,
    of: impl Fn(&Configuration) -> bool,
    cell: impl Fn(&str, &Configuration) -> Option<String>,
) -> Block {
    let configurations: Vec<_> = part.configurations().into_iter().filter(|c| of(c)).collect();
    let mut rows = vec![row("program", configurations.iter().map(|c| c.name.to_owned()))];
    for program in part.programs() {
        rows.push(row(program, configurations.iter().map(|c| or_dash(cell(program, c)))));
    }
    Block { text: text.into(), rows }
}

/// Time without the agent, then ratios, and their geometric means.
fn ratios(part: Part<'_>, section: Section) -> Block {
    let cell = |program: &str, c: &Configuration| {
        if c.name == part.base() {
            part.time(program, c.name).map(|time| range(time, 1, " ms"))
        } else {
            part.ratio(program, c.name).map(|ratio| range(ratio, 2, ""))
        }
    };
    let text = format!(
        "Wall time of an iteration with `{}`, and the ratios of the others to it. A ratio is over as many iterations of both:",
        part.base()
    );
    let mut block = by_configuration(part, &text, |_| true, cell);
    if !section.is_of_programs() {
        return block;
    }
    let mean = |name: &str, of: &dyn Fn(&str) -> bool| {
        let cell = |c: &&Configuration| {
            let mean = part.mean_ratio(c.name, of).filter(|_| c.name != part.base());
            mean.map_or_else(String::new, |mean| format!("{mean:.3}"))
        };
        row(name, part.configurations().iter().map(cell))
    };
    block.rows.push(mean("**geometric mean**", &|_| true));
    if part.programs().into_iter().any(|program| part.is_dense(program)) {
        let name = format!("**of those above {:.0} million calls/s**", DENSE / 1e6);
        block.rows.push(mean(&name, &|program| part.is_dense(program)));
    }
    if part.programs().into_iter().any(|program| part.calls_per_second(program).is_some()) {
        block.text = format!(
            "Calls are those of the application's methods and constructors in a second without the agent. Their exact number in an \
             iteration comes from a JVM of its own that counts. The time is that of JVMs that do not count. {}",
            block.text
        );
        for row in &mut block.rows {
            let calls = part.calls_per_second(&row[0]).map_or_else(String::new, |calls| format!("{:.0}", calls / 1e6));
            row.insert(1, calls);
        }
        block.rows[0][1] = "million calls/s".into();
    }
    block
}

/// How time grows with the number of threads: without the agent, and then whether it grows more.
fn growth(part: Part<'_>) -> Block {
    let [one, more @ ..] = THREADS;
    let alone =
        |program: &str| Some(format!("{}{one}", more.iter().find_map(|threads| program.strip_suffix(threads))?));
    let cell = |program: &str, c: &Configuration| {
        let alone = alone(program)?;
        let of = |configuration: &str| part.growth(&alone, program, configuration);
        let base = of(part.base())?;
        let growth = if c.name == part.base() { base } else { of(c.name)?.over(base.middle) };
        Some(range(growth, 2, ""))
    };
    let text = format!(
        "Time of an iteration by that of the same with one thread in the same JVM, with `{}`; and how many times as much it grows with the others. A \
         slowdown that grows with the number of threads is above 1 here:",
        part.base()
    );
    let mut block = by_configuration(part, &text, |_| true, cell);
    let head = block.rows[0].clone();
    block.rows.retain(|row| *row == head || alone(&row[0]).is_some());
    block
}

/// CPU time, by which a machine with other work is recognised.
fn cpu(part: Part<'_>) -> Block {
    let cell = |program: &str, c: &Configuration| {
        if c.name == part.base() {
            part.cpu(program, c.name).map(|cpu| format!("{:.1} ms", cpu.middle))
        } else {
            part.cpu_ratio(program, c.name).map(|ratio| format!("{:.2}", ratio.middle))
        }
    };
    let text = "CPU time of the process in the same form, all threads of the JVM included. It is the mean over the iterations that count. \
        The last column is wall time by CPU time without the agent. It rises above 1 where other work held the program up.";
    let mut block = by_configuration(part, text, |_| true, cell);
    for row in block.rows.iter_mut().skip(1) {
        let base = part.base();
        let wall = part.time(&row[0], base).zip(part.cpu(&row[0], base)).filter(|(_, cpu)| cpu.middle > 0.0);
        row.push(or_dash(wall.map(|(wall, cpu)| format!("{:.2}", wall.middle / cpu.middle))));
    }
    block.rows[0].push("wall/CPU".into());
    block
}

/// One figure of memory, in KiB.
type Figure = fn(&Memory) -> u64;

fn memory(part: Part<'_>) -> Vec<Block> {
    let figures: [(&str, Figure); 3] = [
        ("Resident memory outside the Java heap at the end, MiB (medians): code, metadata and the agent's own:", |m| {
            m.native
        }),
        ("Live Java heap at the end, MiB:", |m| m.heap),
        (
            "Largest resident set, MiB; how much of the heap of fixed size is ever touched is the collector's choice:",
            |m| m.peak,
        ),
    ];
    let block = |(text, figure): (&str, Figure)| {
        let mib = |program: &str, c: &Configuration| {
            part.memory(program, c.name, figure).map(|kib| format!("{:.1}", kib / 1024.0))
        };
        by_configuration(part, text, |_| true, mib)
    };
    figures.map(block).into()
}

/// Figures of the log of the first fork, a table for each configuration with our agent: those that
/// `column` gives a heading.
fn first_forks(part: Part<'_>, text: impl Fn(&str) -> String, column: impl Fn(&str) -> Option<&str>) -> Vec<Block> {
    let mut blocks = Vec::new();
    for configuration in part.configurations() {
        let of = |program: &str| part.figures(program, configuration.name);
        let names: BTreeSet<&String> = part
            .programs()
            .into_iter()
            .filter_map(of)
            .flatten()
            .filter(|(name, value)| column(name).is_some() && **value > 0)
            .map(|(name, _)| name)
            .collect();
        if names.is_empty() {
            continue;
        }
        let mut rows = vec![row("program", names.iter().filter_map(|name| column(name)).map(str::to_owned))];
        for program in part.programs() {
            let value = |name: &&String| or_dash(of(program).and_then(|all| all.get(*name)).map(ToString::to_string));
            rows.push(row(program, names.iter().map(value)));
        }
        blocks.push(Block { text: text(configuration.name), rows });
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::super::super::results::Run;
    use super::*;

    #[test]
    fn call_rates_and_counters_are_shown_where_they_are_known() {
        let mut run = Run::empty().with(&[("h2", "no-agent", &[1.0, 10.0]), ("h2", "lucce", &[1.0, 16.0])]);
        let text = |run: &Run| -> String {
            of(Part::of(run, Section::Programs), Section::Programs).iter().map(Block::terminal).collect()
        };
        assert!(!text(&run).contains("million calls/s"));
        run.calls.insert("h2".into(), 1_000_000);
        run.forks[1].figures = [("slow.looks", 77), ("blocks", 3), ("record_bytes.cut_number", 4711)]
            .map(|(name, n)| (name.to_owned(), n))
            .into();
        let text = text(&run);
        for part in ["of those above 50 million calls/s", "slow.looks", "77", "1.600", "  cut_number", "4711"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("blocks"));
    }
}
