//! ACCT's Fig. 6: `a` calls `b` ten times, and each `b` calls `c` a hundred times.
//!
//! Invariant: edge a-b has a hundredth of the calls of b-c. The weight at all new edges says that
//! they are equal, whatever triggers samples.
//! Source: ACCT, section 4, Fig. 6.

use lucce_profiles::acct::CountedEdges;
use lucce_profiles::schedule::Each;
use lucce_profiles::trace::TraceContext;

use super::super::stream::{Stream, program};
use super::sampler::{Sampler, run};

/// A row of the table: its trigger and strategy, and the weights of the two edges.
pub struct Figure6Row {
    pub trigger: &'static str,
    pub weights: CountedEdges,
    pub b: u64,
    pub c: u64,
}

/// The program so often, that thousands of samples are taken.
const TIMES: usize = 1000;

fn stream(times: usize) -> Stream {
    let b = std::iter::once(3).chain([4; 100]);
    let a = std::iter::once(2).chain(std::iter::repeat_n(b, 10).flatten());
    program(&[1, 2, 3], std::iter::repeat_n(a, times).flatten())
}

/// The figure: the program once, at each call and at each 100th; then so often that ratios show,
/// with jitter or not.
pub fn rows() -> Vec<Figure6Row> {
    let (once, often) = (stream(1), stream(TIMES));
    let mut rows = Vec::new();
    for weights in [CountedEdges::AllNew, CountedEdges::Last] {
        let mut add = |trigger, stream: &Stream, schedule| {
            let (_, sampled) = run(stream, vec![Sampler::new(weights, None, schedule)]);
            let weight = |id| sampled.first().and_then(|one| one.weights.get(&TraceContext(id))).copied().unwrap_or(0);
            rows.push(Figure6Row { trigger, weights, b: weight(3), c: weight(4) });
        };
        add("each call", &once, Each::exactly(1));
        add("each 100th", &once, Each::exactly(100));
        add("each 103rd, 1000 runs", &often, Each::exactly(103));
        add("about each 116th, jittered, 1000 runs", &often, Each::jittered(116, 5));
    }
    rows
}

/// What must hold: 10:1000 at each call; with many samples 1:1 by all new edges, and about 1:100 by
/// the last.
pub fn broken(rows: &[Figure6Row]) -> Vec<String> {
    let wrong = rows.iter().filter(|row| {
        let ratio = row.c as f64 / row.b.max(1) as f64;
        !match (row.trigger, row.weights) {
            ("each call", _) => (row.b, row.c) == (10, 1000),
            // Ten samples.
            ("each 100th", CountedEdges::AllNew) => row.b.abs_diff(row.c) <= 1,
            ("each 100th", CountedEdges::Last) => row.b <= 1 && row.c >= 9,
            (_, CountedEdges::AllNew) => (0.9..1.1).contains(&ratio),
            (_, CountedEdges::Last) => (80.0..125.0).contains(&ratio),
        }
    });
    wrong.map(|row| format!("ACCT Fig. 6: {}:{} with {:?} at {}", row.b, row.c, row.weights, row.trigger)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_edge_tells_ten_from_a_thousand() {
        let rows = rows();
        assert_eq!(broken(&rows), Vec::<String>::new());
        assert_eq!(rows.len(), 8);
    }

    #[test]
    fn swapped_strategies_break_the_relation() {
        let mut rows = rows();
        for row in &mut rows {
            row.weights = if row.weights == CountedEdges::Last { CountedEdges::AllNew } else { CountedEdges::Last };
        }
        assert_eq!(broken(&rows).len(), 6, "all but those of each call");
    }
}
