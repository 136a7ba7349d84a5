//! `--systems profilers`: a profile of the same work by async-profiler, by Flight Recorder and by
//! `profile`, each against the exact calls by context.
//!
//! Invariant: every run does the same iterations in a JVM of its own, with the same interval. A
//! context is a path of methods, which all of them can tell. What a profiler has of the JDK and of
//! native code is left out in all alike, since the exact calls do not have it.
//! An exact run ends at its limit, and its program with one line.
//! Source: HCCT, section 5 (overlap, errors); docs/guide/profiles.md.

mod paths;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use lucce_profiles::metrics::{self, Weights};
use lucce_profiles::summary::threshold;

use self::paths::Paths;
use super::super::programs::{self, BenchProgram};
use super::super::{child, loaded};
use super::asked::SystemsOptions;
use crate::{Result, process, tree};

/// The heading of its section.
pub const TITLE: &str = "Profilers";
/// What stands under it.
const NOTE: &str = "\
A profile of the same work by each profiler, against the exact calls by context (`entries=*`). All sample each 10 ms, but for `profile=10007`.\n\
The samples are those of three JVMs, each with the iterations of the exact run: few, since that one calls the agent at each entry.\n\
Overlap is the share that profile and calls give to the same contexts. A context is strange if the program never had it.\n\
Hot contexts have 0.1 % of the calls or more; of those that the profile has, the mean error is by their calls.\n\
All but the last weigh time, not calls, so even a perfect one does not overlap in full.\n\
Methods that call nothing may have no hooks without `entries`. Then `profile` does not sample them, and the exact calls have them.\n\
What is strange is an error in each: a stack that was cut, or put together from two.\n\
Frames of the JDK and of native code are left out.\n\n";
/// A context is hot that has this share of the calls.
const PHI: f64 = 0.001;
/// Contexts are written as text, which takes gigabytes where there are millions: such programs are
/// left out unless they are named.
const MANY: [&str; 3] = ["eclipse", "jython", "pmd"];

/// JVMs of each profiler, whose samples are added up: they do as few iterations as the exact run.
const FORKS: u32 = 3;
/// Longest exact run. Each call enters the agent, so it takes about a microsecond.
const LIMIT: Duration = Duration::from_secs(120);

/// What was sampled, and how.
#[derive(Clone, Copy)]
enum Profiler {
    /// By processor time of each thread.
    Async,
    /// Flight Recorder, with its settings for profiles.
    Recorder,
    /// `profile=` of this agent.
    Ours(&'static str),
}

/// In the order of the table.
const PROFILERS: [(&str, Profiler); 4] = [
    ("async-profiler, cpu", Profiler::Async),
    ("Flight Recorder", Profiler::Recorder),
    ("`profile=10ms`", Profiler::Ours("10ms")),
    ("`profile=10007`", Profiler::Ours("10007")),
];

/// What all runs have shown.
pub struct Outcome {
    compared: Vec<Compared>,
    left_out: Vec<LeftOut>,
}

/// A program that is not compared, and why.
struct LeftOut {
    program: &'static str,
    why: String,
}

/// A program, and how far each profile of it is from the calls.
struct Compared {
    program: &'static str,
    calls: u64,
    contexts: usize,
    profiles: Vec<(&'static str, Measures)>,
}

/// How far one is.
struct Measures {
    samples: u64,
    contexts: usize,
    overlap: f64,
    strange: f64,
    hot: f64,
    error: f64,
}

/// Runs all profilers on each program. A program whose exact run fails or takes too long is left
/// out.
///
/// # Errors
/// One line: no program is left, or what a profiler has written cannot be read.
pub fn measure(options: &SystemsOptions, java: &Path, scratch: &Path) -> Result<Outcome> {
    let are_named = options.programs.len() < programs::ALL.len();
    let (mut compared, mut left_out) = (Vec::new(), Vec::new());
    for program in &options.programs {
        if !are_named && MANY.contains(&program.name) {
            left_out
                .push(LeftOut { program: program.name, why: "it is not named, and has millions of contexts".into() });
            continue;
        }
        let work = Work { program, iterations: iterations(options.iterations, program), java, scratch };
        let began = Instant::now();
        match work.ours("entries=*", "entry") {
            Ok(calls) => compared.push(work.compare(&calls, began)?),
            Err(why) => {
                let why = format!("its exact run of {} iterations: {why}", work.iterations);
                println!("{:10} is left out; {why}", program.name);
                left_out.push(LeftOut { program: program.name, why });
            }
        }
    }
    if compared.is_empty() {
        return Err("no exact run came to its end: name fewer --iterations".into());
    }
    Ok(Outcome { compared, left_out })
}

/// Of every run of a program: a quarter of what a quick run of the benchmarks does.
fn iterations(asked: Option<u32>, program: &BenchProgram) -> u32 {
    asked.unwrap_or((program.iterations.1 / 4).max(2))
}

/// What all runs of a program have in common.
struct Work<'w> {
    program: &'w BenchProgram,
    iterations: u32,
    java: &'w Path,
    scratch: &'w Path,
}

impl Work<'_> {
    fn file(&self, end: &str) -> PathBuf {
        self.scratch.join(format!("{}.{end}", self.program.name))
    }

    fn compare(&self, calls: &str, began: Instant) -> Result<Compared> {
        let mut known = Paths::default();
        let exact = known.exact(calls);
        let took = began.elapsed();
        let mut profiles = Vec::new();
        for (name, profiler) in PROFILERS {
            let mut profile = Weights::new();
            for _ in 0..FORKS {
                for (path, of) in self.profile(profiler, &known)? {
                    *profile.entry(path).or_default() += of;
                }
            }
            profiles.push((name, Measures::of(&profile, &exact)));
        }
        let (program, calls) = (self.program.name, metrics::total(&exact));
        println!(
            "{program:10} {calls} calls of {} iterations, counted in {} s, compared with {} profiles in {} s",
            self.iterations,
            took.as_secs(),
            profiles.len(),
            (began.elapsed() - took).as_secs()
        );
        Ok(Compared { program, calls, contexts: exact.len(), profiles })
    }

    /// The samples of one JVM.
    fn profile(&self, profiler: Profiler, known: &Paths) -> Result<Weights<String>> {
        match profiler {
            Profiler::Ours(which) => Ok(known.collapsed(&self.ours(&format!("profile={which}"), "profile")?)),
            Profiler::Async => {
                let out = self.file("async");
                self.run(&[loaded::ctimer("10ms", &out)?])?;
                Ok(known.collapsed(&read(&out)?))
            }
            Profiler::Recorder => {
                let out = self.file("jfr");
                self.run(&[
                    format!("-XX:FlightRecorderOptions=stackdepth={}", loaded::DEEPEST),
                    format!("-XX:StartFlightRecording=settings=profile,filename={}", out.display()),
                ])?;
                let mut jfr = process::command(self.java.with_file_name("jfr"));
                jfr.args(["print", "--json", "--events", "jdk.ExecutionSample"]);
                jfr.args(["--stack-depth", &loaded::DEEPEST.to_string()]);
                known.recorded(&process::output(jfr.arg(&out))?)
            }
        }
    }

    /// The collapsed stacks of a run under this agent.
    fn ours(&self, options: &str, kind: &str) -> Result<String> {
        let (log, out) = (self.file("log"), self.file("collapsed"));
        let agent = tree::release("liblucce.so");
        let with = format!("-agentpath:{}=quiet,file={},{options}", agent.display(), log.display());
        let ended = self.run(&[with]);
        let mut decode = process::command(tree::release("lucce-decode"));
        decode.arg("export").arg(&log).args(["--kind", kind, "-o"]).arg(&out);
        let text = ended.and_then(|()| process::output(&mut decode)).and_then(|_| read(&out));
        let _ = (fs::remove_file(&log), fs::remove_file(&out));
        text
    }

    /// A run with these options of the JVM.
    fn run(&self, with: &[String]) -> Result<()> {
        let mut java = self.program.java(self.java, self.scratch, with, &self.iterations.to_string())?;
        let ended = child::wait(java.stdout(Stdio::null()).stderr(Stdio::null()), LIMIT);
        let _ = fs::remove_dir_all(self.scratch.join("work"));
        ended.map_err(|what| format!("{}: {what}", self.program.name))
    }
}

fn read(file: &PathBuf) -> Result<String> {
    fs::read_to_string(file).map_err(|e| format!("cannot read {}: {e}", file.display()))
}

impl Measures {
    fn of(profile: &Weights<String>, exact: &Weights<String>) -> Self {
        let (samples, calls) = (metrics::total(profile), metrics::total(exact));
        let strange: u64 = profile.iter().filter(|(path, _)| !exact.contains_key(*path)).map(|(_, of)| of).sum();
        let least = threshold(PHI, calls);
        let is_hot = |(_, of): &(&String, &u64)| **of >= least;
        let hot = exact.iter().filter(is_hot).count();
        let found = exact.iter().filter(is_hot).filter(|(path, _)| profile.contains_key(*path)).count();
        Self {
            samples,
            contexts: profile.len(),
            overlap: metrics::overlap(profile, exact),
            strange: strange as f64 / samples.max(1) as f64,
            hot: found as f64 / hot.max(1) as f64,
            error: metrics::errors(profile, exact, least, calls as f64 / samples.max(1) as f64).0,
        }
    }
}

/// The section.
pub fn markdown(Outcome { compared, left_out }: &Outcome) -> String {
    let mut text = NOTE.to_owned();
    text += "| program | profile | samples | contexts | overlap | samples in strange contexts | hot contexts found | mean error |\n";
    text += "|---|---|---|---|---|---|---|---|\n";
    for Compared { program, calls, contexts, profiles } in compared {
        text += &format!("| {program} | exact | {calls} calls | {contexts} | | | | |\n");
        for (name, of) in profiles {
            let [overlap, strange, hot, error] =
                [of.overlap, of.strange, of.hot, of.error].map(|share| format!("{:.1} %", 100.0 * share));
            // Of no context there is no mean.
            let error = if of.hot > 0.0 { error } else { "-".into() };
            text +=
                &format!("| | {name} | {} | {} | {overlap} | {strange} | {hot} | {error} |\n", of.samples, of.contexts);
        }
    }
    if !left_out.is_empty() {
        text += "\nLeft out:\n\n";
    }
    for LeftOut { program, why } in left_out {
        text += &format!("- {program}: {why}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_is_measured_by_what_the_program_did() {
        let weights = |all: &[(&str, u64)]| all.iter().map(|(path, of)| ((*path).to_owned(), *of)).collect();
        let exact: Weights<String> = weights(&[("a", 100), ("a;b", 800), ("a;c", 100)]);
        let of = Measures::of(&weights(&[("a;b", 6), ("a;d", 2)]), &exact);
        assert_eq!((of.samples, of.contexts), (8, 2));
        assert_eq!((of.overlap, of.strange, of.hot), (0.75, 0.25, 1.0 / 3.0));
        assert!((of.error - 0.0625).abs() < 1e-9, "{}", of.error);
        let compared = Compared { program: "p", calls: 1000, contexts: 3, profiles: vec![("one", of)] };
        let left_out = vec![LeftOut { program: "q", why: "why".into() }];
        let text = markdown(&Outcome { compared: vec![compared], left_out });
        let expected = "| p | exact | 1000 calls | 3 | | | | |\n| | one | 8 | 2 | 75.0 % | 25.0 % | 33.3 % | 6.2 % |\n\n\
                        Left out:\n\n- q: why\n";
        assert!(text.ends_with(expected), "{text}");
    }
}
