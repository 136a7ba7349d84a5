//! `cargo xtask bench --systems`: published systems beside ours, on one and the same run of each program.
//!
//! A trace of each program is recorded once and replayed through all encoders; what costs time is measured with the agent itself.
//!
//! Invariants: a relation that must hold fails the command where it does not; a figure of a paper is marked as the paper's.
//! Source: Lucce section 6, Table 1; DACCE section 6, Table 1, Figs. 8 to 10.

mod costs;
mod dacce_report;
mod lucce_report;
mod overview;
mod plot;
mod record;
mod relations;
mod replay;
mod subjects;

use std::fs;
use std::path::Path;

use self::record::Recorded;
use self::replay::{Replayed, Subject};
use self::subjects::{Hashed, Paper, Reference, Versioned};
use super::programs::{self, Program};
use super::results::Run;
use super::{JARS, machine};
use crate::{Result, build, jars, tree};

/// Systems that are built. `acct`, `hcct` and `icpp` have no part here yet.
const SYSTEMS: [&str; 2] = ["lucce", "dacce"];

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
                "--runs" => options.runs = super::options::number(value()?)?,
                "--iterations" => options.iterations = super::options::number(value()?)?,
                "--entries" => options.entries = super::options::number(value()?)?,
                "--jdk" => options.jdk = super::options::number(value()?)?,
                "--publish" => options.publish = true,
                _ => return Err(format!("no such argument: {word} (`cargo xtask bench help` lists them)")),
            }
        }
        if let Some(other) = options.systems.iter().find(|name| !SYSTEMS.contains(&name.as_str())) {
            return Err(format!("no system {other}: there are {}", SYSTEMS.join(", ")));
        }
        if options.runs < 2 {
            return Err("--runs wants 2 or more: the first is dropped".into());
        }
        Ok(options)
    }

    fn has(&self, system: &str) -> bool {
        self.systems.iter().any(|name| name == system)
    }

    /// Is it all of it, as the paper measures?
    fn is_whole(&self) -> bool {
        self.runs >= RUNS && self.programs.len() == programs::ALL.len() && self.systems.len() == SYSTEMS.len()
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
    let measured = options.programs.iter().map(|program| measure(&options, program, &java, &scratch));
    let measured = measured.collect::<Result<Vec<_>>>()?;
    let costs = if options.has("lucce") { Some(costs::measure(&options, &java)?) } else { None };
    let broken = relations::broken(&measured);
    write(&options, &measured, costs.as_ref(), &broken)?;
    if broken.is_empty() { Ok(()) } else { Err(format!("relations that must hold do not: {}", broken.join("; "))) }
}

fn measure(options: &Options, program: &'static Program, java: &Path, scratch: &Path) -> Result<Measured> {
    let recorded = record::record(program, java, options.iterations, scratch)?;
    let (mut versioned, mut dacce) = (Versioned::new(), Reference::new());
    let (mut paper, mut hashed) = (Paper::new(), Hashed::new());
    let mut subjects: [&mut dyn Subject; 4] = [&mut versioned, &mut dacce, &mut paper, &mut hashed];
    let replayed = replay::run(&recorded.file, options.entries, &mut subjects)?;
    // Some hundred megabytes for each program.
    let _ = fs::remove_file(&recorded.file);
    println!("{:10} {} entries, {} contexts replayed", program.name, replayed.entries, replayed.contexts);
    Ok(Measured { program, recorded, replayed, versioned, dacce, paper, hashed })
}

/// Writes the report: into `docs` where it is to be published or whole.
fn write(options: &Options, measured: &[Measured], costs: Option<&Run>, broken: &[String]) -> Result<()> {
    let published = options.publish || options.is_whole();
    let (folder, file) = match published {
        true => (tree::root().join("docs/systems"), tree::root().join("docs/SYSTEMS.md")),
        false => (tree::cache().join("bench/systems"), tree::cache().join("bench/SYSTEMS.md")),
    };
    fs::create_dir_all(&folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
    let save =
        |path: &Path, text: &str| fs::write(path, text).map_err(|e| format!("cannot write {}: {e}", path.display()));
    let mut text = overview::head(options, broken);
    text += &overview::encoders(measured)?;
    text += &overview::traces(measured);
    if options.has("lucce") {
        text += &lucce_report::markdown(measured, costs);
        if let Some(costs) = costs {
            save(&folder.join("lucce-5.svg"), &super::chart::svg(costs))?;
        }
    }
    if options.has("dacce") {
        text += &dacce_report::markdown(measured, costs);
        for (name, chart) in dacce_report::charts(measured) {
            save(&folder.join(name), &chart)?;
        }
    }
    save(&file, &text)?;
    println!("report: {}", tree::shown(&file));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_measured_by_default_is_the_papers_protocol() {
        let options = Options::parse(&[]).unwrap();
        assert!(options.is_whole() && options.has("lucce") && options.has("dacce"));
        assert_eq!((options.runs, options.programs.len()), (31, 12));
        let part = Options::parse(&["dacce", "--programs", "h2", "--runs", "2"]).unwrap();
        assert!(!part.is_whole() && !part.has("lucce"));
    }

    #[test]
    fn wrong_arguments_are_named() {
        for (args, named) in [(&["acct"][..], "acct"), (&["--programs", "none"], "none"), (&["--runs", "1"], "--runs")]
        {
            let error = Options::parse(args).err().unwrap();
            assert!(error.contains(named), "{error}");
        }
    }
}
