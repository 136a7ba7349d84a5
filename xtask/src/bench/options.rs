//! The arguments of `cargo xtask bench`.

use std::path::PathBuf;

use super::configurations::{self, Configuration};
use super::programs::{self, BenchProgram};
use super::section::Section;
use super::sources;
use crate::{Result, tree};

/// The text of `bench help`.
pub const USAGE: &str = "\
usage: cargo xtask bench [ARGS]

  (none)                everything on JDK 17; the plan is printed first
  --quick               the programs alone, 2 forks of few iterations: a glance, not figures
  --jdk N[,M]           on these JDKs, one after the other

sections; those named alone, or all but those named with --no-
  --programs [A,B]      the programs, or these of them, under every configuration
  --encoders [A,B]      the same under each encoder, and under options that need the word of every activation
  --sampled [A,B]       the same under profiles, and under sampled allocations with and without hooks
  --settled [A,B]       the same once the JIT has little left to do, without the agent, with it, with hooks=all, encoder=pcc
                        and encoder=cct, or under the --configurations named
  --startup             an application of 5000 classes to its first result
  --threads             1, 2 and 4 threads, virtual threads, stacks of up to 10 000 frames
  --sources [A,B]       event sources, each alone, and alloc=all beside other tools, on five programs or these of them
  --recursion           fib, a recursive-descent parser, a tree walk
  --rewriting           rewriting of classes, beside ASM
  --events              the cost of one event (JMH)
  --no-programs ...     all but that
  --decoder [N,M]       alone, and nothing else: lucce-decode on logs of N, M million events (default 1,10,80), beside jfr and jfr-converter

  --service [MINUTES]   alone: Tomcat under load with profile=10ms,hot=1e-4, and its memory each minute (default 30)

  --attach [A,B]        alone: h2 and tomcat, or these programs, while Lucce or async-profiler is attached and samples with alloc=512k: throughput
                        over that without, in the same JVM
      [--jdk N[,M]] [--forks N] [--rounds N] [--seconds N] [--warm N]
                        N JVMs of each program and agent (default 3), in each N stays of the agent (default 5) of N seconds (default 10),
                        behind N seconds to warm up (default 20)

  --systems [lucce,dacce,icpp,acct,hcct]  alone: traces of the programs replayed through all encoders and profiles, and what
                        encoders cost (with lucce); renews these sections of docs/SYSTEMS.md. Replays take a tenth of the time with
                        `cargo run --release -p xtask -- bench --systems`;
                        `profilers`, where it is named: async-profiler, Flight Recorder and `profile` against exact calls,
                        by a quarter of the iterations of --quick; a program whose exact run takes two minutes is left out
      [--programs A,B] [--runs N] [--iterations N] [--entries N] [--traces FOLDER] [--jdk N] [--publish]
                        N runs in a row, the first dropped (default 31, as the paper); N iterations recorded (default 2), of which
                        at most N entries are replayed (default 20 million);
                        traces are kept in FOLDER, and not recorded again if they are there

  --configurations A/B  these configurations alone, separated by '/'
  --forks N             JVMs for each program and configuration (default 5; 3 for encoders, sampled, settled, threads, recursion and sources)
  --iterations N        iterations in each, whatever the program
  --dacapo JAR          the programs of an official DaCapo jar, as the paper ran them: -n 31, the first discarded, mean of 30
  --publish             write into docs (as a run of whole sections does), not into target/bench
  --resume              add what an interrupted run of the same commit lacks, in place of beginning anew
  --report              measure nothing: write the report of the results that are there

Sections that are not measured stay in the results as they are, and so do programs of a section in which others are named.
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
    /// What is measured.
    pub sections: Vec<Section>,
    /// Of our own list.
    pub programs: Vec<&'static BenchProgram>,
    /// The names behind a section of programs, which are DaCapo's with `--dacapo`.
    pub names: Vec<String>,
    /// Of the section on event sources; all for none.
    pub sources: Vec<String>,
    /// Those asked for; all for none.
    configurations: Option<Vec<&'static Configuration>>,
    /// What `--forks` says.
    forks: Option<usize>,
    /// Instead of each program's own number.
    pub iterations: Option<u32>,
    /// An official jar.
    pub dacapo: Option<PathBuf>,
    /// Render only.
    pub report_only: bool,
    /// Keep what was measured of this commit.
    pub resume: bool,
    publish: bool,
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
            sections: Vec::new(),
            programs: programs::ALL.iter().collect(),
            names: Vec::new(),
            sources: Vec::new(),
            configurations: None,
            forks: None,
            iterations: None,
            dacapo: None,
            report_only: false,
            resume: false,
            publish: false,
        };
        let (mut alone, mut without) = (Vec::new(), Vec::new());
        let mut words = args.iter().peekable();
        while let Some(&word) = words.next() {
            let section = |prefix: &str| word.strip_prefix(prefix).and_then(Section::named);
            if let Some(section) = section("--") {
                alone.push(section);
                let names = match section {
                    _ if section.is_of_programs() => &mut options.names,
                    Section::Sources => &mut options.sources,
                    _ => continue,
                };
                if let Some(listed) = words.next_if(|next| !next.starts_with("--")) {
                    *names = listed.split(',').map(Into::into).collect();
                }
                continue;
            }
            if let Some(section) = section("--no-") {
                without.push(section);
                continue;
            }
            let mut value = || words.next().copied().ok_or_else(|| format!("{word} needs a value"));
            match word {
                "--quick" => options.quick = true,
                "--publish" => options.publish = true,
                "--report" => options.report_only = true,
                "--resume" => options.resume = true,
                "--jdk" => options.jdks = value()?.split(',').map(number).collect::<Result<_>>()?,
                "--configurations" => {
                    options.configurations = Some(configurations::named(&value()?.split('/').collect::<Vec<_>>())?);
                }
                "--forks" => options.forks = Some(number(value()?)?),
                "--iterations" => options.iterations = Some(number(value()?)?),
                "--dacapo" => options.dacapo = Some(PathBuf::from(value()?)),
                _ => return Err(format!("no such argument: {word} (`cargo xtask bench help` lists them)")),
            }
        }
        options.complete(&alone, &without)?;
        Ok(options)
    }

    fn complete(&mut self, alone: &[Section], without: &[Section]) -> Result<()> {
        let small = self.quick || self.dacapo.is_some();
        let wanted = |section: &Section| match section {
            _ if !alone.is_empty() => alone.contains(section),
            Section::Programs => true,
            _ => !small || !without.is_empty(),
        };
        self.sections = Section::ALL.into_iter().filter(|one| wanted(one) && !without.contains(one)).collect();
        if self.dacapo.is_none() && !self.names.is_empty() {
            self.programs = programs::named(&self.names)?;
        }
        sources::check(&self.sources)?;
        if self.iterations.is_some_and(|n| n < 2) {
            return Err("--iterations wants 2 or more: the first half only warms up".into());
        }
        Ok(())
    }

    /// Where results and report go: `docs` for whole sections, and what is not meant for it to
    /// `target/bench`.
    pub fn folder(&self) -> PathBuf {
        let whole = !self.quick
            && self.configurations.is_none()
            && self.names.is_empty()
            && self.sources.is_empty()
            && self.iterations.is_none()
            && self.forks.is_none_or(|forks| forks >= 5)
            && self.dacapo.is_none();
        if self.publish || whole { tree::root().join("docs/benchmarks") } else { tree::cache().join("bench") }
    }

    /// The programs of a section that were asked for by name; none where all of them were.
    pub fn named(&self, section: Section) -> &[String] {
        match section {
            _ if section.is_of_programs() => &self.names,
            Section::Sources => &self.sources,
            _ => &[],
        }
    }

    /// JVMs for each program and configuration of a section.
    pub fn forks(&self, section: Section) -> usize {
        self.forks.unwrap_or(match section {
            _ if self.dacapo.is_some() => 1,
            _ if self.quick => 2,
            Section::Encoders
            | Section::Sampled
            | Section::Settled
            | Section::Threads
            | Section::Recursion
            | Section::Sources => 3,
            _ => 5,
        })
    }

    /// Were configurations asked for by name?
    pub fn names_configurations(&self) -> bool {
        self.configurations.is_some()
    }

    /// Those of `all` that were asked for, in their order.
    pub fn configurations(&self, all: Vec<&'static Configuration>) -> Vec<&'static Configuration> {
        match &self.configurations {
            Some(asked) => all.into_iter().filter(|configuration| asked.contains(configuration)).collect(),
            None => all,
        }
    }
}

/// A number that was typed.
///
/// # Errors
/// It is none.
pub fn number<T: std::str::FromStr>(text: &str) -> Result<T> {
    text.parse().map_err(|_| format!("not a number: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_sections_are_published_and_parts_are_not() {
        for (args, published) in [
            (&[][..], true),
            (&["--jdk", "25", "--startup"], true),
            (&["--quick"], false),
            (&["--programs", "h2"], false),
            (&["--sources"], true),
            (&["--sources", "h2"], false),
            (&["--forks", "2"], false),
            (&["--quick", "--publish"], true),
        ] {
            let folder = Options::parse(args).unwrap().folder();
            assert_eq!(folder.starts_with(tree::root().join("docs")), published, "{args:?}");
        }
    }

    #[test]
    fn sections_are_chosen_or_left_out() {
        use Section::*;
        for (args, sections) in [
            (&[][..], &Section::ALL[..]),
            (&["--quick"], &[Programs]),
            (&["--quick", "--startup", "--events"], &[Startup, Events]),
            (&["--programs", "--forks", "1"], &[Programs]),
            (&["--sources", "h2,fop", "--forks", "1"], &[Sources]),
            (
                &["--no-programs", "--no-events"],
                &[Encoders, Sampled, Settled, Startup, Threads, Recursion, Sources, Rewriting],
            ),
        ] {
            assert_eq!(Options::parse(args).unwrap().sections, sections, "{args:?}");
        }
    }

    #[test]
    fn wrong_arguments_are_named() {
        for (args, named) in [
            (&["--programs", "h2,nothing"][..], "nothing"),
            (&["--sources", "h2,pmd"], "pmd"),
            (&["--configurations", "slow"], "slow"),
            (&["--forks"], "--forks"),
            (&["--iterations", "1"], "2 or more"),
            (&["--no-such"], "--no-such"),
        ] {
            let error = Options::parse(args).unwrap_err();
            assert!(error.contains(named), "{error}");
        }
    }
}
