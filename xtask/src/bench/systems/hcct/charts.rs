//! HCCT's figures as charts.
//!
//! Source: HCCT, Figs. 1, 4, 5 and 7 to 12.

use super::super::bars::Bars;
use super::super::plot::{Line, Plot};
use super::report::All;
use super::{Hcct, Judged, THINNED};

/// The charts, by file name.
pub fn charts(all: &All<'_>) -> Vec<(&'static str, String)> {
    let usual = |of: fn(&Judged) -> Vec<f64>| move |hcct: &Hcct| hcct.usual().map(of).unwrap_or_default();
    let thresholds = |hcct: &Hcct, of: &dyn Fn(&Judged) -> f64| -> Vec<(f64, f64)> {
        hcct.by_threshold.iter().map(|judged| (-judged.accuracy.phi.log10(), of(judged))).collect()
    };
    vec![
        (
            "hcct-1.svg",
            plot(
                "Fig. 1: calls of the hottest contexts",
                "percent of contexts",
                "percent of calls",
                false,
                all,
                |hcct| thinned_out(&hcct.cct.cumulative()),
            ),
        ),
        (
            "hcct-4.svg",
            plot(
                "Fig. 4: nodes of the monitored tree",
                "phi is ten to the minus",
                "percent of the CCT",
                false,
                all,
                |hcct| thresholds(hcct, &|judged| of_cct(hcct, judged)),
            ),
        ),
        (
            "hcct-5.svg",
            bars(
                "Fig. 5: most nodes at once",
                "percent of the CCT",
                &["bursts alone", "Space Saving", "both"],
                all,
                |hcct| {
                    [hcct.thinned.first(), hcct.usual(), hcct.thinned.get(1)]
                        .into_iter()
                        .flatten()
                        .map(|judged| of_cct(hcct, judged))
                        .collect()
                },
            ),
        ),
        (
            "hcct-7a.svg",
            plot("Fig. 7a: the greatest phi for an overlap", "percent of overlap", "1/phi", true, all, |hcct| {
                let point = |percent: u32| {
                    Some((f64::from(percent), 1.0 / hcct.cct.phi_of_overlap(f64::from(percent) / 100.0)?))
                };
                (1..20).filter_map(|step| point(step * 5)).collect()
            }),
        ),
        (
            "hcct-7b.svg",
            plot("Fig. 7b: the least tau with full coverage", "phi is ten to the minus", "1/tau", true, all, |hcct| {
                thresholds(hcct, &|judged| 1.0 / hcct.cct.least_tau(judged.accuracy.phi))
            }),
        ),
        (
            "hcct-8.svg",
            bars(
                "Fig. 8: uncovered contexts, by the hottest",
                "percent",
                &["mean", "most"],
                all,
                usual(|one| vec![one.uncovered.0 * 100.0, one.uncovered.1 * 100.0]),
            ),
        ),
        (
            "hcct-9.svg",
            bars(
                "Fig. 9: nodes of the hot tree",
                "percent",
                &["cold", "hot", "false positives"],
                all,
                usual(|one| [one.cold, one.hot, one.false_positives].map(|of| one.percent(of)).into()),
            ),
        ),
        (
            "hcct-10.svg",
            plot("Fig. 10: false positives", "phi/eps", "percent of the hot tree", false, all, |hcct| {
                hcct.by_ratio
                    .iter()
                    .map(|judged| (judged.accuracy.ratio, judged.percent(judged.false_positives)))
                    .collect()
            }),
        ),
        (
            "hcct-11.svg",
            bars(
                "Fig. 11: errors of hot contexts",
                "percent",
                &["mean", "most"],
                all,
                usual(|one| vec![one.errors.0 * 100.0, one.errors.1 * 100.0]),
            ),
        ),
        (
            "hcct-12a.svg",
            bars("Fig. 12a: mean errors with part of the entries", "percent", &THINNED[2..], all, |hcct| {
                hcct.thinned[2..].iter().map(|judged| judged.errors.0 * 100.0).collect()
            }),
        ),
        (
            "hcct-12b.svg",
            plot(
                "Fig. 12b: hot edge coverage with bursts of 2 in 20 ms",
                "tau~ / tau",
                "percent",
                false,
                all,
                |hcct| {
                    let covered = hcct.thinned.get(2).map(|judged| judged.coverage.as_slice()).unwrap_or_default();
                    covered.iter().map(|point| (point.0, point.1 * 100.0)).collect()
                },
            ),
        ),
    ]
}

fn of_cct(hcct: &Hcct, judged: &Judged) -> f64 {
    judged.most as f64 * 100.0 / hcct.cct.nodes.max(1) as f64
}

/// At most about two hundred of the points, the first and the last among them.
fn thinned_out(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let step = points.len() / 200 + 1;
    points.iter().copied().step_by(step).chain(points.last().copied()).collect()
}

fn plot(
    title: &str,
    across: &'static str,
    up: &'static str,
    logarithmic: bool,
    all: &All<'_>,
    points: impl Fn(&Hcct) -> Vec<(f64, f64)>,
) -> String {
    let lines = all.iter().map(|(name, hcct)| Line { name: (*name).into(), points: points(hcct) }).collect();
    Plot { title: title.into(), across, up, logarithmic, lines }.svg()
}

fn bars(title: &str, up: &'static str, series: &[&str], all: &All<'_>, values: impl Fn(&Hcct) -> Vec<f64>) -> String {
    let groups = all.iter().map(|(name, hcct)| ((*name).into(), values(hcct))).collect();
    Bars { title: title.into(), up, series: series.iter().map(|name| (*name).into()).collect(), groups }.svg()
}
