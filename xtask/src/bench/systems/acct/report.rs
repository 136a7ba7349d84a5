//! ACCT's Figs. 1 to 6 and Whaley's limit as tables and charts, the paper's words beside our
//! numbers.
//!
//! Invariant: the paper prints bars alone; no number here is read off them. Source: ACCT, sections
//! 3.2, 4 and 5.

use lucce_profiles::acct::CountedEdges;

use super::super::super::configurations::LUCCE;
use super::super::super::part;
use super::super::super::report::Block;
use super::super::super::results::Run;
use super::super::bars::Bars;
use super::figure6::Figure6Row;
use super::{Acct, Compared, LIMITS, PERIODS, TRIGGERS};

/// Programs with what was computed of them.
pub type All<'a> = [(&'a str, &'a Acct)];

/// A parser of Java, as the paper's program is one.
const SHOWN: &str = "eclipse";

/// All tables, with references to the charts.
pub fn markdown(all: &All<'_>, figure6: &[Figure6Row], costs: Option<&Run>) -> String {
    let mut text = String::new();
    text += &periods(all);
    text += &example(figure6);
    text += &triggers(all);
    text += &limits(all, costs);
    text
}

fn percent(share: f64) -> String {
    // An empty sum is -0.
    format!("{:.1} %", share * 100.0 + 0.0)
}

fn table(text: &str, head: Vec<String>, paper: &[&str], all: &All<'_>, row: impl Fn(&Acct) -> Vec<String>) -> String {
    let mut rows = vec![head];
    if !paper.is_empty() {
        rows.push(paper.iter().map(|cell| (*cell).into()).collect());
    }
    rows.extend(all.iter().map(|(name, acct)| std::iter::once((*name).into()).chain(row(acct)).collect()));
    Block { text: text.into(), rows }.markdown()
}

/// A head with two columns for each name.
fn pairs(names: impl Iterator<Item = String>) -> impl Iterator<Item = String> {
    names.flat_map(|name| [format!("{name}: all new edges"), "last edge".into()])
}

fn overlaps(pairs: &[[Compared; 2]]) -> Vec<String> {
    pairs.iter().flatten().map(|one| percent(one.overlap)).collect()
}

fn shown<'a>(all: &All<'a>) -> Option<(&'a str, &'a Acct)> {
    all.iter().find(|(name, _)| *name == SHOWN).or(all.first()).copied()
}

fn periods(all: &All<'_>) -> String {
    let names = PERIODS.map(|period| format!("each {period}th"));
    let mut head: Vec<String> = ["program", "each call"].map(Into::into).into();
    head.extend(pairs(names.into_iter()));
    head.extend(["rank correlation, each 59th: all new", "last", "samples at each 1559th"].map(Into::into));
    let paper = [
        "paper: a parser of Java",
        "a perfect correlation",
        "none that is apparent",
        "much stronger",
        "",
        "less",
        "",
        "less, still acceptable",
        "",
        "",
        "",
    ];
    let name = shown(all).map_or("-", |one| one.0);
    let text = format!(
        "### Figs. 1 to 5: edges of the sampled tree beside the exhaustive one\n\n\
         Overlap of calls by context. The paper prints bars of the {} hottest edges, without numbers; the charts show those of {name}. \
         *Each call*: is the tree of samples the exhaustive tree, node for node, with both strategies?",
        super::TOP
    );
    let mut text = table(&text, head, &paper, all, |acct| {
        let equal = if acct.equal == [true; 2] { "equal" } else { "**different**" };
        let mut cells = vec![equal.to_owned()];
        cells.extend(overlaps(&acct.periods));
        if let Some(first) = acct.periods.first() {
            cells.extend(first.iter().map(|one| format!("{:.2}", one.spearman)));
        }
        cells.extend(acct.periods.last().map(|pair| pair[1].samples.to_string()));
        cells
    });
    for figure in 1..=5 {
        text += &format!("\n![Fig. {figure}](systems/acct-{figure}.svg)\n");
    }
    text
}

fn example(figure6: &[Figure6Row]) -> String {
    let head = ["samples", "weight at", "a-b", "b-c", "ratio"];
    let mut rows: Vec<Vec<String>> = vec![head.map(Into::into).into()];
    rows.push(["paper: the CCT", "", "10", "1000", "1:100"].map(Into::into).into());
    rows.push(["paper: each 100th", "all new edges", "equal", "equal", "1:1"].map(Into::into).into());
    rows.extend(figure6.iter().map(|row| {
        let weights = if row.weights == CountedEdges::AllNew { "all new edges" } else { "the last edge" };
        let ratio = if row.b == 0 { "-".into() } else { format!("1:{:.2}", row.c as f64 / row.b as f64) };
        vec![row.trigger.into(), weights.into(), row.b.to_string(), row.c.to_string(), ratio]
    }));
    let text = "### Fig. 6: ten calls of b, each with a hundred of c\n\n\
        The paper: all new edges are fundamentally wrong here, whatever the trigger, and randomness does not help."
        .into();
    Block { text, rows }.markdown()
}

fn triggers(all: &All<'_>) -> String {
    let head = std::iter::once("program".to_owned()).chain(pairs(TRIGGERS.map(String::from).into_iter()));
    let text = "### Section 3.2: other triggers\n\n\
        Overlap, as above. The paper names a timer, a global counter and method counters that fade, and measures the global one alone. \
        The time is that of the recorded run, which the recording made slower. Method counters take a method's call when its counter is full: \
        so hot methods are sampled at the same callers again and again.";
    table(text, head.collect(), &[], all, |acct| overlaps(&acct.triggers))
}

fn limits(all: &All<'_>, costs: Option<&Run>) -> String {
    let time = part::sampled(costs, LUCCE, "lucce,profile=10ms");
    let time = time.map_or("not measured yet".into(), |time| format!("{:.1} %", (time - 1.0) * 100.0));
    let head = LIMITS.map(|limit| format!("K {limit}"));
    let head =
        head.into_iter().flat_map(|name| [format!("{name}: overlap"), "misplaced".into(), "frames a sample".into()]);
    let head = std::iter::once("program".to_owned())
        .chain(head)
        .chain(["no limit: overlap", "frames a sample"].map(Into::into));
    let text = format!(
        "### Whaley's K: walks that end early\n\n\
        At each 307th call, weight at the last edge. A walk of K frames that reaches none of the last sample's hangs below the root, \
        where it is no context of the tree. Whaley's time is less than 3 %. `profile=10ms`, whose samples are exact, takes over the agent without it, as the geometric mean of the programs on JDK 17: {time}."
    );
    table(&text, head.collect(), &[], all, |acct| {
        let limited = acct.limits.iter().map(|pair| &pair[1]);
        let cells =
            limited.flat_map(|one| [percent(one.overlap), percent(one.misplaced), format!("{:.1}", one.looked)]);
        let whole = &acct.periods[1][1];
        cells.chain([percent(whole.overlap), format!("{:.1}", whole.looked)]).collect()
    })
}

/// Figs. 1 to 5 of one program.
pub fn charts(all: &All<'_>) -> Vec<(&'static str, String)> {
    let Some((name, acct)) = shown(all) else { return Vec::new() };
    let of = |figure: &str, what: &str, one: &Compared| Bars {
        title: format!("Fig. {figure}: {name}, {what}"),
        up: "percent of the hottest edge",
        series: ["CCT", "samples"].map(Into::into).into(),
        groups: one.top.iter().map(|edge| (String::new(), vec![edge.0 * 100.0, edge.1 * 100.0])).collect(),
    };
    let [short, middle, long] = [0, 1, 2].map(|at| &acct.periods[at]);
    vec![
        ("acct-1.svg", of("1", "each call", &acct.every).svg()),
        ("acct-2.svg", of("2", "each 59th, all new edges", &short[0]).svg()),
        ("acct-3.svg", of("3", "each 59th, last edge", &short[1]).svg()),
        ("acct-4.svg", of("4", "each 307th, last edge", &middle[1]).svg()),
        ("acct-5.svg", of("5", "each 1559th, last edge", &long[1]).svg()),
    ]
}
