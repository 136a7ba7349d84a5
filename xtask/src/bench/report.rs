//! What people read: the table in the terminal, and the Markdown report with its charts.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use super::configurations;
use super::results::Run;
use super::statistics::Range;
use super::{chart, programs};
use crate::{Result, tree};

/// The table of a run: milliseconds without the agent, then the ratios.
pub fn table(run: &Run) -> String {
    let mut text = format!("{:12}", "program");
    for configuration in run.configurations() {
        let _ = write!(text, " {:>24}", configuration.name);
    }
    text.push('\n');
    for program in &run.programs {
        let _ = write!(text, "{program:12}");
        for configuration in run.configurations() {
            let _ = write!(text, " {:>24}", cell(run, program, configuration));
        }
        text.push('\n');
    }
    let _ = write!(text, "{:12}", "geo. mean");
    for configuration in run.configurations() {
        let _ = write!(text, " {:>24}", mean(run, configuration.name));
    }
    text.push('\n');
    for failure in &run.failures {
        let _ = writeln!(text, "FAILED {failure}");
    }
    text
}

fn cell(run: &Run, program: &str, configuration: &configurations::Configuration) -> String {
    let shown = match configuration.agent {
        None => run.time(program, configuration.name).map(|time| range(time, 1, " ms")),
        Some(_) => run.ratio(program, configuration.name).map(|ratio| range(ratio, 2, "")),
    };
    shown.unwrap_or_else(|| "-".into())
}

fn range(range: Range, digits: usize, unit: &str) -> String {
    let Range { low, middle, high } = range;
    format!("{middle:.digits$}{unit} ({low:.digits$}-{high:.digits$})")
}

fn mean(run: &Run, configuration: &str) -> String {
    run.mean_ratio(configuration).map_or("-".into(), |mean| format!("{mean:.3}"))
}

/// The costs of one event, a column for each depth.
pub fn events_table(run: &Run) -> String {
    let mut text = String::new();
    for (first, rest) in event_rows(run) {
        let _ = write!(text, "{first:22}");
        for cell in rest {
            let _ = write!(text, " {cell:>20}");
        }
        text.push('\n');
    }
    text
}

/// A head, then a row for each kind of event.
fn event_rows(run: &Run) -> Vec<(String, Vec<String>)> {
    let mut depths: Vec<u32> = run.events.iter().map(|event| event.depth).collect();
    depths.sort_unstable();
    depths.dedup();
    let mut names: Vec<&str> = Vec::new();
    for event in &run.events {
        if !names.contains(&event.name.as_str()) {
            names.push(&event.name);
        }
    }
    let cost = |name: &str, depth: u32| {
        let event = run.events.iter().find(|event| event.name == name && event.depth == depth)?;
        Some(format!("{:.2} ± {:.2}", event.nanos, event.error))
    };
    let head = ("ns per event, depth".into(), depths.iter().map(u32::to_string).collect());
    let row = |name: &str| {
        (name.to_owned(), depths.iter().map(|depth| cost(name, *depth).unwrap_or_else(|| "-".into())).collect())
    };
    if names.is_empty() { Vec::new() } else { std::iter::once(head).chain(names.into_iter().map(row)).collect() }
}

/// Writes the charts beside the results of `folder`, and the report: above it where it is the one in `docs`.
///
/// # Errors
/// One line: a file that cannot be read or written, or no results at all.
pub fn write(folder: &Path) -> Result<()> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .map_err(|e| format!("cannot read {}: {e}", folder.display()))?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.starts_with("results-") && name.ends_with(".json")
        })
        .collect();
    files.sort();
    if files.is_empty() {
        return Err(format!("no results in {}: measure first", tree::shown(folder)));
    }
    let runs = files.iter().map(|file| Run::load(file)).collect::<Result<Vec<_>>>()?;
    let published = folder.starts_with(tree::root().join("docs"));
    let (report, prefix) = match folder.parent() {
        Some(above) if published => (above.join("BENCHMARKS.md"), "benchmarks/"),
        _ => (folder.join("BENCHMARKS.md"), ""),
    };
    let save =
        |file: &Path, text: &str| fs::write(file, text).map_err(|e| format!("cannot write {}: {e}", file.display()));
    for run in &runs {
        save(&folder.join(format!("chart-{}.svg", run.jdk)), &chart::svg(run))?;
    }
    save(&report, &markdown(&runs, prefix))?;
    println!("report: {}", tree::shown(&report));
    Ok(())
}

const HEAD: &str = "\
# Benchmarks

What the agent costs. Made by `cargo xtask bench`; every iteration of every fork is in the `results` files beside the charts.

Protocol: for each fork, each program and each configuration in turn, a new JVM runs the program some times; a fork's figure is the median \
of the second half of its iterations. A cell gives the median of the forks and, in brackets, their least and greatest; ratios are to the \
median without the agent. Each program's output is digested and must be the same in every iteration, fork and configuration.
";

const HEAD_DACAPO: &str = "
These programs are those of the official DaCapo jar, by the paper's protocol: default size, 31 iterations in one JVM, the first discarded, \
mean of the others, ratio of means.
";

/// The report of these runs; charts are linked with the prefix.
fn markdown(runs: &[Run], prefix: &str) -> String {
    let mut text = HEAD.to_owned();
    for run in runs {
        let _ = write!(text, "\n## JDK {}\n\n", run.jdk);
        let _ = writeln!(text, "`cargo xtask bench {}`, commit {}.", run.arguments, run.commit);
        let _ = writeln!(text, "{}; {}; flags `{}`.", run.java, run.machine, run.flags.join(" "));
        let (least, most) = run.fork_counts();
        if most > 0 {
            let _ = writeln!(
                text,
                "Forks of each program and configuration: {least} to {most}. Load of the machine before: {:.2}.",
                run.load
            );
        }
        if run.load > 1.0 {
            text += "\n**The machine was busy with other work: these figures mean nothing.**\n";
        }
        if run.dacapo {
            text += HEAD_DACAPO;
        }
        if !run.programs.is_empty() {
            programs_section(&mut text, run, prefix);
        }
        if !run.events.is_empty() {
            text += "\n### The cost of one event\n\nNanoseconds (JMH, average time, ± half of the 99.9 % confidence interval), with Lucce \
                in the JVM; the loop or the path that leads to the event is a row of its own, and in the others too. \"Depth\" counts the frames between JMH and the event.\n\n";
            rows(&mut text, event_rows(run));
        }
        if !run.failures.is_empty() {
            text += "\n### What failed\n\n";
            list(&mut text, run.failures.iter().map(ToString::to_string));
        }
    }
    let shown: Vec<_> =
        configurations::ALL.iter().filter(|c| runs.iter().any(|run| run.configurations().contains(c))).collect();
    if !shown.is_empty() {
        text += "\n## Configurations\n\n";
        list(&mut text, shown.iter().map(|c| format!("`{}`: {}.", c.name, c.what)));
    }
    let ours: Vec<_> = programs::ALL
        .iter()
        .filter(|p| runs.iter().any(|run| !run.dacapo && run.programs.iter().any(|name| name == p.name)))
        .collect();
    if !ours.is_empty() {
        text += "\n## Programs\n\nThe official DaCapo jar is in no registry; these are the same programs, or the nearest that Maven Central has, at pinned versions:\n\n";
        list(&mut text, ours.iter().map(|p| format!("**{}**: {}.", p.name, p.what)));
    }
    text
}

fn programs_section(text: &mut String, run: &Run, prefix: &str) {
    let configurations = run.configurations();
    let _ = write!(text, "\n![Time relative to no agent]({prefix}chart-{}.svg)\n\n", run.jdk);
    let head = ("program".into(), configurations.iter().map(|c| c.name.to_owned()).collect());
    let row = |program: &String| (program.clone(), configurations.iter().map(|c| cell(run, program, c)).collect());
    let last = ("**geometric mean**".into(), configurations.iter().map(|c| mean(run, c.name)).collect());
    rows(text, std::iter::once(head).chain(run.programs.iter().map(row)).chain(std::iter::once(last)));

    *text += "\nLargest resident set in MiB, and the length of the log in KiB (medians):\n\n";
    let shown = |value: Option<f64>, unit: f64| value.map_or("-".into(), |value| format!("{:.0}", value / unit));
    let names = configurations.iter().map(|c| format!("{}, MiB", c.name));
    let logs = configurations.iter().filter(|c| c.agent.is_some()).map(|c| format!("{}, log KiB", c.name));
    let head = ("program".into(), names.chain(logs).collect());
    let row = |program: &String| {
        let memory = configurations.iter().map(|c| shown(run.memory(program, c.name), 1024.0));
        let logs = configurations.iter().filter(|c| c.agent.is_some()).map(|c| shown(run.log(program, c.name), 1024.0));
        (program.clone(), memory.chain(logs).collect())
    };
    rows(text, std::iter::once(head).chain(run.programs.iter().map(row)));
}

fn list(text: &mut String, lines: impl Iterator<Item = String>) {
    lines.for_each(|line| *text += &format!("- {line}\n"));
}

/// A Markdown table; the first row is its head.
fn rows(text: &mut String, rows: impl IntoIterator<Item = (String, Vec<String>)>) {
    for (index, (first, rest)) in rows.into_iter().enumerate() {
        let _ = writeln!(text, "| {first} | {} |", rest.join(" | "));
        if index == 0 {
            let _ = writeln!(text, "|---|{}", "---:|".repeat(rest.len()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run() -> Run {
        Run::empty().with(&[("h2", "none", &[1.0, 10.0]), ("h2", "lucce", &[1.0, 15.0]), ("h2", "lucce", &[1.0, 17.0])])
    }

    #[test]
    fn the_table_gives_times_without_the_agent_and_ratios_with_it() {
        let table = table(&run());
        assert!(table.contains("10.0 ms (10.0-10.0)"), "{table}");
        assert!(table.contains("1.60 (1.50-1.70)"), "{table}");
        assert!(table.lines().last().unwrap().ends_with("1.600"), "{table}");
    }

    #[test]
    fn the_report_warns_of_a_busy_machine_and_names_what_was_run() {
        let mut busy = run();
        busy.load = 5.0;
        let text = markdown(&[busy], "benchmarks/");
        for part in [
            "mean nothing",
            "(benchmarks/chart-17.svg)",
            "| h2 | 10.0 ms (10.0-10.0) | 1.60 (1.50-1.70) |",
            "H2 2.2.224",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!markdown(&[run()], "").contains("mean nothing"));
    }
}
