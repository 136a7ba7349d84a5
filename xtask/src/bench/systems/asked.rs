//! What was asked for of `cargo xtask bench --systems`.
//!
//! Invariant: what is no whole run, as the paper measures, is published only where `--publish` says
//! so, and states that it is a part.

use std::path::PathBuf;

use super::super::programs::{self, BenchProgram};
use crate::{Result, tree};

/// Systems that are built. `icpp` is the table of all encoders alone.
const SYSTEMS: [&str; 5] = ["lucce", "dacce", "icpp", "acct", "hcct"];

/// What is measured only where it is named: profilers beside `profile`.
pub(super) const PROFILERS: &str = "profilers";

/// The runs of the paper's protocol, the first of which is dropped.
pub(super) const RUNS: u32 = 31;

/// What was asked for.
pub(super) struct SystemsOptions {
    pub(super) text: String,
    pub(super) systems: Vec<String>,
    pub(super) programs: Vec<&'static BenchProgram>,
    pub(super) runs: u32,
    /// Iterations of a program while it is recorded or profiled, where they were named.
    pub(super) iterations: Option<u32>,
    /// Most entries that are replayed.
    pub(super) entries: u64,
    /// Where traces are kept, and taken from if they are there.
    pub(super) traces: Option<PathBuf>,
    pub(super) jdk: u32,
    pub(super) publish: bool,
}

impl SystemsOptions {
    pub(super) fn parse(args: &[&str]) -> Result<Self> {
        let mut options = Self {
            text: format!("--systems {}", args.join(" ")),
            systems: SYSTEMS.map(Into::into).into(),
            programs: programs::ALL.iter().collect(),
            runs: RUNS,
            iterations: None,
            entries: 20_000_000,
            traces: None,
            jdk: 17,
            publish: false,
        };
        let mut words = args.iter().peekable();
        if let Some(listed) = words.next_if(|word| !word.starts_with("--")) {
            options.systems = listed.split(',').map(Into::into).collect();
        }
        while let Some(&word) = words.next() {
            let mut value = || words.next().copied().ok_or_else(|| format!("{word} needs a value"));
            match word {
                "--programs" => {
                    let names: Vec<String> = value()?.split(',').map(Into::into).collect();
                    options.programs = programs::named(&names)?;
                }
                "--traces" => options.traces = Some(tree::root().join(value()?)),
                "--runs" => options.runs = super::super::options::number(value()?)?,
                "--iterations" => options.iterations = Some(super::super::options::number(value()?)?),
                "--entries" => options.entries = super::super::options::number(value()?)?,
                "--jdk" => options.jdk = super::super::options::number(value()?)?,
                "--publish" => options.publish = true,
                _ => return Err(format!("no such argument: {word} (`cargo xtask bench help` lists them)")),
            }
        }
        let known = |name: &str| SYSTEMS.contains(&name) || name == PROFILERS;
        if let Some(other) = options.systems.iter().find(|name| !known(name)) {
            return Err(format!("no system {other}: there are {} and {PROFILERS}", SYSTEMS.join(", ")));
        }
        if options.runs < 2 {
            return Err("--runs wants 2 or more: the first is dropped".into());
        }
        Ok(options)
    }

    pub(super) fn has(&self, system: &str) -> bool {
        self.systems.iter().any(|name| name == system)
    }

    /// Are encoders replayed, beside profiles?
    pub(super) fn has_encoders(&self) -> bool {
        ["lucce", "dacce", "icpp"].into_iter().any(|system| self.has(system))
    }

    /// Is any system built that replays traces?
    pub(super) fn has_replays(&self) -> bool {
        SYSTEMS.into_iter().any(|system| self.has(system))
    }

    /// Is it all of it, as the paper measures?
    pub(super) fn is_whole(&self) -> bool {
        let systems = SYSTEMS.into_iter().all(|system| self.has(system));
        systems && self.runs >= RUNS && self.programs.len() == programs::ALL.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_measured_by_default_is_the_papers_protocol() {
        let options = SystemsOptions::parse(&[]).unwrap();
        assert!(options.is_whole() && SYSTEMS.iter().all(|system| options.has(system)));
        assert_eq!((options.runs, options.programs.len()), (31, 12));
        let part = SystemsOptions::parse(&["dacce", "--programs", "h2", "--runs", "2"]).unwrap();
        assert!(!part.is_whole() && !part.has("lucce") && part.has_encoders());
        let profiles = SystemsOptions::parse(&["acct,hcct"]).unwrap();
        assert!(!profiles.is_whole() && !profiles.has_encoders() && profiles.has_replays());
        let profilers = SystemsOptions::parse(&["profilers", "--programs", "h2"]).unwrap();
        assert!(!profilers.is_whole() && !profilers.has_replays());
    }

    #[test]
    fn wrong_arguments_are_named() {
        for (args, named) in [(&["pcc"][..], "pcc"), (&["--programs", "none"], "none"), (&["--runs", "1"], "--runs")] {
            let error = SystemsOptions::parse(args).err().unwrap();
            assert!(error.contains(named), "{error}");
        }
    }
}
