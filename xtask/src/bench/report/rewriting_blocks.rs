//! Rewriting: megabytes and classes a second, by tool.

use super::super::results::{Rewriting, Run};
use super::super::statistics::Range;
use super::block::{Block, or_dash, range, row};

/// The table, if rewriting was measured.
pub fn of(run: &Run) -> Vec<Block> {
    if run.rewriting.is_empty() {
        return Vec::new();
    }
    let head = ["MB/s", "classes/s", "classes", "MB", "MB afterwards", "classes given up", "passes"];
    let mut rows = vec![row("tool", head.map(Into::into))];
    rows.extend(run.rewriting.iter().map(one));
    let ratio = speed(run, "lucce").zip(speed(run, "asm")).map_or_else(String::new, |(ours, theirs)| {
        format!(" Lucce rewrites {:.1} times as many bytes in a second.", ours.middle / theirs.middle)
    });
    let text = format!(
        "Medians over passes (least and greatest), one thread each, both warmed up, in turn. ASM inserts the same prologue, publications and handlers as a \
         `MethodVisitor` with `COMPUTE_MAXS`; where its ways would cost more it does less.{ratio}"
    );
    vec![Block { text, rows }]
}

fn one(tool: &Rewriting) -> Vec<String> {
    let cells = [
        or_dash(throughput(tool, tool.bytes as f64 / 1e6).map(|speed| range(speed, 1, ""))),
        or_dash(throughput(tool, tool.classes as f64).map(|speed| range(speed, 0, ""))),
        tool.classes.to_string(),
        format!("{:.1}", tool.bytes as f64 / 1e6),
        format!("{:.1}", tool.grown as f64 / 1e6),
        tool.skipped.to_string(),
        tool.passes.len().to_string(),
    ];
    row(&tool.tool, cells)
}

/// `amount` in a second.
fn throughput(tool: &Rewriting, amount: f64) -> Option<Range> {
    Range::of(&tool.passes.iter().map(|ms| amount * 1000.0 / ms).collect::<Vec<_>>())
}

fn speed(run: &Run, tool: &str) -> Option<Range> {
    let tool = run.rewriting.iter().find(|one| one.tool == tool)?;
    throughput(tool, tool.bytes as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratio_of_both_is_stated() {
        let mut run = Run::empty();
        assert!(of(&run).is_empty());
        for (tool, time) in [("lucce", 10.0), ("asm", 125.0)] {
            let (classes, bytes, grown, skipped) = (10, 1_000_000, 1_500_000, 0);
            run.rewriting.push(Rewriting { tool: tool.into(), classes, bytes, grown, skipped, passes: vec![time] });
        }
        let text = of(&run)[0].terminal();
        assert!(text.contains("12.5 times") && text.contains("100.0 (100.0-100.0)"), "{text}");
    }
}
