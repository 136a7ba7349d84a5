//! Rewriting: megabytes and classes a second, by tool.

use super::super::results::{Rewriting, Run};
use super::super::statistics::Range;
use super::block::{Block, or_dash, range, row};

/// The table, if rewriting was measured.
pub fn of(run: &Run) -> Vec<Block> {
    if run.rewriting.is_empty() {
        return Vec::new();
    }
    let head = [
        "MB/s, first pass",
        "MB by CPU second, first pass",
        "MB/s, warm",
        "classes/s, warm",
        "classes",
        "MB",
        "MB afterwards",
        "methods with hooks",
        "sites",
        "classes given up",
        "processes",
        "passes",
    ];
    let mut rows = vec![row("tool", head.map(Into::into))];
    rows.extend(run.rewriting.iter().map(one));
    let times = |of: fn(&Rewriting) -> &[f64]| {
        let [ours, theirs] = ["lucce", "asm"].map(|tool| speed(run, tool, of));
        ours.zip(theirs).map(|(ours, theirs)| ours.middle / theirs.middle)
    };
    let ratios: Vec<String> = [
        (times(|tool| &tool.firsts), "in the first pass of a process, as where a program starts"),
        (times(|tool| &tool.firsts_cpu), "in a second of processor time of that pass"),
        (times(|tool| &tool.passes), "when warmed up"),
    ]
    .into_iter()
    .filter_map(|(times, when)| Some(format!("{:.1} times as many {when}", times?)))
    .collect();
    let ratio = match ratios.as_slice() {
        [] => String::new(),
        _ => format!(" Bytes rewritten in a second by Lucce: {}.", ratios.join("; ")),
    };
    let text = format!(
        "Medians (least and greatest), one thread each: the first pass of several processes, and the passes of one, both warmed up, in turn. Processor time is that of all \
         threads: beside ASM's one, on the other processor, the JIT compiles it. ASM inserts the same with visitors, `LocalVariablesSorter` and `COMPUTE_MAXS`: prologue, publications, exit and handlers in the same methods, which it finds by a pass \
         of its own; and it keeps the same tables, of sites, lines and places. What would need a further analysis of the code it leaves out: entries behind \
         early returns, hooks left out of code that is never reached (which is why it may have a few sites more), hashes of what was written, and what keeps the \
         types of class files without frames apart; three classes of ecj do not verify afterwards, for they return with more on the stack than the result. Its \
         frames are shorter, as its locals stand in front of the method's own.{ratio}"
    );
    vec![Block { text, rows }]
}

fn one(tool: &Rewriting) -> Vec<String> {
    let cells = [
        or_dash(throughput(&tool.firsts, tool.bytes as f64 / 1e6).map(|speed| range(speed, 1, ""))),
        or_dash(throughput(&tool.firsts_cpu, tool.bytes as f64 / 1e6).map(|speed| range(speed, 1, ""))),
        or_dash(throughput(&tool.passes, tool.bytes as f64 / 1e6).map(|speed| range(speed, 1, ""))),
        or_dash(throughput(&tool.passes, tool.classes as f64).map(|speed| range(speed, 0, ""))),
        tool.classes.to_string(),
        format!("{:.1}", tool.bytes as f64 / 1e6),
        format!("{:.1}", tool.grown as f64 / 1e6),
        counted(tool.methods),
        counted(tool.sites),
        tool.skipped.to_string(),
        tool.firsts.len().to_string(),
        tool.passes.len().to_string(),
    ];
    row(&tool.tool, cells)
}

/// A number that results of long ago lack.
fn counted(number: u64) -> String {
    or_dash((number > 0).then(|| number.to_string()))
}

/// `amount` in a second, where it takes so many milliseconds.
fn throughput(times: &[f64], amount: f64) -> Option<Range> {
    Range::of(&times.iter().map(|ms| amount * 1000.0 / ms).collect::<Vec<_>>())
}

fn speed(run: &Run, tool: &str, of: fn(&Rewriting) -> &[f64]) -> Option<Range> {
    let tool = run.rewriting.iter().find(|one| one.tool == tool)?;
    throughput(of(tool), tool.bytes as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratios_of_both_are_stated() {
        let mut run = Run::empty();
        assert!(of(&run).is_empty());
        for (tool, time, first) in [("lucce", 10.0, 20.0), ("asm", 125.0, 680.0)] {
            let (classes, bytes, grown, skipped) = (10, 1_000_000, 1_500_000, 0);
            let (firsts, firsts_cpu, passes) =
                (vec![first], vec![first * if tool == "asm" { 2.0 } else { 1.0 }], vec![time]);
            let (methods, sites) = (if tool == "asm" { 0 } else { 77 }, 0);
            run.rewriting.push(Rewriting {
                tool: tool.into(),
                classes,
                bytes,
                grown,
                skipped,
                methods,
                sites,
                firsts,
                firsts_cpu,
                passes,
            });
        }
        let text = of(&run)[0].terminal();
        assert!(text.contains("34.0 times as many in the first") && text.contains("12.5 times"), "{text}");
        assert!(text.contains("68.0 times as many in a second of processor time"), "{text}");
        assert!(text.contains("77"), "{text}");
        assert!(text.contains("100.0 (100.0-100.0)") && text.contains("50.0 (50.0-50.0)"), "{text}");
    }
}
