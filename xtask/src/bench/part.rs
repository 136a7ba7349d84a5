//! One section of a run that is made of forks: medians, ranges and ratios.

use std::collections::BTreeMap;

use super::configurations::{self, BASE, BASE_WITHOUT_CDS, Configuration};
use super::programs;
use super::results::{Fork, Memory, Run};
use super::section::Section;
use super::statistics::{self, Range};

/// Calls a second without the agent above which a program counts as call-dense (issue-level
/// definition).
pub const DENSE: f64 = 50e6;

/// A section of a run.
#[derive(Clone, Copy, Debug)]
pub struct Part<'r> {
    run: &'r Run,
    section: Section,
}

impl<'r> Part<'r> {
    /// That section.
    pub fn of(run: &'r Run, section: Section) -> Self {
        Self { run, section }
    }

    /// The configuration that the others are divided by.
    pub fn base(self) -> &'static str {
        if self.section == Section::Startup { BASE_WITHOUT_CDS } else { BASE }
    }

    fn forks(self) -> impl Iterator<Item = &'r Fork> {
        self.run.forks.iter().filter(move |fork| fork.section == Some(self.section))
    }

    /// Those of a program under a configuration.
    pub fn of_both(self, program: &str, configuration: &str) -> Vec<&'r Fork> {
        self.forks().filter(|fork| fork.program == program && fork.configuration == configuration).collect()
    }

    /// The programs, in the order of the list, whichever was measured last; those that are not in
    /// it as they ran.
    pub fn programs(self) -> Vec<&'r str> {
        let mut programs: Vec<&str> = Vec::new();
        for fork in self.forks() {
            if !programs.contains(&fork.program.as_str()) {
                programs.push(&fork.program);
            }
        }
        programs.sort_by_key(|name| programs::ALL.iter().position(|known| known.name == *name).unwrap_or(usize::MAX));
        programs
    }

    /// The configurations there are results of, in the order of the list.
    pub fn configurations(self) -> Vec<&'static Configuration> {
        configurations::all().filter(|c| self.forks().any(|fork| fork.configuration == c.name)).collect()
    }

    /// Milliseconds of an iteration: median and range over the forks.
    pub fn time(self, program: &str, configuration: &str) -> Option<Range> {
        self.time_of_first(usize::MAX, program, configuration)
    }

    /// The same as if each fork had ended after so many iterations.
    fn time_of_first(self, most: usize, program: &str, configuration: &str) -> Option<Range> {
        let forks = self.of_both(program, configuration);
        Range::of(&forks.iter().filter_map(|fork| self.run.figure_of_first(fork, most)).collect::<Vec<_>>())
    }

    /// The largest number of iterations in a fork; `usize::MAX` where it ran until it had settled.
    /// A configuration that stops early is compared with as many of another's: later ones are
    /// faster.
    fn length(self, program: &str, configuration: &str) -> usize {
        let length = |fork: &&Fork| if fork.before > 0 { usize::MAX } else { fork.iterations.len() };
        self.of_both(program, configuration).iter().map(length).max().unwrap_or(0)
    }

    /// [`Part::time`] divided by the median of the base.
    pub fn ratio(self, program: &str, configuration: &str) -> Option<Range> {
        self.ratio_to(self.base(), program, configuration)
    }

    /// The median of [`Part::time`] of another configuration, over as many iterations as this one
    /// ran.
    pub fn time_of_other(self, other: &str, program: &str, configuration: &str) -> Option<f64> {
        Some(self.time_of_first(self.length(program, configuration), program, other)?.middle)
    }

    /// [`Part::time`] divided by [`Part::time_of_other`].
    pub fn ratio_to(self, base: &str, program: &str, configuration: &str) -> Option<Range> {
        Some(self.time(program, configuration)?.over(self.time_of_other(base, program, configuration)?))
    }

    /// How many times as long an iteration of one program takes as one of another that has run in
    /// the same JVM: median and range over the forks.
    pub fn growth(self, from: &str, to: &str, configuration: &str) -> Option<Range> {
        let figure = |fork: &Fork| Some((fork.fork, self.run.figure(fork)?));
        let figures = |program: &str| self.of_both(program, configuration).into_iter().filter_map(figure);
        let from: BTreeMap<usize, f64> = figures(from).collect();
        let growths = figures(to).filter_map(|(fork, time)| Some(time / from.get(&fork)?));
        Range::of(&growths.collect::<Vec<_>>())
    }

    /// Milliseconds of CPU of an iteration, all threads of the JVM: mean over the iterations that
    /// count, median over the forks.
    pub fn cpu(self, program: &str, configuration: &str) -> Option<Range> {
        self.mean(program, configuration, |fork| &fork.cpu)
    }

    /// The same of what `of` takes, which has a value for each iteration.
    pub fn mean(self, program: &str, configuration: &str, of: impl Fn(&Fork) -> &[f64]) -> Option<Range> {
        self.mean_of_first(usize::MAX, program, configuration, of)
    }

    fn mean_of_first(
        self,
        most: usize,
        program: &str,
        configuration: &str,
        of: impl Fn(&Fork) -> &[f64],
    ) -> Option<Range> {
        let forks = self.of_both(program, configuration);
        let means = forks.iter().filter_map(|fork| statistics::mean(fork.counted_of_first(most, of(fork))));
        Range::of(&means.collect::<Vec<_>>())
    }

    /// The median of [`Part::cpu`] of the base, over as many iterations as the configuration ran;
    /// above 0.
    pub fn cpu_of_base(self, program: &str, configuration: &str) -> Option<f64> {
        let most = self.length(program, configuration);
        let base = self.mean_of_first(most, program, self.base(), |fork| &fork.cpu)?;
        Some(base.middle).filter(|base| *base > 0.0)
    }

    /// [`Part::cpu`] divided by [`Part::cpu_of_base`].
    pub fn cpu_ratio(self, program: &str, configuration: &str) -> Option<Range> {
        Some(self.cpu(program, configuration)?.over(self.cpu_of_base(program, configuration)?))
    }

    /// Geometric mean of the median ratios of the programs that `of` takes and that ran under both.
    pub fn mean_ratio(self, configuration: &str, of: impl Fn(&str) -> bool) -> Option<f64> {
        self.mean_ratio_to(self.base(), configuration, of)
    }

    /// The same of [`Part::ratio_to`].
    pub fn mean_ratio_to(self, base: &str, configuration: &str, of: impl Fn(&str) -> bool) -> Option<f64> {
        let programs = self.programs().into_iter().filter(|program| of(program));
        let ratios = programs.filter_map(|program| self.ratio_to(base, program, configuration));
        statistics::geometric_mean(&ratios.map(|ratio| ratio.middle).collect::<Vec<_>>())
    }

    /// Calls of the application's methods in a second without the agent: the number counted in a
    /// JVM that counts, by the time of those that do not.
    pub fn calls_per_second(self, program: &str) -> Option<f64> {
        let calls = *self.run.calls.get(program)?;
        Some(calls as f64 / self.time(program, BASE)?.middle * 1000.0)
    }

    /// Has it more than [`DENSE`] calls a second?
    pub fn is_dense(self, program: &str) -> bool {
        self.calls_per_second(program).is_some_and(|calls| calls > DENSE)
    }

    /// Median of one figure of memory, in KiB; `None` where it is unknown.
    pub fn memory(self, program: &str, configuration: &str, figure: impl Fn(&Memory) -> u64) -> Option<f64> {
        let all: Vec<f64> =
            self.of_both(program, configuration).iter().map(|fork| figure(&fork.memory) as f64).collect();
        statistics::median(&all).filter(|median| *median > 0.0)
    }

    /// Median of the lengths of the log, in bytes.
    pub fn log(self, program: &str, configuration: &str) -> Option<f64> {
        let forks = self.of_both(program, configuration);
        statistics::median(&forks.iter().map(|fork| fork.log_bytes as f64).collect::<Vec<_>>())
    }

    /// What the log of the first fork says.
    pub fn figures(self, program: &str, configuration: &str) -> Option<&'r BTreeMap<String, u64>> {
        self.first_with_figures(program, configuration).map(|fork| &fork.figures)
    }

    fn first_with_figures(self, program: &str, configuration: &str) -> Option<&'r Fork> {
        self.of_both(program, configuration).into_iter().find(|fork| !fork.figures.is_empty())
    }

    /// One figure of the first fork, and the number of its iterations.
    pub fn figure(self, program: &str, configuration: &str, name: &str) -> Option<(u64, usize)> {
        let fork = self.first_with_figures(program, configuration)?;
        Some((*fork.figures.get(name)?, fork.iterations.len()))
    }

    /// Such a figure, by the life of the JVM that it is of.
    pub fn per_second(self, program: &str, configuration: &str, name: &str) -> Option<f64> {
        let fork = self.first_with_figures(program, configuration).filter(|fork| fork.life > 0.0)?;
        Some(*fork.figures.get(name)? as f64 / fork.life)
    }

    /// The number of forks of one of these programs under a configuration: least and greatest.
    pub fn fork_counts(self, programs: &[&str]) -> (usize, usize) {
        let mut counts = BTreeMap::new();
        for fork in self.forks().filter(|fork| programs.contains(&fork.program.as_str())) {
            *counts.entry((&fork.program, &fork.configuration)).or_insert(0) += 1;
        }
        (counts.values().min().copied().unwrap_or(0), counts.values().max().copied().unwrap_or(0))
    }
}

/// How many times as long the programs take under a configuration of profiles as under another:
/// geometric mean.
pub fn sampled(costs: Option<&Run>, base: &str, name: &str) -> Option<f64> {
    Part::of(costs?, Section::Sampled).mean_ratio_to(base, name, |_| true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Run {
        let mut run = Run::empty().with(&[
            ("h2", "no-agent", &[50.0, 10.0]),
            ("h2", "lucce", &[90.0, 20.0]),
            ("h2", "lucce", &[90.0, 30.0]),
            ("xalan", "no-agent", &[9.0, 4.0]),
            ("xalan", "lucce", &[9.0, 16.0]),
        ]);
        run.calls = [("h2".to_owned(), 1_000_000), ("xalan".to_owned(), 100_000)].into();
        run
    }

    #[test]
    fn ratios_are_of_medians_and_keep_their_range() {
        let run = sample();
        let part = Part::of(&run, Section::Programs);
        assert_eq!(part.ratio("h2", "lucce"), Some(Range { low: 2.0, middle: 2.5, high: 3.0 }));
        assert_eq!(part.ratio_to("lucce", "h2", "no-agent"), Some(Range { low: 0.4, middle: 0.4, high: 0.4 }));
        assert_eq!(part.ratio("h2", "encoder=algorithm1"), None);
        assert_eq!(part.fork_counts(&["h2", "xalan"]), (1, 2));
        let again = run.with(&[("monitors", "lucce", &[9.0, 4.0]), ("batik", "lucce", &[9.0, 4.0])]);
        assert_eq!(Part::of(&again, Section::Programs).programs(), ["batik", "h2", "xalan", "monitors"]);
    }

    #[test]
    fn what_stops_early_is_compared_with_as_many_iterations() {
        let run = Run::empty().with(&[("h2", "no-agent", &[90.0, 40.0, 10.0, 10.0]), ("h2", "lucce", &[90.0, 80.0])]);
        let part = Part::of(&run, Section::Programs);
        assert_eq!(part.ratio("h2", "lucce").map(|ratio| ratio.middle), Some(2.0));
        assert_eq!(part.cpu_ratio("h2", "lucce").map(|ratio| ratio.middle), Some(2.0));
        assert_eq!(part.time("h2", "no-agent").map(|time| time.middle), Some(10.0));
    }

    #[test]
    fn growth_is_within_each_fork() {
        let mut run =
            Run::empty().with(&[("x, 1 thread", "lucce", &[9.0, 2.0]), ("x, 2 threads", "lucce", &[9.0, 3.0])]);
        run.forks.push(Fork { fork: 1, iterations: vec![10.0], ..run.forks[0].clone() });
        run.forks.push(Fork { fork: 1, iterations: vec![20.0], ..run.forks[1].clone() });
        run.forks.push(Fork { fork: 2, iterations: vec![1.0], ..run.forks[1].clone() });
        let growth = Part::of(&run, Section::Programs).growth("x, 1 thread", "x, 2 threads", "lucce");
        assert_eq!(growth, Some(Range { low: 1.5, middle: 1.75, high: 2.0 }));
    }

    #[test]
    fn call_dense_programs_have_a_mean_of_their_own() {
        let run = sample();
        let part = Part::of(&run, Section::Programs);
        assert!(part.is_dense("h2") && !part.is_dense("xalan"));
        assert!((part.mean_ratio("lucce", |_| true).unwrap() - 10f64.sqrt()).abs() < 1e-12);
        assert!((part.mean_ratio("lucce", |program| part.is_dense(program)).unwrap() - 2.5).abs() < 1e-12);
    }
}
