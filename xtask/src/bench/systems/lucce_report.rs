//! Lucce's Fig. 5 and Table 1, the paper's values beside ours.
//!
//! Source: Lucce section 6, Fig. 5; section 7, Table 1.

use std::fmt::Write;

use super::super::part::Part;
use super::super::report::Block;
use super::super::results::Run;
use super::super::section::Section;
use super::Measured;
use super::costs::CONFIGURATIONS;

/// The rows of the paper's Table 1: intrusiveness, precise, on HotSpot, overhead, memory.
const TABLE1: [[&str; 6]; 8] = [
    ["CCT", "low", "yes", "can be transferred", "1.7 / 2-50", "< 10 MB"],
    ["Parallel CCT", "low", "yes", "yes", "3.49", "hundreds of MB"],
    ["CCU", "high", "yes", "no", "1.3", "3-50 MB"],
    ["PCC", "high/low", "no", "can be transferred", "-", "0"],
    ["Breadcrumbs", "high", "in part", "no", "2", "tens of GB"],
    ["PCCE", "high", "yes", "no", "< 1.1", "0"],
    ["DeltaPath", "high", "yes", "yes", "1.32", "-"],
    ["DACCE", "low", "yes", "no", "< 1.08", "-"],
];

/// Both, as Markdown.
pub fn markdown(measured: &[Measured], costs: Option<&Run>) -> String {
    let mut text = String::new();
    if let Some(run) = costs {
        text += &fig5(run);
        text += &table1(run);
    }
    text += &exhaustion(measured);
    text
}

fn ratio(part: Part<'_>, program: &str, name: &str) -> String {
    part.ratio(program, name).map_or("-".into(), |ratio| format!("{:.2}", ratio.middle))
}

fn fig5(run: &Run) -> String {
    let part = Part::of(run, Section::Programs);
    let head = std::iter::once("program").chain(CONFIGURATIONS[1..].iter().copied()).map(Into::into).collect();
    let row = |program: &&str| {
        let ratios = CONFIGURATIONS[1..].iter().map(|name| ratio(part, program, name));
        std::iter::once((*program).to_owned()).chain(ratios).collect()
    };
    let means = CONFIGURATIONS[1..].iter().map(|name| part.mean_ratio(name, |_| true));
    let means = means.map(|mean| mean.map_or("-".into(), |mean| format!("**{mean:.2}**")));
    let mut rows: Vec<Vec<String>> = vec![head];
    rows.extend(part.programs().iter().map(row));
    rows.push(std::iter::once("geometric mean".into()).chain(means).collect());
    let text = "### Fig. 5: overhead\n\n\
        Time over that without the agent, by the paper's protocol. The paper prints its values as bars alone, without numbers, and calls \
        them \"much higher than we would like\". Our `encoder=algorithm1` is that encoder. It runs for few iterations, since its numbers run out."
        .into();
    let mut text = Block { text, rows }.markdown() + "\n![Fig. 5](systems/lucce-5.svg)\n";
    for (what, why) in &run.unavailable {
        let _ = writeln!(text, "\nNo figure of {what}: {why}.");
    }
    text
}

fn table1(run: &Run) -> String {
    let part = Part::of(run, Section::Programs);
    let head = ["", "intrusive", "precise", "on HotSpot", "overhead", "memory"];
    let mut rows: Vec<Vec<String>> = vec![head.map(Into::into).into()];
    rows.extend(TABLE1.iter().map(|row| row.map(Into::into).into()));
    let ours = [
        ("**ours: versioned**", "lucce,hooks=all", "yes"),
        ("**ours: hashed**", "encoder=pcc", "but for collisions, 2^-64 a pair"),
        ("**ours: tree**", "encoder=cct", "yes"),
        ("**ours: Algorithm 1**", "encoder=algorithm1", "until its numbers run out"),
    ];
    rows.extend(ours.map(|(what, name, precise)| {
        let mean = part.mean_ratio(name, |_| true).map_or("-".into(), |mean| format!("{mean:.2}"));
        let native = part.programs().into_iter().filter_map(|program| {
            let with = part.memory(program, name, |memory| memory.native)?;
            Some((with - part.memory(program, part.base(), |memory| memory.native)?) / 1024.0)
        });
        let memory = super::super::statistics::median(&native.collect::<Vec<_>>());
        let memory = memory.map_or("-".into(), |mib| format!("{mib:.0} MiB"));
        [what.into(), "low".into(), precise.into(), "yes".into(), mean, memory].into()
    }));
    let text = "### Table 1: methods for calling contexts\n\nThe first eight rows are the paper's own, from runs of others on other programs. \
        Ours are from the runs above."
        .into();
    Block { text, rows }.markdown()
}

/// How far Algorithm 1 comes.
fn exhaustion(measured: &[Measured]) -> String {
    let head = ["program", "entries replayed", "contexts", "deepest", "Algorithm 1 ends at call", "versions", "why"];
    let mut rows: Vec<Vec<String>> = vec![head.map(Into::into).into()];
    rows.extend(measured.iter().map(|one| {
        let (at, why) = match &one.paper.ended {
            Some((call, why)) => (call.to_string(), why.clone()),
            None => ("-".into(), "it does not".into()),
        };
        let replayed = &one.replayed;
        let numbers = [replayed.entries.to_string(), replayed.contexts.to_string(), replayed.deepest.to_string()];
        std::iter::once(one.program.name.into())
            .chain(numbers)
            .chain([at, one.paper.versions().to_string(), why])
            .collect()
    }));
    let text =
        "### How far Algorithm 1 comes\n\nWith callIds of 64 bits and versions below 20 million, on the traces.".into();
    Block { text, rows }.markdown()
}
