//! The arguments of `cargo xtask bench`.

use std::path::PathBuf;

use super::configurations::{self, Configuration};
use super::programs::{self, Program};
use crate::{Result, tree};

/// The text of `bench help`.
pub const USAGE: &str = "\
usage: cargo xtask bench [ARGS]

  (none)                every program and configuration, 5 forks each, and the cost of one event; about 25 minutes on two quiet cores
  --quick               2 forks of few iterations, no events: 6 minutes; a glance, not figures
  --jdk N[,M]           on these JDKs, one after the other (default: 17)
  --programs A,B        these programs alone
  --configurations A/B  these configurations alone, separated by '/'
  --forks N             JVMs for each program and configuration
  --iterations N        iterations in each, whatever the program
  --dacapo JAR          the programs of an official DaCapo jar, as the paper ran them: -n 31, the first discarded, mean of 30
  --events              the cost of one event alone (JMH)
  --no-events           all but that
  --publish             write into docs (as a run without --quick and without a selection does), not into target/bench
  --report              measure nothing: write the report of the results that are there
";

/// What was asked for.
#[derive(Debug)]
pub struct Options {
    /// As typed, for the report.
    pub text: String,
    /// Few forks of few iterations.
    pub quick: bool,
    /// Feature releases.
    pub jdks: Vec<u32>,
    /// Of our own list.
    pub programs: Vec<&'static Program>,
    /// The names of `--programs`, which are DaCapo's with `--dacapo`.
    pub names: Vec<String>,
    /// In the order of the list.
    pub configurations: Vec<&'static Configuration>,
    /// JVMs for each program and configuration.
    pub forks: usize,
    /// Instead of each program's own number.
    pub iterations: Option<u32>,
    /// An official jar.
    pub dacapo: Option<PathBuf>,
    /// Render only.
    pub report_only: bool,
    events: Option<bool>,
    publish: bool,
    selected: bool,
}

impl Options {
    /// Reads the words behind `bench`.
    ///
    /// # Errors
    /// One line naming the first that is wrong.
    pub fn parse(args: &[&str]) -> Result<Self> {
        let mut options = Self {
            text: args.join(" "),
            quick: false,
            jdks: vec![17],
            programs: programs::ALL.iter().collect(),
            names: Vec::new(),
            configurations: configurations::named(&[])?,
            forks: 0,
            iterations: None,
            dacapo: None,
            report_only: false,
            events: None,
            publish: false,
            selected: false,
        };
        let mut words = args.iter();
        while let Some(&word) = words.next() {
            let mut value = || words.next().copied().ok_or_else(|| format!("{word} needs a value"));
            match word {
                "--quick" => options.quick = true,
                "--events" => options.events = Some(true),
                "--no-events" => options.events = Some(false),
                "--publish" => options.publish = true,
                "--report" => options.report_only = true,
                "--jdk" => options.jdks = value()?.split(',').map(number).collect::<Result<_>>()?,
                "--programs" => options.names = value()?.split(',').map(Into::into).collect(),
                "--configurations" => {
                    options.configurations = configurations::named(&value()?.split('/').collect::<Vec<_>>())?;
                    options.selected = true;
                }
                "--forks" => options.forks = number(value()?)?,
                "--iterations" => options.iterations = Some(number(value()?)?),
                "--dacapo" => options.dacapo = Some(PathBuf::from(value()?)),
                _ => return Err(format!("no such argument: {word} (`cargo xtask bench help` lists them)")),
            }
        }
        if options.dacapo.is_none() && !options.names.is_empty() {
            options.programs = programs::named(&options.names)?;
        }
        if options.forks == 0 {
            options.forks = if options.dacapo.is_some() {
                1
            } else if options.quick {
                2
            } else {
                5
            };
        }
        if options.iterations.is_some_and(|n| n < 2) {
            return Err("--iterations wants 2 or more: the first half only warms up".into());
        }
        Ok(options)
    }

    /// Where results and report go: `docs` for a whole run, and what is not meant for it to `target/bench`.
    pub fn folder(&self) -> PathBuf {
        let whole = !self.quick
            && !self.selected
            && self.names.is_empty()
            && self.events.is_none()
            && self.iterations.is_none()
            && self.dacapo.is_none();
        if self.publish || whole { tree::root().join("docs/benchmarks") } else { tree::cache().join("bench") }
    }

    /// Are programs measured?
    pub fn programs_too(&self) -> bool {
        self.events != Some(true)
    }

    /// Is the cost of one event measured? Not without being asked for in a quick or partial run.
    pub fn events_too(&self) -> bool {
        self.events.unwrap_or(!self.quick && self.names.is_empty() && self.dacapo.is_none())
    }
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T> {
    text.parse().map_err(|_| format!("not a number: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_run_is_published_and_a_partial_one_is_not() {
        for (args, published) in [
            (&[][..], true),
            (&["--jdk", "25"], true),
            (&["--quick"], false),
            (&["--programs", "h2"], false),
            (&["--quick", "--publish"], true),
        ] {
            let folder = Options::parse(args).unwrap().folder();
            assert_eq!(folder.starts_with(tree::root().join("docs")), published, "{args:?}");
        }
    }

    #[test]
    fn wrong_arguments_are_named() {
        for (args, named) in [
            (&["--programs", "h2,nothing"][..], "nothing"),
            (&["--configurations", "slow"], "slow"),
            (&["--forks"], "--forks"),
            (&["--iterations", "1"], "2 or more"),
        ] {
            let error = Options::parse(args).unwrap_err();
            assert!(error.contains(named), "{error}");
        }
    }
}
