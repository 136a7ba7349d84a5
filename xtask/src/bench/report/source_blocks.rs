//! Event sources: what each costs and tells, and `alloc=all` beside what else gives allocations
//! with their contexts. A row for each configuration, a column for each program.

use super::super::configurations::{ALL_HOOKS, BASE, Configuration};
use super::super::part::Part;
use super::super::sources::{ALLOCATIONS, EVERY_ALLOCATION, MISSING, ONE_ITERATION, RIVALS, Rival, SOURCES, Source};
use super::block::{Block, or_dash, range, row};

/// The tables, if event sources were measured.
pub fn of(part: Part<'_>) -> Vec<Block> {
    if part.programs().is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![ratios(part), alone(part), cpu(part)];
    blocks.extend(rates(part));
    blocks.push(Block { text: dropped(part), rows: Vec::new() });
    blocks.extend(coverage(part));
    blocks
}

/// A table with these rows, a column for each program and those of `more` behind them.
fn table(part: Part<'_>, more: &[&str], rows: Vec<Vec<String>>) -> Vec<Vec<String>> {
    let programs = part.programs();
    let heads = programs.iter().chain(more).map(|head| (*head).to_owned());
    std::iter::once(row("", heads)).chain(rows).collect()
}

fn ratios(part: Part<'_>) -> Block {
    let line = |c: &&Configuration| {
        let cell = |program: &&str| {
            if c.name == BASE {
                part.time(program, c.name).map(|time| range(time, 1, " ms"))
            } else {
                part.ratio(program, c.name).map(|ratio| range(ratio, 2, ""))
            }
        };
        let mean = part.mean_ratio(c.name, |_| true).filter(|_| c.name != BASE);
        let mean = mean.map_or_else(String::new, |mean| format!("{mean:.3}"));
        row(c.name, part.programs().iter().map(|program| or_dash(cell(program))).chain([mean]))
    };
    let text = format!(
        "Wall time of an iteration with `{BASE}`, and the ratios of the others to it. A ratio is over as many iterations of both. \
         What is too slow for more runs a single iteration, the first. In that the JIT and what loads classes have their part:"
    );
    let rows = part.configurations().iter().filter(|c| c.name != ONE_ITERATION).map(line).collect();
    Block { text, rows: table(part, &["**geometric mean**"], rows) }
}

fn alone(part: Part<'_>) -> Block {
    let line = |source: &Source| {
        let name = source.configuration;
        let cell = |program: &&str| or_dash(part.ratio_to(ALL_HOOKS, program, name).map(|ratio| range(ratio, 2, "")));
        let mean = part.mean_ratio_to(ALL_HOOKS, name, |_| true).map_or_else(String::new, |mean| format!("{mean:.3}"));
        row(name, part.programs().iter().map(cell).chain([mean]))
    };
    let rows = measured(part).map(line).collect();
    let text = format!("What the source alone costs: ratios to `{ALL_HOOKS}`, which tells no event:");
    Block { text, rows: table(part, &["**geometric mean**"], rows) }
}

fn cpu(part: Part<'_>) -> Block {
    let line = |c: &&Configuration| {
        let cell = |program: &&str| or_dash(part.cpu_ratio(program, c.name).map(|cpu| format!("{:.2}", cpu.middle)));
        row(c.name, part.programs().iter().map(cell))
    };
    let rows = part.configurations().iter().filter(|c| c.name != BASE && c.name != ONE_ITERATION).map(line).collect();
    let text = format!(
        "CPU time of the process, all threads of the JVM included, as a ratio to `{BASE}` (means over the second half):"
    );
    Block { text, rows: table(part, &[], rows) }
}

/// The sources that there are results of.
fn measured(part: Part<'_>) -> impl Iterator<Item = &'static Source> {
    let known = part.configurations();
    SOURCES.iter().filter(move |source| known.iter().any(|c| c.name == source.configuration))
}

fn rates(part: Part<'_>) -> Option<Block> {
    let line = |source: &'static Source| {
        let (what, counter) = source.counted?;
        let cell = |program: &&str| or_dash(part.per_second(program, source.configuration, counter).map(number));
        Some(row(&format!("{}: {what}", source.configuration), part.programs().iter().map(cell)))
    };
    let rows: Vec<_> = measured(part).filter_map(line).collect();
    let text = "In a second of the JVM's life, start and warm-up included, in the first fork:".into();
    (!rows.is_empty()).then(|| Block { text, rows: table(part, &[], rows) })
}

/// What is no event though it might have been, by name.
fn dropped(part: Part<'_>) -> String {
    let mut found = Vec::new();
    for source in measured(part) {
        for program in part.programs() {
            let figures = part.figures(program, source.configuration).into_iter().flatten();
            let of = |name: &str| MISSING.iter().any(|end| name.ends_with(end));
            let some = figures.filter(|(name, value)| of(name) && **value > 0);
            found.extend(some.map(|(name, value)| format!("{program}, `{}`: `{name}` {value}", source.configuration)));
        }
    }
    let found = if found.is_empty() { "nothing".into() } else { found.join("; ") };
    format!("Dropped because the log could not keep up, or lost: {found}.")
}

/// How much of what `alloc=all` counts the others tell of, what an allocation costs with them, and
/// how deep they look.
fn coverage(part: Part<'_>) -> Vec<Block> {
    let rivals: Vec<&Rival> =
        RIVALS.iter().filter(|rival| part.configurations().iter().any(|c| c.name == rival.configuration)).collect();
    if rivals.is_empty() {
        return Vec::new();
    }
    let programs = part.programs();
    let share = |rival: &Rival, program: &str| {
        let name = if rival.configuration == EVERY_ALLOCATION { ALLOCATIONS } else { "recorded.at_sites" };
        let (events, iterations) = part.figure(program, rival.configuration, name)?;
        Some(fraction(events as f64 / allocations(part, program, iterations)?))
    };
    let deepest = |rival: &Rival| {
        let of = |program: &&str| Some(part.figure(program, rival.configuration, "recorded.deepest")?.0);
        or_dash(programs.iter().filter_map(of).max().map(|frames| frames.to_string()))
    };
    let line = |rival: &&Rival| {
        let cells = programs.iter().map(|program| or_dash(share(rival, program)));
        row(rival.configuration, [rival.takes.to_owned(), rival.frames.into(), deepest(rival)].into_iter().chain(cells))
    };
    let heads = ["takes", "most frames", "deepest seen"].into_iter().chain(programs.iter().copied());
    let mut rows = vec![row("", heads.map(str::to_owned))];
    rows.extend(rivals.iter().map(line));
    let text = "Allocations with their contexts. `alloc=all` is exact and complete: it counts each allocation that the program's own code executes, and \
        the `StackWalker` does so at the same instructions (but an array of arrays is one to it). The others see what the JVM tells of: the JDK's \
        allocations too, none that the JIT compiler does without, and most of them samples. The cells give how many allocations with a method of the \
        program on top they told of, as a share of those that its instructions made; more than all where the JVM allocates there by itself, as for \
        lambdas and concatenated strings:";
    let mut blocks = vec![Block { text: text.into(), rows }];
    let line = |rival: &&Rival| {
        let cell =
            |program: &&str| or_dash(cost(part, program, rival.configuration).map(|nanos| format!("{nanos:.0}")));
        row(rival.configuration, programs.iter().map(cell))
    };
    let mut rows: Vec<_> = rivals.iter().map(line).collect();
    let million = |program: &&str| or_dash(per_iteration(part, program).map(|count| format!("{:.2}", count / 1e6)));
    rows.insert(0, row("million allocations in an iteration", programs.iter().map(million)));
    let text = format!(
        "Nanoseconds that an iteration takes longer than with `{BASE}`, by the number of allocations in it (Lucce's own contexts included in what \
         `{EVERY_ALLOCATION}` costs):"
    );
    blocks.push(Block { text, rows: table(part, &[], rows) });
    blocks
}

/// Allocations that the program's own code executes in an iteration: every one does the same.
fn per_iteration(part: Part<'_>, program: &str) -> Option<f64> {
    let (many, iterations) = part.figure(program, EVERY_ALLOCATION, ALLOCATIONS)?;
    let (one, single) = part.figure(program, ONE_ITERATION, ALLOCATIONS)?;
    (iterations > single).then(|| (many as f64 - one as f64) / (iterations - single) as f64)
}

/// Those in a JVM that runs so many.
fn allocations(part: Part<'_>, program: &str, iterations: usize) -> Option<f64> {
    let known = |name| part.figure(program, name, ALLOCATIONS);
    let same = [EVERY_ALLOCATION, ONE_ITERATION].into_iter().filter_map(known).find(|(_, n)| *n == iterations);
    if let Some((count, _)) = same {
        return Some(count as f64);
    }
    let (one, single) = known(ONE_ITERATION)?;
    Some(one as f64 + per_iteration(part, program)? * (iterations as f64 - single as f64))
}

/// Fewer allocations in an iteration have no cost that could be told from the noise.
const FEW: f64 = 10_000.0;

fn cost(part: Part<'_>, program: &str, configuration: &str) -> Option<f64> {
    let more = part.time(program, configuration)?.middle - part.time_of_other(BASE, program, configuration)?;
    let count = per_iteration(part, program)?;
    // A program that allocates next to nothing says nothing of what an allocation costs.
    (count >= FEW).then(|| more * 1e6 / count)
}

/// `12.3 million`, `45 600`, `7.8`.
fn number(value: f64) -> String {
    match value {
        _ if value >= 1e6 => format!("{:.1} million", value / 1e6),
        _ if value >= 10.0 || value == 0.0 => format!("{value:.0}"),
        _ => format!("{value:.1}"),
    }
}

/// `99.8 %`, or `1 in 5120`.
fn fraction(share: f64) -> String {
    match share {
        _ if share >= 0.01 => format!("{:.1} %", share * 100.0),
        _ if share > 0.0 => format!("1 in {:.0}", 1.0 / share),
        _ => "none".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::results::{Fork, Run};
    use super::super::super::section::Section;
    use super::*;

    /// A fork of h2, with one iteration more to warm up than is timed.
    fn fork(configuration: &str, times: &[f64], figures: &[(&str, u64)]) -> Fork {
        Fork {
            section: Some(Section::Sources),
            program: "h2".into(),
            configuration: configuration.into(),
            iterations: times.to_vec(),
            cpu: times.to_vec(),
            life: 2.0,
            figures: figures.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect(),
            ..Fork::default()
        }
    }

    fn text(forks: Vec<Fork>) -> String {
        let mut run = Run::empty();
        run.forks = forks;
        of(Part::of(&run, Section::Sources)).iter().map(Block::markdown).collect()
    }

    fn expect(text: &str, parts: &[&str]) {
        for part in parts {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn a_source_is_shown_relative_to_no_agent_and_to_lucce_without_it() {
        let text = text(vec![
            fork(BASE, &[90.0, 10.0], &[]),
            fork(ALL_HOOKS, &[90.0, 20.0], &[]),
            fork("lucce,locks", &[90.0, 30.0], &[("locks.events", 9), ("locks.dropped", 0)]),
            fork("lucce,locks", &[90.0, 50.0], &[]),
        ]);
        expect(&text, &["| lucce,locks | 4.00 (3.00-5.00) | 4.000 |", "| lucce,locks | 2.00 (1.50-2.50) | 2.000 |"]);
        expect(&text, &["| lucce,locks: events | 4.5 |", "or lost: nothing."]);
        assert!(!text.contains("StackWalker"), "{text}");
    }

    #[test]
    fn what_was_dropped_is_named() {
        let figures = [("exceptions.events", 4_000_000), ("exceptions.dropped", 7)];
        let text = text(vec![fork(BASE, &[9.0, 1.0], &[]), fork("lucce,exceptions", &[9.0, 2.0], &figures)]);
        expect(&text, &["2.0 million", "h2, `lucce,exceptions`: `exceptions.dropped` 7."]);
    }

    #[test]
    fn rivals_are_shown_with_their_share_of_the_allocations_and_what_each_costs() {
        // 1000 allocations before the first iteration, and 100 000 in each.
        let text = text(vec![
            fork(BASE, &[9.0, 1.0], &[]),
            fork(EVERY_ALLOCATION, &[9.0, 2.0, 2.0], &[(ALLOCATIONS, 301_000)]),
            fork(ONE_ITERATION, &[9.0], &[(ALLOCATIONS, 101_000)]),
            fork("StackWalker", &[801.0], &[("recorded.at_sites", 101_000), ("recorded.deepest", 70)]),
            fork("jfr", &[9.0, 1.0], &[("recorded.at_sites", 100), ("recorded.deepest", 60)]),
        ]);
        expect(
            &text,
            &["| lucce,alloc=all | every allocation, exact | none | - | 100.0 % |", "| none | 70 | 100.0 % |"],
        );
        expect(&text, &["| 2048 frames | 60 | 1 in 2010 |", "| million allocations in an iteration | 0.10 |"]);
        expect(&text, &["| lucce,alloc=all | 10 |", "| StackWalker | 7920 |"]);
        assert!(!text.contains(ONE_ITERATION), "{text}");
    }
}
