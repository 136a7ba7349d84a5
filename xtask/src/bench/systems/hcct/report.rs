//! HCCT's Tables I and II and Figs. 1 and 4 to 12 as tables, the paper's values beside ours.
//!
//! Invariant: a figure of which the paper prints bars or curves alone is told as its text tells it.
//! Source: HCCT, sections 1, 5 and 6.

use super::super::super::configurations::BASE;
use super::super::super::part;
use super::super::super::report::Block;
use super::super::super::results::Run;
use super::{Hcct, Judged, RATIOS, THRESHOLDS};

/// Of the paper's 28 programs those that both tables have: call graph, call sites, CCT, call tree;
/// hot nodes at 1e-3, 1e-5, 1e-7.
const PAPER: [(&str, [u64; 4], [u64; 3]); 7] = [
    ("audacity", [6895, 79_656, 13_131_115, 924_534_168], [112, 9181, 233_362]),
    ("dolphin", [10_744, 84_152, 11_667_974, 390_134_028], [97, 14_563, 978_544]),
    ("gimp", [5146, 93_372, 26_107_261, 805_947_134], [96, 15_330, 963_708]),
    ("ice-labyrinth", [2335, 8050, 2_160_052, 1_637_076_406], [93, 9413, 529_945]),
    ("inkscape", [6454, 89_590, 13_896_175, 675_915_815], [80, 16_713, 830_191]),
    ("oocalc", [30_807, 394_913, 48_310_585, 551_472_065], [136, 13_414, 1_339_752]),
    ("quanta", [13_263, 113_850, 27_426_654, 602_409_403], [94, 13_881, 812_098]),
];

/// What is measured by runs that are not there.
const NOT_YET: &str = "not in this report yet";

/// Programs with what was computed of them.
pub type All<'a> = [(&'a str, &'a Hcct)];

/// All tables, with references to the charts.
pub fn markdown(all: &All<'_>, costs: Option<&Run>) -> String {
    let mut text = String::new();
    text += &table1(all);
    text += &table2(all);
    text += &figure1(all);
    text += &figure4(all);
    text += &figure5(all);
    text += &figure6(costs);
    text += &figure7(all);
    text += &figures8_9_11(all);
    text += &figure10(all);
    text += &figure12(all);
    text
}

fn percent(share: f64) -> String {
    // An empty sum is -0.
    match share * 100.0 + 0.0 {
        value if value == 0.0 || value >= 0.1 => format!("{value:.1} %"),
        value => format!("{value:.4} %"),
    }
}

/// A table: its head, what the paper has, and a row for each program.
fn table(text: &str, head: &[&str], paper: &[&[&str]], all: &All<'_>, row: impl Fn(&Hcct) -> Vec<String>) -> String {
    let mut rows: Vec<Vec<String>> = vec![head.iter().map(|cell| (*cell).into()).collect()];
    rows.extend(paper.iter().map(|cells| cells.iter().map(|cell| (*cell).into()).collect()));
    rows.extend(all.iter().map(|(name, hcct)| std::iter::once((*name).into()).chain(row(hcct)).collect()));
    Block { text: text.into(), rows }.markdown()
}

fn numbered(
    text: &str,
    head: &[&str],
    paper: impl Fn(&(&str, [u64; 4], [u64; 3])) -> Vec<u64>,
    all: &All<'_>,
    row: impl Fn(&Hcct) -> Vec<u64>,
) -> String {
    let cells = |name: String, numbers: Vec<u64>| {
        std::iter::once(name).chain(numbers.into_iter().map(|number| number.to_string())).collect::<Vec<_>>()
    };
    let mut rows: Vec<Vec<String>> = vec![head.iter().map(|cell| (*cell).into()).collect()];
    rows.extend(PAPER.iter().map(|one| cells(format!("paper: {}", one.0), paper(one))));
    rows.extend(all.iter().map(|(name, hcct)| cells((*name).into(), row(hcct))));
    Block { text: text.into(), rows }.markdown()
}

fn table1(all: &All<'_>) -> String {
    let text = "### Table I: call graph, call sites, calling context tree, call tree\n\n\
        Nodes of each. The paper's rows are those of its 28 that its Table II has, too: programs in C and C++ of 15 minutes. \
        Ours are of the entries that were replayed. A tree has the threads' bases as nodes.";
    let head = ["program", "call graph", "call sites", "CCT", "call tree"];
    numbered(
        text,
        &head,
        |paper| paper.1.into(),
        all,
        |hcct| {
            let cct = &hcct.cct;
            vec![cct.methods as u64, cct.sites as u64, cct.nodes as u64, cct.total]
        },
    )
}

fn table2(all: &All<'_>) -> String {
    let text = "### Table II: nodes of the exact hot tree\n\n\
        The paper: for one phi, programs have sizes of one order. With few entries a small phi asks for less than one entry: \
        then every context is hot.";
    let head = ["program", "phi 1e-3", "1e-5", "1e-7", "CCT"];
    numbered(
        text,
        &head,
        |paper| paper.2.into_iter().chain([paper.1[2]]).collect(),
        all,
        |hcct| hcct.typical.iter().map(|&nodes| nodes as u64).chain([hcct.cct.nodes as u64]).collect(),
    )
}

fn figure1(all: &All<'_>) -> String {
    let text = "### Fig. 1: few contexts have most calls\n\nThe share of all calls in the tenth of contexts that is the hottest.";
    let paper: [&[&str]; 2] = [&["paper", "about 90 %"], &["paper: oocalc", "more than 86 %"]];
    table(text, &["program", "calls in a tenth"], &paper, all, |hcct| {
        vec![percent(hcct.cct.in_hottest_tenth() / 100.0)]
    }) + "\n![Fig. 1](systems/hcct-1.svg)\n"
}

fn share_of_cct(hcct: &Hcct, judged: &Judged) -> String {
    percent(judged.most as f64 / hcct.cct.nodes.max(1) as f64)
}

fn figure4(all: &All<'_>) -> String {
    let text = "### Fig. 4: the monitored tree by phi\n\n\
        The most nodes at once, by those of the whole tree; eps is phi/5, so there are 5/phi counters. \
        Where the whole tree has no more contexts than that, nothing is saved, and all is exact. The paper prints curves.";
    let heads = THRESHOLDS.map(|phi| format!("phi {phi:e}"));
    let head: Vec<&str> = std::iter::once("program").chain(heads.iter().map(String::as_str)).collect();
    let paper: [&[&str]; 1] = [&["paper", "", "", "below 1 %, worst 4.1 %", "", ""]];
    table(text, &head, &paper, all, |hcct| hcct.by_threshold.iter().map(|judged| share_of_cct(hcct, judged)).collect())
        + "\n![Fig. 4](systems/hcct-4.svg)\n"
}

fn figure5(all: &All<'_>) -> String {
    let text = "### Fig. 5: peak memory of bursts, Space Saving, and both\n\n\
        The most nodes at once, by those of the whole tree, with phi 1e-4. Bursts are 0.2 of each 2 ms of the recorded run, \
        which the recording itself made slower. The paper prints bars: bursts alone save little, both together the most.";
    let head = ["program", "bursts alone", "Space Saving", "both"];
    table(text, &head, &[], all, |hcct| {
        let three = [hcct.thinned.first(), hcct.usual(), hcct.thinned.get(1)];
        three.map(|judged| judged.map_or("-".into(), |judged| share_of_cct(hcct, judged))).into()
    }) + "\n![Fig. 5](systems/hcct-5.svg)\n"
}

fn figure6(costs: Option<&Run>) -> String {
    let over =
        |base: &str, name: &str| part::sampled(costs, base, name).map_or(NOT_YET.into(), |mean| format!("{mean:.2}"));
    let cost = |name: &str| over(BASE, name);
    let rows = [
        ["".into(), "paper".into(), "ours".into(), "with".into()],
        ["hooks alone (the paper's *empty*)".into(), "1.21".into(), cost("lucce,hooks=all"), "`hooks=all`".into()],
        ["the whole tree".into(), "2.45".into(), cost("encoder=cct"), "`encoder=cct`".into()],
        ["the hot tree of all entries".into(), "2.9".into(), cost("profile=all"), "`profile=all`".into()],
        ["with bursts of 2 in 20 ms".into(), "1.58".into(), cost("profile=2ms/20ms"), "`profile=2ms/20ms`".into()],
        ["single entries".into(), "-".into(), cost("profile=10007"), "`profile=10007`".into()],
        [
            "bursts, by the cost of the call graph (gprof)".into(),
            "1.18".into(),
            over("encoder=count", "profile=2ms/20ms"),
            "`encoder=count`, which only counts calls, in place of gprof".into(),
        ],
    ];
    let text =
        "### Fig. 6: time\n\nOver the program alone on JDK 17, geometric mean (`cargo xtask bench --sampled`). That of `profile=all` is over the first two iterations.".into();
    Block { text, rows: rows.map(Into::into).into() }.markdown()
}

fn figure7(all: &All<'_>) -> String {
    let text = "### Fig. 7: phi, overlap and tau\n\n\
        The greatest phi whose exact hot tree has so much overlap with the whole tree. \
        And tau~, from which on it has every edge of tau times the hottest one's calls: from there the coverage must be 100 %. \
        The paper prints curves, and says that coverage is 100 % at tau 0.01. That is promised only where tau~ is less: \
        where calls are spread over many contexts, tau~ is greater.";
    let head =
        ["program", "overlap 50 %", "70 %", "90 %", "tau~ at phi 1e-3", "1e-4", "coverage at tau 0.01, phi 1e-4"];
    let paper: [&[&str]; 1] = [&["paper", "", "", "", "", "about 10 phi", "100 %"]];
    table(text, &head, &paper, all, |hcct| {
        let phi = |overlap| hcct.cct.phi_of_overlap(overlap).map_or("-".into(), |phi| format!("{phi:.1e}"));
        let tau = |phi| format!("{:.1e}", hcct.cct.least_tau(phi));
        let covered = hcct.usual().map_or("-".into(), |judged| percent(judged.at_hundredth));
        vec![phi(0.5), phi(0.7), phi(0.9), tau(1e-3), tau(1e-4), covered]
    }) + "\n![Fig. 7a](systems/hcct-7a.svg)\n![Fig. 7b](systems/hcct-7b.svg)\n"
}

fn figures8_9_11(all: &All<'_>) -> String {
    let text = "### Figs. 8, 9 and 11: what the hot tree lacks, has too much, and counts wrong\n\n\
        With phi 1e-4 and eps phi/5. Uncovered: calls of contexts that are not in it, by those of the hottest. \
        Nodes: cold ones above others, hot ones, and cold ones taken for hot. Errors are those of the hot contexts.";
    let head = [
        "program",
        "overlap",
        "uncovered, mean",
        "most",
        "nodes",
        "cold",
        "hot",
        "false positives",
        "error, mean",
        "most",
    ];
    let paper: [&[&str]; 1] = [&[
        "paper",
        "10 % at worst",
        "about 0.01 %",
        "mostly below 10 %",
        "",
        "bars",
        "bars",
        "0 to 5 %, below 10 %",
        "below 2 %, one above 4 %",
        "bars",
    ]];
    let mut text = table(text, &head, &paper, all, |hcct| {
        let Some(one) = hcct.usual() else { return vec!["-".into(); head.len() - 1] };
        let part = |of: usize| percent(one.percent(of) / 100.0);
        let mut cells = [one.overlap, one.uncovered.0, one.uncovered.1].map(percent).to_vec();
        cells.extend([one.nodes().to_string(), part(one.cold), part(one.hot), part(one.false_positives)]);
        cells.extend([one.errors.0, one.errors.1].map(percent));
        cells
    });
    for figure in [8, 9, 11] {
        text += &format!("\n![Fig. {figure}](systems/hcct-{figure}.svg)\n");
    }
    text
}

fn figure10(all: &All<'_>) -> String {
    let text =
        "### Fig. 10: false positives by eps\n\nOf the nodes of the hot tree, with phi 1e-4. The paper prints curves.";
    let heads = RATIOS.map(|ratio| format!("phi/eps {ratio}"));
    let head: Vec<&str> = std::iter::once("program").chain(heads.iter().map(String::as_str)).collect();
    let paper: [&[&str]; 1] = [&["paper", "", "0 to 5 %, below 10 %", "", "very close to 0"]];
    table(text, &head, &paper, all, |hcct| {
        hcct.by_ratio.iter().map(|judged| percent(judged.percent(judged.false_positives) / 100.0)).collect()
    }) + "\n![Fig. 10](systems/hcct-10.svg)\n"
}

fn figure12(all: &All<'_>) -> String {
    let text = "### Fig. 12: with part of the entries\n\n\
        Mean error of the hot contexts that are reported, counts scaled by the share of entries that were taken, and hot edge coverage at 2 tau~. \
        Phi is 1e-4 of the entries taken. The time of bursts is that of the recorded run. Nothing is promised of what is thinned.";
    let head = [
        "program",
        "all entries: error",
        "coverage",
        "bursts, 2 of 20 ms: taken",
        "error",
        "coverage",
        "bursts, 2000 of 20 000 entries: error",
        "coverage",
        "each 10th entry, jittered: error",
        "coverage",
    ];
    let paper: [&[&str]; 1] =
        [&["paper", "below 2 %, one above 4 %", "100 %", "about a tenth", "6.89 to 17.31 %", "100 %", "", "", "", ""]];
    table(text, &head, &paper, all, |hcct| {
        let covered =
            |judged: &Judged| judged.coverage.iter().find(|point| point.0 == 0.5).map_or(0.0, |point| point.1);
        let mut cells = Vec::new();
        for (at, judged) in hcct.usual().into_iter().chain(&hcct.thinned[2..]).enumerate() {
            cells.extend((at == 1).then(|| percent(judged.taken)));
            cells.extend([judged.errors.0, covered(judged)].map(percent));
        }
        cells
    }) + "\n![Fig. 12a](systems/hcct-12a.svg)\n![Fig. 12b](systems/hcct-12b.svg)\n"
}
