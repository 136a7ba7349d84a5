//! What processor time is made of, and how long it takes until the JIT has settled.

use super::super::configurations::Configuration;
use super::super::part::Part;
use super::super::results::Fork;
use super::super::statistics::Range;
use super::block::{Block, range};
use super::fork_blocks::by_configuration;

/// Processor time by what it went into; `None` where forks did not say.
pub fn shares(part: Part<'_>) -> Option<Block> {
    let cell = |program: &str, c: &Configuration| {
        let base = part.cpu_of_base(program, c.name)?;
        let of = |share: fn(&Fork) -> &[f64]| Some(part.mean(program, c.name, share)?.middle / base);
        let (compiling, collecting) = (of(|fork| &fork.compiling)?, of(|fork| &fork.collecting)?);
        let program = of(|fork| &fork.cpu)? - compiling - collecting;
        Some(format!("{program:.2} + {compiling:.2} + {collecting:.2}"))
    };
    let text = "That time went into the application with its hooks, + the JIT, + collecting garbage. The three of a cell are parts of all \
        of it without the agent.";
    let block = by_configuration(part, text, |_| true, cell);
    block.rows.iter().skip(1).any(|row| row[1..].iter().any(|cell| cell != "-")).then_some(block)
}

/// Seconds of iterations before those that count.
pub fn until_settled(part: Part<'_>) -> Block {
    let cell = |program: &str, c: &Configuration| {
        let seconds = |fork: &&Fork| fork.iterations.iter().take(fork.before).sum::<f64>() / 1e3;
        let forks = part.of_both(program, c.name);
        Range::of(&forks.iter().map(seconds).collect::<Vec<_>>()).map(|seconds| range(seconds, 1, ""))
    };
    let text = "Seconds of iterations until the threads that compile took less than a tenth of the time, for two seconds; or a minute, \
        if they did not come to that:";
    by_configuration(part, text, |_| true, cell)
}

#[cfg(test)]
mod tests {
    use super::super::super::results::Run;
    use super::super::super::section::Section;
    use super::*;

    #[test]
    fn the_jit_and_the_collector_are_told_from_the_application() {
        let mut run = Run::empty().with(&[("h2", "no-agent", &[9.0, 10.0]), ("h2", "lucce", &[9.0, 15.0])]);
        assert!(shares(Part::of(&run, Section::Programs)).is_none());
        for fork in &mut run.forks {
            (fork.compiling, fork.collecting) = (vec![8.0, 2.0], vec![0.0, 1.0]);
        }
        let text = shares(Part::of(&run, Section::Programs)).unwrap().markdown();
        assert!(text.contains("0.70 + 0.20 + 0.10") && text.contains("1.20 + 0.20 + 0.10"), "{text}");
    }

    #[test]
    fn what_ran_until_it_settled_counts_from_there() {
        let mut run = Run::empty().with(&[("h2", "no-agent", &[2000.0, 500.0, 10.0])]);
        run.forks[0].before = 2;
        let part = Part::of(&run, Section::Programs);
        assert_eq!(part.time("h2", "no-agent").map(|time| time.middle), Some(10.0));
        assert!(until_settled(part).markdown().contains("2.5"));
    }
}
