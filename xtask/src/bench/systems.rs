//! `cargo xtask bench --systems`: published systems beside ours, on one and the same run of each program.
//!
//! A trace of each program is recorded once and replayed through all encoders and profiles; what costs time is measured with the agent itself.
//!
//! Invariants: a relation that must hold fails the command where it does not; a figure of a paper is marked as the paper's.
//! Source: Lucce section 6, Table 1; DACCE section 6, Table 1, Figs. 8 to 10; ACCT sections 3 and 4; HCCT sections 5 and 6.

mod acct;
mod bars;
mod costs;
mod dacce_report;
mod document;
mod hcct;
mod lucce_report;
mod overview;
mod plot;
mod profilers;
mod record;
mod relations;
mod replay;
mod stream;
mod subjects;

use std::fs;
use std::path::{Path, PathBuf};

use lucce_words::weights::Scheme;

use self::acct::Acct;
use self::document::Sections;
use self::hcct::Hcct;
use self::record::Recorded;
use self::replay::{Replayed, Subject};
use self::stream::Stream;
use self::subjects::{Hashed, Paper, Reference, Versioned};
use super::programs::{self, Program};
use super::results::Run;
use super::{JARS, machine};
use crate::{Result, build, jars, tree};

/// Systems that are built. `icpp` is the table of all encoders alone.
const SYSTEMS: [&str; 5] = ["lucce", "dacce", "icpp", "acct", "hcct"];

/// The runs of the paper's protocol, the first of which is dropped.
const RUNS: u32 = 31;

/// What was asked for.
struct Options {
    text: String,
    systems: Vec<String>,
    programs: Vec<&'static Program>,
    runs: u32,
    /// Iterations of a program while it is recorded.
    iterations: u32,
    /// Most entries that are replayed.
    entries: u64,
    /// Where traces are kept, and taken from if they are there.
    traces: Option<PathBuf>,
    jdk: u32,
    publish: bool,
}

/// A program, its trace, and what each encoder came to.
struct Measured {
    program: &'static Program,
    recorded: Recorded,
    replayed: Replayed,
    versioned: Versioned,
    dacce: Reference,
    paper: Paper,
    hashed: Hashed,
    /// `encoder=icpp`, by hashed names: mixed, and added up.
    icpp: [Hashed; 2],
    acct: Option<Acct>,
    hcct: Option<Hcct>,
}

impl Options {
    fn parse(args: &[&str]) -> Result<Self> {
        let mut options = Self {
            text: format!("--systems {}", args.join(" ")),
            systems: SYSTEMS.map(Into::into).into(),
            programs: programs::ALL.iter().collect(),
            runs: RUNS,
            iterations: 2,
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
                "--runs" => options.runs = super::options::number(value()?)?,
                "--iterations" => options.iterations = super::options::number(value()?)?,
                "--entries" => options.entries = super::options::number(value()?)?,
                "--jdk" => options.jdk = super::options::number(value()?)?,
                "--publish" => options.publish = true,
                _ => return Err(format!("no such argument: {word} (`cargo xtask bench help` lists them)")),
            }
        }
        let known = |name: &str| SYSTEMS.contains(&name) || name == profilers::NAME;
        if let Some(other) = options.systems.iter().find(|name| !known(name)) {
            return Err(format!("no system {other}: there are {} and {}", SYSTEMS.join(", "), profilers::NAME));
        }
        if options.runs < 2 {
            return Err("--runs wants 2 or more: the first is dropped".into());
        }
        Ok(options)
    }

    fn has(&self, system: &str) -> bool {
        self.systems.iter().any(|name| name == system)
    }

    /// Are encoders replayed, beside profiles?
    fn has_encoders(&self) -> bool {
        ["lucce", "dacce", "icpp"].into_iter().any(|system| self.has(system))
    }

    /// Is any system built that replays traces?
    fn has_replays(&self) -> bool {
        SYSTEMS.into_iter().any(|system| self.has(system))
    }

    /// Is it all of it, as the paper measures?
    fn is_whole(&self) -> bool {
        let systems = SYSTEMS.into_iter().all(|system| self.has(system));
        systems && self.runs >= RUNS && self.programs.len() == programs::ALL.len()
    }
}

/// Records, replays, measures, and writes `SYSTEMS.md` with its charts.
///
/// # Errors
/// One line: a wrong argument, a step that failed, or the relations that do not hold.
pub fn run(args: &[&str]) -> Result<()> {
    let options = Options::parse(args)?;
    jars::fetch(jars::tables(&JARS)?.values())?;
    build::java(&[":api:jar", ":dacapo-harness:jar", ":dacapo-harness:classes"])?;
    build::native()?;
    let java = super::java(options.jdk)?;
    let scratch = tree::cache().join("bench/systems");
    fs::create_dir_all(&scratch).map_err(|e| format!("cannot make {}: {e}", scratch.display()))?;
    let replayed = options.programs.iter().filter(|_| options.has_replays());
    let measured = replayed.map(|program| measure(&options, program, &java, &scratch));
    let measured = measured.collect::<Result<Vec<_>>>()?;
    let costs = if options.has("lucce") { Some(costs::measure(&options, &java)?) } else { None };
    let figure6 = if options.has("acct") { acct::figure6() } else { Vec::new() };
    let mut broken = relations::broken(&options, &measured);
    broken.extend(acct::broken_figure6(&figure6));
    let mut sections = sections(&options, &measured, costs.as_ref(), &figure6, &broken)?;
    if options.has(profilers::NAME) {
        let compared = profilers::measure(&options, &java, &scratch)?;
        sections.insert(profilers::TITLE, overview::made_by(&options) + "\n" + &profilers::markdown(&compared));
    }
    write(&options, sections, &charts(&options, &measured, costs.as_ref()))?;
    if broken.is_empty() { Ok(()) } else { Err(format!("relations that must hold do not: {}", broken.join("; "))) }
}

fn measure(options: &Options, program: &'static Program, java: &Path, scratch: &Path) -> Result<Measured> {
    let recorded = record::record(program, java, options, scratch)?;
    let (mut versioned, mut dacce) = (Versioned::new(), Reference::new());
    let (mut paper, mut hashed) = (Paper::new(), Hashed::new(Scheme::Ids));
    let [mut mixed, mut names] = [Scheme::Mixed, Scheme::Names].map(Hashed::new);
    let mut subjects: [&mut dyn Subject; 6] =
        [&mut versioned, &mut dacce, &mut paper, &mut hashed, &mut mixed, &mut names];
    let subjects = if options.has_encoders() { &mut subjects[..] } else { &mut [] };
    let replayed = replay::run(&recorded.file, options.entries, subjects)?;
    let (mut acct, mut hcct) = (None, None);
    if options.has("acct") || options.has("hcct") {
        let stream = Stream::read(&recorded.file, options.entries)?;
        acct = options.has("acct").then(|| Acct::of(&stream));
        hcct = options.has("hcct").then(|| Hcct::of(&stream));
    }
    if options.traces.is_none() {
        // Some hundred megabytes for each program.
        let _ = fs::remove_file(&recorded.file);
    }
    println!("{:10} {} entries, {} contexts replayed", program.name, replayed.entries, replayed.contexts);
    Ok(Measured { program, recorded, replayed, versioned, dacce, paper, hashed, icpp: [mixed, names], acct, hcct })
}

/// What of a system was computed, by program.
fn named<T>(measured: &[Measured], of: fn(&Measured) -> Option<&T>) -> Vec<(&str, &T)> {
    measured.iter().filter_map(|one| Some((one.program.name, of(one)?))).collect()
}

/// The sections of the report that were made.
fn sections(
    options: &Options,
    measured: &[Measured],
    costs: Option<&Run>,
    figure6: &[acct::Row],
    broken: &[String],
) -> Result<Sections> {
    let mut bodies = Sections::new();
    if options.has_encoders() {
        bodies.insert("All encoders", overview::encoders(measured)?);
        bodies.insert("The traces of the encoders", overview::traces(measured));
    }
    if options.has("lucce") {
        bodies.insert("Lucce", lucce_report::markdown(measured, costs));
    }
    if options.has("dacce") {
        bodies.insert("DACCE", dacce_report::markdown(measured, costs));
    }
    if options.has("acct") || options.has("hcct") {
        bodies.insert("The traces of the profiles", overview::traces(measured));
    }
    if options.has("acct") {
        bodies.insert("ACCT", acct::markdown(&named(measured, |one| one.acct.as_ref()), figure6));
    }
    if options.has("hcct") {
        bodies.insert("HCCT", hcct::markdown(&named(measured, |one| one.hcct.as_ref()), costs));
    }
    let made = overview::made(options, broken);
    Ok(bodies.into_iter().map(|(title, body)| (title, made.clone() + &body)).collect())
}

/// The charts, by file name.
fn charts(options: &Options, measured: &[Measured], costs: Option<&Run>) -> Vec<(&'static str, String)> {
    let mut charts: Vec<_> = costs.map(|costs| ("lucce-5.svg", super::chart::svg(costs))).into_iter().collect();
    if options.has("dacce") {
        charts.extend(dacce_report::charts(measured));
    }
    charts.extend(acct::charts(&named(measured, |one| one.acct.as_ref())));
    if options.has("hcct") {
        charts.extend(hcct::charts(&named(measured, |one| one.hcct.as_ref())));
    }
    charts
}

/// Writes report and charts: into `docs` where it is to be published or whole.
fn write(options: &Options, sections: Sections, charts: &[(&str, String)]) -> Result<()> {
    let published = options.publish || options.is_whole();
    let (folder, file) = match published {
        true => (tree::root().join("docs/systems"), tree::root().join("docs/SYSTEMS.md")),
        false => (tree::cache().join("bench/systems"), tree::cache().join("bench/SYSTEMS.md")),
    };
    fs::create_dir_all(&folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
    let save =
        |path: &Path, text: &str| fs::write(path, text).map_err(|e| format!("cannot write {}: {e}", path.display()));
    for (name, chart) in charts {
        save(&folder.join(name), chart)?;
    }
    let before = fs::read_to_string(&file).unwrap_or_default();
    save(&file, &document::merged(&before, sections))?;
    println!("report: {}", tree::shown(&file));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_measured_by_default_is_the_papers_protocol() {
        let options = Options::parse(&[]).unwrap();
        assert!(options.is_whole() && SYSTEMS.iter().all(|system| options.has(system)));
        assert_eq!((options.runs, options.programs.len()), (31, 12));
        let part = Options::parse(&["dacce", "--programs", "h2", "--runs", "2"]).unwrap();
        assert!(!part.is_whole() && !part.has("lucce") && part.has_encoders());
        let profiles = Options::parse(&["acct,hcct"]).unwrap();
        assert!(!profiles.is_whole() && !profiles.has_encoders() && profiles.has_replays());
        let profilers = Options::parse(&["profilers", "--programs", "h2"]).unwrap();
        assert!(!profilers.is_whole() && !profilers.has_replays());
    }

    #[test]
    fn wrong_arguments_are_named() {
        for (args, named) in [(&["pcc"][..], "pcc"), (&["--programs", "none"], "none"), (&["--runs", "1"], "--runs")] {
            let error = Options::parse(args).err().unwrap();
            assert!(error.contains(named), "{error}");
        }
    }
}
