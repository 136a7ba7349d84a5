//! DACCE's Table 1 and Figs. 8, 9 and 10, the paper's values beside ours.
//!
//! Source: DACCE section 6.

use std::collections::BTreeMap;

use super::super::part::Part;
use super::super::report::Block;
use super::super::results::Run;
use super::super::section::Section;
use super::Measured;
use super::costs::CONFIGURATIONS;
use super::plot::{Line, Plot, short};
use super::subjects::Moment;

/// Rows of the paper's Table 1, its columns of DACCE: nodes, edges, maxID, mean depth, gTS, costs
/// in microseconds.
const TABLE1: [(&str, [&str; 6]); 4] = [
    ("paper: 483.xalancbmk", ["2170", "7321", "1.4 M", "6.01", "27", "3551342"]),
    ("paper: 454.calculix", ["416", "1660", "3043", "0.06", "11", "13485"]),
    ("paper: 465.tonto", ["657", "4548", "135 k", "0.03", "101", "154889"]),
    ("paper: bodytrack", ["218", "894", "667", "0.01", "5", "12204"]),
];

/// The tables, as Markdown.
pub fn markdown(measured: &[Measured], costs: Option<&Run>) -> String {
    let mut text = String::new();
    text += &table1(measured);
    text += &fig8(costs);
    text += "\n### Fig. 9: the graph and its encodings, by time\n\n\
        The paper: steady soon, with more encodings at the beginning. Time is counted in entries here.\n\n\
        ![Nodes](systems/dacce-9-nodes.svg)\n![Edges](systems/dacce-9-edges.svg)\n\
        ![Encodings](systems/dacce-9-encodings.svg)\n![maxID](systems/dacce-9-maxid.svg)\n";
    text += &fig10(measured);
    text
}

/// The charts, by file name.
pub fn charts(measured: &[Measured]) -> Vec<(&'static str, String)> {
    let lines = |of: fn(&Moment) -> f64| {
        let line = |one: &Measured| Line {
            name: one.program.name.into(),
            points: one.dacce.moments.iter().map(|moment| (moment.entries as f64, of(moment))).collect(),
        };
        measured.iter().map(line).collect::<Vec<_>>()
    };
    let over_time =
        |title: &str, up, lines| Plot { title: title.into(), across: "entries", up, logarithmic: true, lines }.svg();
    let depths = measured.iter().flat_map(|one| {
        let name = one.program.name;
        let line = |what: &str, depths: &BTreeMap<u32, u64>| Line {
            name: format!("{name}, {what}"),
            points: cumulative(depths),
        };
        [
            line("stack", &one.replayed.depths),
            line("ccStack", &one.dacce.depths),
            line("our chain", &one.versioned.depths),
        ]
    });
    let depths = Plot {
        title: "Fig. 10: entries at most so deep".into(),
        across: "depth",
        up: "percent of entries",
        logarithmic: false,
        lines: depths.collect(),
    };
    vec![
        ("dacce-9-nodes.svg", over_time("Fig. 9: nodes", "nodes", lines(|moment| moment.nodes as f64))),
        ("dacce-9-edges.svg", over_time("Fig. 9: edges", "edges", lines(|moment| moment.edges as f64))),
        ("dacce-9-maxid.svg", over_time("Fig. 9: maxID", "maxID", lines(|moment| moment.max_id as f64))),
        (
            "dacce-9-encodings.svg",
            over_time("Fig. 9: encodings", "encodings", lines(|moment| moment.timestamps as f64)),
        ),
        ("dacce-10.svg", depths.svg()),
    ]
}

/// Percent of entries that are at most so deep.
fn cumulative(depths: &BTreeMap<u32, u64>) -> Vec<(f64, f64)> {
    let total: u64 = depths.values().sum();
    let mut sum = 0;
    let point = |(&depth, &entries): (&u32, &u64)| {
        sum += entries;
        (f64::from(depth), sum as f64 * 100.0 / total.max(1) as f64)
    };
    std::iter::once((0.0, 0.0)).chain(depths.iter().map(point)).collect()
}

/// The depth that so many of a hundred entries do not pass.
fn percentile(depths: &BTreeMap<u32, u64>, percent: f64) -> u32 {
    cumulative(depths).iter().find(|point| point.1 >= percent).map_or(0, |point| point.0 as u32)
}

fn mean(depths: &BTreeMap<u32, u64>) -> f64 {
    let entries: u64 = depths.values().sum();
    depths.iter().map(|(&depth, &entries)| f64::from(depth) * entries as f64).sum::<f64>() / entries.max(1) as f64
}

fn table1(measured: &[Measured]) -> String {
    let head = [
        "program",
        "nodes",
        "edges",
        "maxID",
        "mean ccStack",
        "gTS",
        "costs, us",
        "calls by ccStack",
        "by back edges",
        "by hottest edge",
        "our versions",
        "their cost, us",
        "mean of our chain",
    ];
    let mut rows: Vec<Vec<String>> = vec![head.map(Into::into).into()];
    rows.extend(TABLE1.map(|(name, values)| {
        std::iter::once(name.into()).chain(values.map(Into::into)).chain((0..6).map(|_| String::new())).collect()
    }));
    rows.extend(measured.iter().map(|one| {
        let known = one.dacce.characteristics();
        let share = |calls: u64| format!("{:.2} %", calls as f64 * 100.0 / known.calls.max(1) as f64);
        vec![
            one.program.name.into(),
            known.nodes.to_string(),
            known.edges.to_string(),
            short(known.max_id as f64),
            format!("{:.2}", known.mean_depth()),
            known.timestamps.to_string(),
            one.dacce.took.as_micros().to_string(),
            share(known.by_stack),
            share(known.by_back_edges),
            share(known.by_hottest),
            one.versioned.stats().versions.to_string(),
            one.versioned.took.as_micros().to_string(),
            format!("{:.2}", mean(&one.versioned.depths)),
        ]
    }));
    let text = "### Table 1: characteristics\n\nOf the reference encoder, whose thresholds double with each encoding, since the paper does not \
        state its own. Rows of the paper are of programs in C and C++. Our numberings are on the same traces. \
        Costs are those of this command, which is built without optimisation: they compare with each other alone."
        .into();
    Block { text, rows }.markdown()
}

fn fig8(costs: Option<&Run>) -> String {
    let mut rows: Vec<Vec<String>> = vec![["", "overhead"].map(Into::into).into()];
    rows.push(["paper: DACCE in machine code".into(), "1.02 (2 %), below 1.08".into()].into());
    if let Some(run) = costs {
        let part = Part::of(run, Section::Programs);
        rows.extend(CONFIGURATIONS[1..].iter().map(|name| {
            let mean = part.mean_ratio(name, |_| true).map_or("-".into(), |mean| format!("{mean:.2}"));
            [format!("ours: {name}"), mean].into()
        }));
    }
    let text = "### Fig. 8: overhead\n\nNot met: the paper's encoder patches machine code of programs without virtual machine, and an edge with \
        encoding 0 costs nothing there. In bytecode an entry costs the same for any number that is added. The reference encoder \
        runs on traces alone and has no cost of its own."
        .into();
    Block { text, rows }.markdown()
}

fn fig10(measured: &[Measured]) -> String {
    let head =
        ["program", "stack, 90 %", "deepest", "ccStack, 90 %", "99 %", "deepest", "our chain, 90 %", "99 %", "deepest"];
    let mut rows: Vec<Vec<String>> = vec![head.map(Into::into).into()];
    rows.extend(measured.iter().map(|one| {
        let deepest = |depths: &BTreeMap<u32, u64>| depths.keys().next_back().map_or(0, |depth| *depth);
        let of = |depths: &BTreeMap<u32, u64>| [percentile(depths, 90.0), percentile(depths, 99.0), deepest(depths)];
        let stack = [percentile(&one.replayed.depths, 90.0), deepest(&one.replayed.depths)];
        let numbers = stack.into_iter().chain(of(&one.dacce.depths)).chain(of(&one.versioned.depths));
        std::iter::once(one.program.name.to_owned()).chain(numbers.map(|number| number.to_string())).collect()
    }));
    let text = "### Fig. 10: depth of the stack, of the ccStack, and of our chain\n\n\
        The paper: the ccStack is always empty in most programs; in 483.xalancbmk the stack needs 7200 frames to cover 90 %."
        .into();
    Block { text, rows }.markdown() + "\n![Fig. 10](systems/dacce-10.svg)\n"
}
