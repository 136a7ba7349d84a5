//! Groups of bars in a diagram, as SVG.
//!
//! Invariant: the axis begins at 0 and is labelled with its greatest value.

use std::fmt::Write;

use super::plot::{COLOURS, short};

/// A diagram.
pub struct Bars {
    pub title: String,
    pub up: &'static str,
    /// The bars of a group.
    pub series: Vec<String>,
    /// Name, and a value for each bar.
    pub groups: Vec<(String, Vec<f64>)>,
}

const BAR: f64 = 7.0;
const GAP: f64 = 5.0;
const HEIGHT: f64 = 200.0;
const LEFT: f64 = 64.0;
const TOP: f64 = 34.0;
const BELOW: f64 = 64.0;
const LEGEND: f64 = 290.0;

impl Bars {
    /// The diagram.
    pub fn svg(&self) -> String {
        let greatest = self.groups.iter().flat_map(|group| group.1.iter().copied()).fold(1e-9, f64::max);
        let group = self.series.len() as f64 * BAR + GAP;
        let (right, floor) = (LEFT + self.groups.len() as f64 * group + GAP, TOP + HEIGHT);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0} {:.0}\" font-family=\"sans-serif\" font-size=\"11\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n<text x=\"{LEFT}\" y=\"18\">{}; up: {}</text>\n\
             <path d=\"M{LEFT} {TOP}V{floor}H{right:.0}\" stroke=\"#000\" fill=\"none\"/>\n\
             <text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{}</text><text x=\"{:.0}\" y=\"{floor}\" text-anchor=\"end\">0</text>\n",
            right + LEGEND,
            floor + BELOW,
            self.title,
            self.up,
            LEFT - 4.0,
            TOP + 8.0,
            short(greatest),
            LEFT - 4.0
        );
        for (at, (name, values)) in self.groups.iter().enumerate() {
            let left = LEFT + GAP + at as f64 * group;
            for (bar, value) in values.iter().enumerate() {
                let height = value / greatest * HEIGHT;
                let _ = writeln!(
                    svg,
                    "<rect class=\"bar\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{height:.1}\" fill=\"{}\"/>",
                    left + bar as f64 * BAR,
                    floor - height,
                    BAR - 1.0,
                    COLOURS[bar % COLOURS.len()]
                );
            }
            let (x, y) = (left + (group - GAP) / 2.0, floor + 12.0);
            let _ = writeln!(
                svg,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"end\" transform=\"rotate(-35 {x:.1} {y:.1})\">{name}</text>"
            );
        }
        for (index, name) in self.series.iter().enumerate() {
            let (x, y) = (right + 12.0, TOP + 14.0 * index as f64);
            let _ = writeln!(
                svg,
                "<rect x=\"{x:.0}\" y=\"{y:.0}\" width=\"9\" height=\"9\" fill=\"{}\"/><text x=\"{:.0}\" y=\"{:.0}\">{name}</text>",
                COLOURS[index % COLOURS.len()],
                x + 13.0,
                y + 9.0
            );
        }
        svg + "</svg>\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_is_a_bar_and_the_greatest_is_as_high_as_the_axis() {
        let groups = vec![("h2".into(), vec![1.0, 4.0]), ("fop".into(), vec![0.0, 2.0])];
        let bars = Bars { title: "errors".into(), up: "percent", series: vec!["mean".into(), "most".into()], groups };
        let svg = bars.svg();
        assert_eq!(svg.matches("class=\"bar\"").count(), 4);
        assert!(svg.contains("y=\"34.0\" width=\"6.0\" height=\"200.0\"") && svg.contains("height=\"50.0\""), "{svg}");
        assert!(svg.contains(">fop<") && svg.contains(">most<") && svg.ends_with("</svg>\n"));
    }
}
