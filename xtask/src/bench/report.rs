//! What people read: the tables in the terminal, and the Markdown report with its charts. Both are
//! made of the same blocks.

mod block;
mod event_blocks;
mod fork_blocks;
mod rewriting_blocks;
mod share_blocks;
mod source_blocks;

use std::fmt::Write;
use std::fs;
use std::path::Path;

pub use self::block::Block;
use super::part::Part;
use super::results::{About, How, Run};
use super::section::Section;
use super::{chart, configurations, decoder, machine, programs};
use crate::{Result, tree};

/// The blocks of a section, for the terminal; what failed at the end.
pub fn terminal(run: &Run, section: Section) -> String {
    let mut text: String = blocks(run, section).iter().map(Block::terminal).collect();
    for failure in run.failures.iter().filter(|failure| failure.section() == section) {
        let _ = writeln!(text, "FAILED {failure}");
    }
    text
}

fn blocks(run: &Run, section: Section) -> Vec<Block> {
    match section {
        Section::Programs
        | Section::Encoders
        | Section::Sampled
        | Section::Settled
        | Section::Startup
        | Section::Threads
        | Section::Recursion => fork_blocks::of(Part::of(run, section), section),
        Section::Sources => source_blocks::of(Part::of(run, section)),
        Section::Rewriting => rewriting_blocks::of(run),
        Section::Events => event_blocks::of(run),
    }
}

/// Writes the charts beside the results of `folder`, and the report: above it where it is the one
/// in `docs`.
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
    save(&report, &(markdown(&runs, prefix) + &decoder::markdown(folder)))?;
    println!("report: {}", tree::shown(&report));
    Ok(())
}

const HEAD: &str = "\
# Benchmarks

What the agent costs. Made by `cargo xtask bench`; every iteration of every fork is in the `results` files beside the charts.

Protocol: for each fork, each program and each configuration in turn, a new JVM runs the program some times; a fork's figure is the median \
of the second half of its iterations or, where the JIT is waited for, of those behind that moment. A cell gives the median of the forks \
and, in brackets, their least and greatest; ratios are to the median without the agent. Each program's output is digested and must be the same in every iteration, fork and configuration. \
*Stolen meanwhile* are the processors, on average, that had work and that the host lent to other machines; where it is not stated, nobody looked. \
Sections, and programs measured again, may be of different machines, as each states: compare within one. \
A `*` behind a commit: tracked files differed from it when the section began, be it only the results of the section before.
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
        let _ = writeln!(text, "{}; flags `{}`.", run.java, run.flags.join(" "));
        if !run.unavailable.is_empty() {
            text += "\nNot available:\n\n";
            list(&mut text, run.unavailable.iter().map(|(name, reason)| format!("`{name}`: {reason}.")));
        }
        for section in Section::ALL {
            one_section(&mut text, run, section, prefix);
        }
        if !run.failures.is_empty() {
            text += "\n### What failed\n\n";
            list(&mut text, run.failures.iter().map(ToString::to_string));
        }
    }
    let used = |name: &str| runs.iter().any(|run| run.forks.iter().any(|fork| fork.configuration == name));
    let shown: Vec<_> = configurations::all().filter(|c| used(c.name)).collect();
    if !shown.is_empty() {
        text += "\n## Configurations\n\n";
        list(&mut text, shown.iter().map(|c| format!("`{}`: {}.", c.name, c.what)));
    }
    let ran = |run: &Run, name: &str| !run.dacapo && Part::of(run, Section::Programs).programs().contains(&name);
    let ours: Vec<_> = programs::ALL.iter().filter(|p| runs.iter().any(|run| ran(run, p.name))).collect();
    if !ours.is_empty() {
        text += "\n## Programs\n\nThe official DaCapo jar is not on Maven Central; these are the same programs, or the nearest that are, at pinned versions:\n\n";
        list(&mut text, ours.iter().map(|p| format!("**{}**: {}.", p.name, p.what)));
    }
    text
}

fn one_section(text: &mut String, run: &Run, section: Section, prefix: &str) {
    let Some(about) = run.sections.get(&section) else { return };
    let blocks = blocks(run, section);
    if blocks.is_empty() {
        return;
    }
    let _ = write!(text, "\n### {}\n\n", title(section));
    commands(text, Part::of(run, section), about);
    if section == Section::Programs {
        if run.dacapo {
            *text += HEAD_DACAPO;
        }
        let _ = writeln!(text, "\n![Time relative to no agent]({prefix}chart-{}.svg)", run.jdk);
    }
    blocks.iter().for_each(|block| *text += &block.markdown());
}

/// The commands that measured the section, on what, and how many forks there are of each.
fn commands(text: &mut String, part: Part<'_>, about: &About) {
    let programs = part.programs();
    let (again, first): (Vec<&str>, Vec<&str>) = programs.iter().partition(|program| about.is_again(program));
    if again.is_empty() || !first.is_empty() {
        command(text, "", &about.how, part.fork_counts(&first));
    }
    for again in &about.again {
        let names: Vec<&str> = again.programs.iter().map(String::as_str).collect();
        *text += "\n";
        command(
            text,
            &format!("Measured again since, **{}**: ", names.join("**, **")),
            &again.how,
            part.fork_counts(&names),
        );
    }
}

fn command(text: &mut String, what: &str, how: &How, (least, most): (usize, usize)) {
    let forks =
        if most > 0 { format!(" Forks of each program and configuration: {least} to {most}.") } else { String::new() };
    let commands: Vec<_> = std::iter::once(&how.arguments)
        .chain(&how.resumed)
        .map(|arguments| format!("`{}`", format!("cargo xtask bench {arguments}").trim_end()))
        .collect();
    let stolen = how.stolen.filter(|_| how.minutes > 0.0);
    let _ = writeln!(
        text,
        "{what}{}, commit {}, on {}; {:.0} minutes; processors busy before: {:.2}{}.{forks}",
        commands.join(", then "),
        how.commit,
        how.machine,
        how.minutes,
        how.load,
        stolen.map_or_else(String::new, |stolen| format!(", stolen meanwhile: {:.2}", stolen / how.minutes))
    );
    if how.load > machine::BUSY {
        *text += "\n**The machine was busy with other work: these figures mean nothing.**\n";
    }
}

fn title(section: Section) -> &'static str {
    match section {
        Section::Programs => "Programs",
        Section::Encoders => "Encoders, and what needs the word of every activation",
        Section::Sampled => "Profiles, and sampled allocations",
        Section::Settled => "Programs, once the JIT has settled",
        Section::Startup => "Start-up",
        Section::Threads => "Threads and deep stacks",
        Section::Recursion => "Recursion",
        Section::Sources => "Event sources",
        Section::Rewriting => "Rewriting",
        Section::Events => "The cost of one event",
    }
}

fn list(text: &mut String, lines: impl Iterator<Item = String>) {
    lines.for_each(|line| *text += &format!("- {line}\n"));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run() -> Run {
        Run::empty().with(&[
            ("h2", "no-agent", &[1.0, 10.0]),
            ("h2", "lucce", &[1.0, 15.0]),
            ("h2", "lucce", &[1.0, 17.0]),
        ])
    }

    #[test]
    fn the_terminal_shows_times_without_the_agent_and_ratios_with_it() {
        let text = terminal(&run(), Section::Programs);
        for part in ["10.0 ms (10.0-10.0)", "1.60 (1.50-1.70)", "1.600"] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn the_report_warns_of_a_busy_machine_and_names_what_was_run() {
        let mut busy = run();
        let how = &mut busy.sections.get_mut(&Section::Programs).unwrap().how;
        how.load = 5.0;
        how.resumed.push("--a --resume".into());
        (how.minutes, how.stolen) = (2.0, Some(0.5));
        busy.unavailable.insert("encoder=x".into(), "none such".into());
        let text = markdown(&[busy], "benchmarks/");
        for part in [
            "mean nothing",
            "`cargo xtask bench --a`, then `cargo xtask bench --a --resume`, commit c, on M; 2 minutes; processors busy before: 5.00, stolen meanwhile: 0.25.",
            "(benchmarks/chart-17.svg)",
            "10.0 ms (10.0-10.0) | 1.60 (1.50-1.70) |",
            "`encoder=x`: none such.",
            "A `*` behind a commit",
            "H2 2.2.224",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!markdown(&[run()], "").contains("mean nothing"));
    }

    #[test]
    fn the_report_states_each_command_with_the_programs_that_are_of_it() {
        let mut run = run().with(&[("fop", "no-agent", &[1.0, 4.0])]);
        let about = run.sections.get_mut(&Section::Programs).unwrap();
        let how = How { arguments: "--again".into(), commit: "d".into(), ..about.how.clone() };
        about.again(&["fop".into()], how.clone());
        let text = markdown(&[run], "");
        let first = "\n`cargo xtask bench --a`, commit c, on M; 1 minutes; processors busy before: 0.00. \
            Forks of each program and configuration: 1 to 2.\n";
        let again = "\nMeasured again since, **fop**: `cargo xtask bench --again`, commit d, on M; 1 minutes; processors busy before: 0.00. \
            Forks of each program and configuration: 1 to 1.\n";
        assert!(text.contains(first) && text.contains(again), "{text}");
        let mut run = self::run();
        run.sections.get_mut(&Section::Programs).unwrap().again(&["h2".into()], how);
        let text = markdown(&[run], "");
        assert!(text.contains("\nMeasured again since, **h2**") && !text.contains("commit c,"), "{text}");
    }
}
