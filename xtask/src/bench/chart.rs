//! A bar chart with ranges, like the paper's Fig. 5: a group of bars for each program, a bar for
//! each configuration but the base.

use std::fmt::Write;

use super::part::Part;
use super::results::Run;
use super::section::Section;
use super::statistics::Range;

const BAR: f64 = 16.0;
const GAP: f64 = 18.0;
const LEGEND: f64 = 170.0;
const LEFT: f64 = 46.0;
const TOP: f64 = 44.0;
const HEIGHT: f64 = 240.0;
const BELOW: f64 = 70.0;
/// A bar that would be longer ends here, with its figure above it.
const HIGHEST: f64 = 3.5;

/// The chart of a run, as SVG; a line at 1 is the program without the agent.
pub fn svg(run: &Run) -> String {
    let part = Part::of(run, Section::Programs);
    let programs = part.programs();
    let configurations: Vec<_> = part.configurations().into_iter().filter(|c| !c.is_base()).collect();
    let group = configurations.len() as f64 * BAR + GAP;
    let width = (LEFT + (programs.len() as f64 + 1.0) * group + GAP).max(LEFT + configurations.len() as f64 * LEGEND);
    let all = programs.iter().flat_map(|p| configurations.iter().filter_map(|c| part.ratio(p, c.name)));
    let highest = all.map(|ratio| ratio.high).fold(1.0, f64::max).min(HIGHEST);
    let step = step(highest);
    let top = (highest / step).ceil() * step;
    let y = |ratio: f64| TOP + HEIGHT * (1.0 - ratio.min(top) / top);

    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {:.0}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
        TOP + HEIGHT + BELOW
    );
    let mut line = 0.0;
    while line <= top + step / 2.0 {
        let (at, text) = (y(line), y(line) + 4.0);
        let colour = if (line - 1.0).abs() < 1e-9 { "#000" } else { "#ddd" };
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {at:.1}H{:.1}\" stroke=\"{colour}\"/><text x=\"{:.1}\" y=\"{text:.1}\" text-anchor=\"end\">{line:.1}</text>",
            width - GAP / 2.0,
            LEFT - 5.0
        );
        line += step;
    }
    for (index, configuration) in configurations.iter().enumerate() {
        let x = LEFT + index as f64 * LEGEND;
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.1}\" y=\"12\" width=\"10\" height=\"10\" fill=\"{}\"/><text x=\"{:.1}\" y=\"21\">{}</text>",
            configuration.colour,
            x + 14.0,
            configuration.name
        );
    }
    let names = programs.iter().copied().chain(std::iter::once("geometric mean"));
    for (index, name) in names.enumerate() {
        let left = LEFT + GAP / 2.0 + index as f64 * group;
        for (bar, configuration) in configurations.iter().enumerate() {
            let ratio = match programs.get(index) {
                Some(program) => part.ratio(program, configuration.name),
                None => {
                    let mean = part.mean_ratio(configuration.name, |_| true);
                    mean.map(|mean| Range { low: mean, middle: mean, high: mean })
                }
            };
            if let Some(ratio) = ratio {
                svg += &bar_with_range(left + bar as f64 * BAR, ratio, configuration.colour, y);
                if ratio.high > top {
                    let (x, text) = (left + bar as f64 * BAR, ratio.middle);
                    let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{:.1}\" font-size=\"9\">{text:.1}</text>", TOP - 3.0);
                }
            }
        }
        let (x, under) = (left + (group - GAP) / 2.0, TOP + HEIGHT + 12.0);
        let _ = writeln!(
            svg,
            "<text x=\"{x:.1}\" y=\"{under:.1}\" text-anchor=\"end\" transform=\"rotate(-35 {x:.1} {under:.1})\">{name}</text>"
        );
    }
    svg + "</svg>\n"
}

fn bar_with_range(x: f64, ratio: Range, colour: &str, y: impl Fn(f64) -> f64) -> String {
    let (low, middle, high, floor) = (y(ratio.low), y(ratio.middle), y(ratio.high), y(0.0));
    let (width, centre) = (BAR - 3.0, x + (BAR - 3.0) / 2.0);
    format!(
        "<rect x=\"{x:.1}\" y=\"{middle:.1}\" width=\"{width:.1}\" height=\"{:.1}\" fill=\"{colour}\"/>\
         <path d=\"M{centre:.1} {low:.1}V{high:.1}M{:.1} {low:.1}h6M{:.1} {high:.1}h6\" stroke=\"#000\" fill=\"none\"/>\n",
        floor - middle,
        centre - 3.0,
        centre - 3.0
    )
}

/// The distance of two lines: at most about ten of them.
fn step(highest: f64) -> f64 {
    [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0].into_iter().find(|step| highest / step <= 10.0).unwrap_or(highest / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_program_and_the_mean_have_a_bar_for_each_configuration_but_the_base() {
        let run = Run::empty().with(&[
            ("h2", "no-agent", &[1.0, 1.0]),
            ("h2", "lucce", &[1.0, 2.0]),
            ("xalan", "no-agent", &[1.0, 1.0]),
            ("xalan", "lucce", &[1.0, 3.0]),
        ]);
        let svg = svg(&run);
        let bars = svg.matches("<path d=\"M").count() - svg.matches("stroke=\"#ddd\"").count() - 1;
        assert_eq!(bars, 3, "{svg}");
        assert!(svg.contains("geometric mean") && svg.ends_with("</svg>\n"));
    }
}
