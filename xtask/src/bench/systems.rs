//! `cargo xtask bench --systems`: published systems beside ours, on one and the same run of each
//! program.
//!
//! A trace of each program is recorded once and replayed through all encoders and profiles; what
//! costs time is measured with the agent itself.
//!
//! Invariants: a relation that must hold fails the command where it does not; a figure of a paper
//! is marked as the paper's.
//! Source: Lucce section 6, Table 1; DACCE section 6, Table 1, Figs. 8 to 10; ACCT sections 3 and
//! 4; HCCT sections 5 and 6.

mod acct;
mod asked;
mod bars;
mod costs;
mod dacce_report;
mod document;
mod hcct;
mod lucce_report;
mod measured;
mod overview;
mod plot;
mod profilers;
mod record;
mod relations;
mod replay;
mod stream;
mod subjects;

use std::fs;
use std::path::Path;

use lucce_words::weights::Scheme;

use self::acct::Acct;
use self::asked::{PROFILERS, RUNS, SystemsOptions};
use self::document::Sections;
use self::hcct::Hcct;
use self::measured::Measured;
use self::replay::Subject;
use self::stream::Stream;
use self::subjects::{Hashed, Paper, Reference, Versioned};
use super::inputs::{JARS, java};
use super::machine;
use super::programs::{self, BenchProgram};
use super::results::Run;
use crate::{Result, build, jars, tree};

/// Records, replays, measures, and writes `SYSTEMS.md` with its charts.
///
/// # Errors
/// One line: a wrong argument, a step that failed, or the relations that do not hold.
pub fn run(args: &[&str]) -> Result<()> {
    let options = SystemsOptions::parse(args)?;
    jars::fetch(jars::tables(&JARS)?.values())?;
    build::java(&[":api:jar", ":dacapo-harness:jar", ":dacapo-harness:classes"])?;
    build::native()?;
    let java = java(options.jdk)?;
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
    if options.has(PROFILERS) {
        let compared = profilers::measure(&options, &java, &scratch)?;
        sections.insert(profilers::TITLE, overview::made_by(&options) + "\n" + &profilers::markdown(&compared));
    }
    write(&options, sections, &charts(&options, &measured, costs.as_ref()))?;
    if broken.is_empty() { Ok(()) } else { Err(format!("relations that must hold do not: {}", broken.join("; "))) }
}

fn measure(options: &SystemsOptions, program: &'static BenchProgram, java: &Path, scratch: &Path) -> Result<Measured> {
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
    options: &SystemsOptions,
    measured: &[Measured],
    costs: Option<&Run>,
    figure6: &[acct::Figure6Row],
    broken: &[String],
) -> Result<Sections> {
    let mut bodies = Sections::new();
    let published = overview::published(17);
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
        bodies.insert("ACCT", acct::markdown(&named(measured, |one| one.acct.as_ref()), figure6, published.as_ref()));
    }
    if options.has("hcct") {
        bodies.insert("HCCT", hcct::markdown(&named(measured, |one| one.hcct.as_ref()), published.as_ref()));
    }
    let made = overview::made(options, broken);
    Ok(bodies.into_iter().map(|(title, body)| (title, made.clone() + &body)).collect())
}

/// The charts, by file name.
fn charts(options: &SystemsOptions, measured: &[Measured], costs: Option<&Run>) -> Vec<(&'static str, String)> {
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
fn write(options: &SystemsOptions, sections: Sections, charts: &[(&str, String)]) -> Result<()> {
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
