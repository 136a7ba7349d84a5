//! The cost of one event: a row for each kind, a column for each depth.

use super::super::events::{KINDS, Kind};
use super::super::results::{EventCost, Run};
use super::block::{Block, or_dash, row};

/// The tables, if events were measured.
pub fn of(run: &Run) -> Vec<Block> {
    let mut depths: Vec<u32> = run.events.iter().map(|event| event.depth).collect();
    depths.sort_unstable();
    depths.dedup();
    if depths.is_empty() {
        return Vec::new();
    }
    let head = || row("depth", depths.iter().map(u32::to_string));
    let table = |kinds: &mut dyn Iterator<Item = &'static Kind>, cell: &dyn Fn(&Kind, u32) -> Option<String>| {
        let line = |kind: &Kind| row(kind.what, depths.iter().map(|depth| or_dash(cell(kind, *depth))));
        std::iter::once(head()).chain(kinds.map(line)).collect()
    };
    let measured = |kind: &Kind, depth| find(run, kind.name, depth).map(|e| format!("{:.2} ± {:.2}", e.nanos, e.error));
    let alone = |kind: &Kind, depth| net(run, kind, depth).map(|nanos| format!("{nanos:.2}"));
    let ratio = |kind: &Kind, depth| {
        let capture = KINDS.iter().find(|kind| kind.name == "capturePaths").and_then(|kind| net(run, kind, depth))?;
        find(run, kind.name, depth).filter(|_| capture > 0.0).map(|event| format!("{:.0}", event.nanos / capture))
    };
    let mut missing: Vec<&str> =
        KINDS.iter().filter(|kind| !run.events.iter().any(|e| e.name == kind.name)).map(|k| k.what).collect();
    missing.push("async-profiler (it samples, and takes no event on demand: see the configuration of that name)");
    vec![
        Block {
            text: "Nanoseconds (JMH, average time, ± half of the 99.9 % confidence interval), with Lucce in the JVM. Depth is the number of \
                frames between JMH and the event. The loop, or the path, that leads to an event is in its figure, and has a row of its own:"
                .into(),
            rows: table(&mut KINDS.iter(), &measured),
        },
        Block {
            text: "The events of Lucce without the loop or the path:".into(),
            rows: table(&mut KINDS.iter().filter(|kind| kind.around.is_some()), &alone),
        },
        Block {
            text: "How many times as much as `Lucce.capture()` at 10 000 shuffled contexts (without the path) a walk of the stack costs:".into(),
            rows: table(&mut KINDS.iter().filter(|kind| kind.rival), &ratio),
        },
        Block { text: format!("Not measured: {}.", missing.join("; ")), rows: Vec::new() },
    ]
}

fn find<'r>(run: &'r Run, name: &str, depth: u32) -> Option<&'r EventCost> {
    run.events.iter().find(|event| event.name == name && event.depth == depth)
}

/// Without what is around it.
fn net(run: &Run, kind: &Kind, depth: u32) -> Option<f64> {
    Some(find(run, kind.name, depth)?.nanos - find(run, kind.around?, depth)?.nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_around_an_event_is_subtracted_and_what_is_missing_is_named() {
        let mut run = Run::empty();
        for (name, nanos) in [("paths", 20.0), ("capturePaths", 28.0), ("jvmti", 4000.0)] {
            run.events.push(EventCost { name: name.into(), depth: 50, nanos, error: 0.5 });
        }
        let text: String = of(&run).iter().map(Block::terminal).collect();
        for part in ["28.00 ± 0.50", "8.00", "500", "Not measured: the loop alone"] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
