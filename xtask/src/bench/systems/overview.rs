//! How a section was made, the traces, and the table of all encoders.
//!
//! Invariant: what was not measured is named as such; costs come from the results of
//! `cargo xtask bench`, with their JDK.

use std::fmt::Write;

use lucce_profiles::trace::Ending;

use super::super::configurations::ALL_HOOKS;
use super::super::part::Part;
use super::super::report::Block;
use super::super::results::{self, Run};
use super::super::section::Section;
use super::relations::compared;
use super::replay::{Compared, EVERY};
use super::{BenchProgram, Measured, RUNS, SystemsOptions, machine, programs};
use crate::{Result, tree};

/// By what command, of what, and where a section was made.
pub fn made_by(options: &SystemsOptions) -> String {
    format!(
        "Made by `cargo xtask bench {}` at commit {}, on {}, load {:.1} at the end.\n",
        options.text.trim(),
        machine::commit(),
        machine::name(),
        machine::load(),
    )
}

/// How a section was made, and how honest it can be.
pub fn made(options: &SystemsOptions, broken: &[String]) -> String {
    let names = |of: &[&BenchProgram]| of.iter().map(|program| program.name).collect::<Vec<_>>().join(", ");
    let mut text = made_by(options);
    text += &format!(
        "Of {} of {} programs ({}) at most {} entries each were replayed.\n",
        options.programs.len(),
        programs::ALL.len(),
        names(&options.programs),
        options.entries
    );
    if options.has_encoders() {
        let _ = writeln!(text, "Of the encoders' words one in {EVERY} was decoded, and its whole path compared.");
    }
    if options.has("lucce") && options.runs < RUNS {
        let _ = writeln!(
            text,
            "Time is that of {} runs in place of {RUNS}: on a busy machine that says little. \
             The protocol of the paper wants 31 runs in a row, the first dropped, and the mean of the other 30.",
            options.runs
        );
    }
    if !options.is_whole() {
        text += "**So this is a part of the evaluation.**\n";
    }
    match broken {
        [] => text += "All relations that must hold do hold.\n",
        broken => {
            text += "**Relations that must hold do not:**\n\n";
            broken.iter().for_each(|line| text += &format!("- {line}\n"));
        }
    }
    text
}

/// What was replayed.
pub fn traces(measured: &[Measured]) -> String {
    let head =
        ["program", "entries", "of unknown context", "contexts", "methods", "threads", "bytes an entry", "the trace"];
    let mut rows: Vec<Vec<String>> = vec![head.map(Into::into).into()];
    rows.extend(measured.iter().map(|one| {
        let replayed = &one.replayed;
        let ending = match replayed.ending {
            Some(Ending::Whole { dropped: 0 }) => "whole".to_owned(),
            // More entries than are replayed.
            None => format!("its first {} entries", replayed.entries),
            Some(other) => format!("{other:?}"),
        };
        let bytes = match replayed.ending {
            Some(_) => format!("{:.2}", one.recorded.bytes as f64 / replayed.entries.max(1) as f64),
            None => "-".into(),
        };
        let numbers = [
            replayed.entries,
            replayed.lost,
            replayed.contexts as u64,
            replayed.methods as u64,
            replayed.threads as u64,
        ];
        let numbers = numbers.map(|number| number.to_string());
        std::iter::once(one.program.name.to_owned()).chain(numbers).chain([bytes, ending]).collect()
    }));
    let text = "Every entry of a method of the program or its libraries; the JDK's own methods are not in it.".into();
    Block { text, rows }.markdown()
}

/// What `cargo xtask bench` has published of a JDK.
pub fn published(jdk: u32) -> Option<Run> {
    Run::load(&tree::root().join("docs/benchmarks").join(results::file_name(jdk))).ok()
}

/// The table of all encoders.
///
/// # Errors
/// One line: results that cannot be read.
pub fn encoders(measured: &[Measured]) -> Result<String> {
    let runs = [17, 25].map(published);
    let cost = |name: &str| {
        // The encoders of one table where they are measured together; those too slow for it are
        // among the programs.
        let ratio = |run: &Option<Run>| {
            let of = |section| Part::of(run.as_ref()?, section).mean_ratio(name, |_| true);
            of(Section::Encoders).or_else(|| of(Section::Programs))
        };
        runs.each_ref().map(|run| ratio(run).map_or("not measured".into(), |ratio| format!("{ratio:.2}")))
    };
    let memory = |name: &str| {
        let run = runs[0].as_ref()?;
        let measured = |section: &Section| Part::of(run, *section).mean_ratio(name, |_| true).is_some();
        let part = Part::of(run, [Section::Encoders, Section::Programs].into_iter().find(measured)?);
        let above = part.programs().into_iter().filter_map(|program| {
            let with = part.memory(program, name, |memory| memory.native)?;
            Some((with - part.memory(program, part.base(), |memory| memory.native)?) / 1024.0)
        });
        super::super::statistics::median(&above.collect::<Vec<_>>())
    };
    let memory = |name: &str| memory(name).map_or("not measured".into(), |mib| format!("{mib:.0} MiB"));
    let sum = |of: usize| {
        let all = measured.iter().map(|one| compared(one)[of]);
        all.fold(Compared::default(), |sum, one| Compared {
            checks: sum.checks + one.checks,
            wrong: sum.wrong + one.wrong,
            unknown: sum.unknown + one.unknown,
        })
    };
    let wrong = |of: usize| {
        let Compared { checks, wrong, unknown } = sum(of);
        let known = checks - unknown;
        if known == 0 { "-".into() } else { format!("{:.1}", wrong as f64 * 1e6 / known as f64) }
    };
    let most = |of: fn(&Measured) -> u64| measured.iter().map(of).max().unwrap_or(0);
    let bits = |largest: u64| u64::BITS - largest.leading_zeros();
    let numbers = bits(most(|one| one.versioned.stats().largest_number));
    let ids = bits(most(|one| one.dacce.characteristics().max_id.saturating_mul(2).saturating_add(1)));
    let nodes = most(|one| one.replayed.contexts as u64);
    let shared: u64 = measured.iter().map(|one| one.hashed.shared).sum();
    let icpp_shared = |of: usize| measured.iter().map(|one| one.icpp[of].shared).sum::<u64>();
    let ended = measured.iter().filter(|one| one.paper.ended.is_some()).count();
    let row = |name: &str, cost: [String; 2], rest: [String; 5]| {
        std::iter::once(name.to_owned()).chain(cost).chain(rest).collect::<Vec<_>>()
    };
    let none = || ["-", "-"].map(String::from);
    let rows = vec![
        row(
            "encoder",
            ["cost, 17", "cost, 25"].map(Into::into),
            ["bits of the word", "memory", "frames walked", "wrong paths a million", "decoded without a walk"]
                .map(Into::into),
        ),
        row(
            "`lucce`, all hooks",
            cost(ALL_HOOKS),
            [
                format!("64 ({numbers} used at most), and the chain"),
                memory(ALL_HOOKS),
                "where code without hooks calls".into(),
                wrong(0),
                "every word, later and elsewhere".into(),
            ],
        ),
        row(
            "`algorithm1`",
            cost("encoder=algorithm1"),
            [
                "64 and a version of 32".into(),
                memory("encoder=algorithm1"),
                "as `lucce`".into(),
                wrong(2),
                format!("until numbers or versions run out: here in {ended} of {} programs", measured.len()),
            ],
        ),
        row(
            "`cct`",
            cost("encoder=cct"),
            [
                "64: an address".into(),
                memory("encoder=cct"),
                "as `lucce`".into(),
                "0 by construction".into(),
                format!("in the process, while its tree (here up to {nodes} nodes) is there"),
            ],
        ),
        row(
            "`pcc`",
            cost("encoder=pcc"),
            [
                format!("64: a hash; {shared} contexts share one here"),
                memory("encoder=pcc"),
                "about one for each context captured first".into(),
                wrong(3),
                "what was captured before".into(),
            ],
        ),
        row(
            "DACCE, reference",
            none(),
            [
                format!("{ids} used at most, and the ccStack"),
                "a dictionary for each encoding".into(),
                "none; all threads stop for an encoding".into(),
                wrong(1),
                "every id, with its timestamp and ccStack".into(),
            ],
        ),
        row(
            "`icpp`, mixed",
            cost("encoder=icpp"),
            [
                format!("64: a hash of names; {} contexts share one here", icpp_shared(0)),
                memory("encoder=icpp"),
                "what is captured first, and words known to be shared".into(),
                wrong(4),
                "what was captured before, in this run or in that of a map".into(),
            ],
        ),
        row(
            "`icpp=names`",
            cost("encoder=icpp,icpp=names"),
            [
                format!("64: a sum of such hashes; {} contexts share one here", icpp_shared(1)),
                memory("encoder=icpp,icpp=names"),
                "as `icpp`".into(),
                wrong(5),
                "as `icpp`".into(),
            ],
        ),
    ];
    let text = "Cost is the time over that without the agent, first seconds, geometric mean of the twelve programs (docs/benchmarks).\n\
        Memory is the JVM's outside its heap, above that without the agent on JDK 17, median of the programs. \
        Bits, paths and ends are those of the traces replayed here. Hashed words are those without walks: a word is taken for the context that had it first. \
        `icpp=natural` needs sizes of frames, which traces do not have."
        .into();
    Ok(Block { text, rows }.markdown())
}
