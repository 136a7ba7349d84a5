//! Lines in a diagram, as SVG.
//!
//! Invariant: both axes are labelled with their greatest values; a logarithmic axis begins at 1.

use std::fmt::Write;

/// One line.
pub struct Line {
    pub name: String,
    /// Points from left to right.
    pub points: Vec<(f64, f64)>,
}

/// A diagram.
pub struct Plot {
    pub title: String,
    pub across: &'static str,
    pub up: &'static str,
    pub logarithmic: bool,
    pub lines: Vec<Line>,
}

const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 64.0;
const TOP: f64 = 34.0;
const LEGEND: f64 = 190.0;
/// Of lines and bars, in turn.
pub const COLOURS: [&str; 12] = [
    "#1a73e8", "#e8710a", "#188038", "#9334e6", "#d93025", "#12b5cb", "#f9ab00", "#e52592", "#5f6368", "#00796b",
    "#795548", "#000",
];

impl Plot {
    /// The diagram.
    pub fn svg(&self) -> String {
        let greatest = |of: fn(&(f64, f64)) -> f64| {
            self.lines.iter().flat_map(|line| line.points.iter().map(of)).fold(1.0, f64::max)
        };
        let (right, top) = (greatest(|point| point.0), greatest(|point| point.1));
        let scale = |value: f64| if self.logarithmic { value.max(1.0).ln() } else { value };
        let most = scale(top).max(1e-9);
        let place = |(x, y): (f64, f64)| (LEFT + x / right * WIDTH, TOP + HEIGHT * (1.0 - scale(y) / most));
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0} {:.0}\" font-family=\"sans-serif\" font-size=\"11\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n<text x=\"{LEFT}\" y=\"18\">{}</text>\n\
             <path d=\"M{LEFT} {TOP}V{:.0}H{:.0}\" stroke=\"#000\" fill=\"none\"/>\n",
            LEFT + WIDTH + LEGEND,
            TOP + HEIGHT + 40.0,
            self.title,
            TOP + HEIGHT,
            LEFT + WIDTH
        );
        let (floor, below) = (TOP + HEIGHT, TOP + HEIGHT + 16.0);
        let zero = if self.logarithmic { "1" } else { "0" };
        let _ = write!(
            svg,
            "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{}</text><text x=\"{:.0}\" y=\"{floor:.0}\" text-anchor=\"end\">{zero}</text>\n\
             <text x=\"{:.0}\" y=\"{below:.0}\" text-anchor=\"end\">{}</text>\n\
             <text x=\"{LEFT}\" y=\"{:.0}\">across: {}; up: {}{}</text>\n",
            LEFT - 4.0,
            TOP + 8.0,
            short(top),
            LEFT - 4.0,
            LEFT + WIDTH,
            short(right),
            below + 16.0,
            self.across,
            self.up,
            if self.logarithmic { ", logarithmic" } else { "" }
        );
        for (index, line) in self.lines.iter().enumerate() {
            let colour = COLOURS[index % COLOURS.len()];
            let points: Vec<String> =
                line.points.iter().map(|&point| place(point)).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
            let (x, y) = (LEFT + WIDTH + 12.0, TOP + 14.0 * index as f64);
            let _ = writeln!(
                svg,
                "<polyline points=\"{}\" stroke=\"{colour}\" fill=\"none\"/><rect x=\"{x:.0}\" y=\"{y:.0}\" width=\"9\" height=\"9\" fill=\"{colour}\"/>\
                 <text x=\"{:.0}\" y=\"{:.0}\">{}</text>",
                points.join(" "),
                x + 13.0,
                y + 9.0,
                line.name
            );
        }
        svg + "</svg>\n"
    }
}

/// A number as people write it.
pub fn short(value: f64) -> String {
    match value {
        value if value >= 1e9 => format!("{value:.1e}"),
        value if value >= 1e6 => format!("{:.1} M", value / 1e6),
        value if value >= 1e4 => format!("{:.0} k", value / 1e3),
        value if value.fract() == 0.0 || value >= 100.0 => format!("{value:.0}"),
        value => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_drawn_and_named() {
        let line = |name: &str| Line { name: name.into(), points: vec![(0.0, 1.0), (10.0, 1000.0)] };
        let lines = vec![line("h2"), line("fop")];
        let plot = Plot { title: "edges".into(), across: "entries", up: "edges", logarithmic: true, lines };
        let svg = plot.svg();
        assert_eq!(svg.matches("<polyline").count(), 2);
        assert!(svg.contains(">h2<") && svg.contains(">1000<") && svg.ends_with("</svg>\n"), "{svg}");
    }

    #[test]
    fn numbers_are_short() {
        let shown = [1.0, 0.25, 12_345.0, 3_200_000.0, 4.5e18].map(short);
        assert_eq!(shown, ["1", "0.25", "12 k", "3.2 M", "4.5e18"]);
    }
}
