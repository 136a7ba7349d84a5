//! `cargo xtask programs`: real programs under the agent, each compared with the JVM's own stack
//! walks and with its run without agent.
//!
//! A program is a folder of `jvm-tests/programs`: what it is (`program.txt`), the jars that it
//! needs (`jars.txt`), and the driver in Java. The rows of `docs/design/compatibility.md` are
//! written by this command alone, and only for what is committed. The last line adds up what was
//! checked.

mod compile;
mod program;
mod results;
mod run;
mod table;

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use crate::bench::machine;
use crate::{Result, build, jars, tree};
use program::Program;
use results::Results;
use run::Outcome;
use table::Table;

/// Where the programs are, below the root.
const FOLDER: &str = "jvm-tests/programs";

/// What `jdk=on` runs with beside the interval of its checks: event sources, whose events are
/// checked, too.
const JDK: &str = "jdk=on,alloc=512k,exceptions,locks";

/// What `--sources all` runs with: counts, without and with the JDK's own methods, then what does
/// not go with counts. All that these record is checked.
const SOURCES: [&str; 3] = [
    "async=on,alloc=all,entries=*.get*:*.<init>,exceptions,locks,cpu=5ms",
    "jdk=on,async=on,alloc=all,entries=*.get*:*.<init>,exceptions,locks,cpu=5ms",
    "jdk=on,async=on,leaks=64k,exceptions,locks,cpu=5ms,profile=1009",
];

/// The option that says the encoder; it comes first in a row's options.
const ENCODER: &str = "encoder=";

const USAGE: &str =
    "usage: cargo xtask programs [--only NAME[,NAME]...] [--jdk N[,N]...] [--encoder NAME] [--sources all] [--with OPTIONS] [--results FILE] [--limit SECONDS]
  --only     these programs alone; `list` prints all
  --jdk      these feature releases alone
  --encoder  this encoder in place of the agent's own choice, in rows beside the usual ones
  --sources  `all`: with every event source at work; the table stays as it is
  --with     these options of the agent in place of the usual ones; the table stays as it is
  --results  keep what runs came to in this file, leave out those that it has and that were exact, and add all up
  --limit    how long a run may take, 600 s unless given; more where a machine has other work";

/// What was asked for.
#[derive(Default)]
struct Asked<'a> {
    only: Vec<&'a str>,
    jdks: Vec<u32>,
    encoder: Option<&'a str>,
    sources: bool,
    with: Option<&'a str>,
    results: Option<&'a str>,
    limit: Option<u64>,
}

impl Asked<'_> {
    /// The options of each run under the agent.
    fn options(&self, program: &Program) -> Vec<String> {
        if let Some(options) = self.with {
            return vec![options.into()];
        }
        let encoder = self.encoder.map_or_else(String::new, |name| format!("{ENCODER}{name},"));
        if self.sources {
            return SOURCES.iter().map(|set| format!("{encoder}{set},verify={}", program.verify)).collect();
        }
        [format!("verify={}", program.verify), format!("{JDK},verify={}", program.verify_jdk)]
            .map(|options| encoder.clone() + &options)
            .to_vec()
    }

    /// Are these the runs that the table is made of?
    fn is_for_the_table(&self) -> bool {
        !self.sources && self.with.is_none() && self.results.is_none()
    }
}

/// Runs the programs, one after the other, and writes the table.
///
/// # Errors
/// One line: wrong arguments, what could not be set up, or that a run found something; each finding
/// is printed where it is made.
pub fn run(args: &[&str]) -> Result<()> {
    let asked = parse(args)?;
    let all = Program::all(&tree::root().join(FOLDER))?;
    if asked.only == ["list"] {
        all.iter().for_each(|program| println!("{:16} {}", program.name, program.what));
        return Ok(());
    }
    if let Some(unknown) = asked.only.iter().find(|name| all.iter().all(|program| program.name != **name)) {
        return Err(format!("no program is called {unknown} (`--only list` prints all)"));
    }
    build::java(&[":api:jar"])?;
    build::native()?;
    let mut table = Table::read()?;
    let committed = !machine::commit().ends_with('*');
    if !committed {
        println!("something is not committed: the table stays as it is");
    }
    let mut results = Results::read(asked.results.map(PathBuf::from))?;
    let mut failed = 0;
    for program in all.iter().filter(|program| asked.only.is_empty() || asked.only.contains(&program.name.as_str())) {
        let class_path = match prepare(program) {
            Ok(class_path) => class_path,
            Err(line) => {
                println!("{line}");
                failed += 1;
                continue;
            }
        };
        for &feature in program.jdks.iter().filter(|jdk| asked.jdks.is_empty() || asked.jdks.contains(jdk)) {
            let limit = asked.limit.map_or(run::LIMIT, Duration::from_secs);
            let options = asked.options(program).into_iter();
            let missing: Vec<_> = options.filter(|options| !results.has(&program.name, feature, options)).collect();
            let keep = |outcome| results.add(&program.name, feature, outcome);
            if !missing.is_empty() && !on_one_jvm(program, &class_path, feature, missing, limit, keep)? {
                failed += 1;
            } else if committed && asked.is_for_the_table() {
                table.replace(program, feature, asked.encoder, &results.of(&program.name, feature));
                table.write()?;
            }
        }
    }
    print!("{results}");
    match failed + results.findings() {
        0 => Ok(()),
        findings => Err(format!("{findings} runs found something: see above")),
    }
}

/// Fetches and compiles; the class path.
fn prepare(program: &Program) -> Result<Vec<PathBuf>> {
    let table = jars::tables(&[&format!("{FOLDER}/{}/jars.txt", program.name)])?;
    jars::fetch(table.values())?;
    let shared = program.jars.iter().map(|name| jars::named(name));
    let jars = shared.chain(table.values().map(|jar| Ok(jar.file()))).collect::<Result<Vec<PathBuf>>>()?;
    compile::compiled(program, &jars)
}

/// The runs of one program on one JVM, the first without agent; `false` if that fails.
fn on_one_jvm(
    program: &Program,
    class_path: &[PathBuf],
    feature: u32,
    options: Vec<String>,
    limit: Duration,
    mut keep: impl FnMut(Outcome) -> Result<()>,
) -> Result<bool> {
    let jvm = run::Jvm::of(program, feature)?;
    let folder = tree::cache().join("programs").join(&program.name).join(feature.to_string());
    let plain = run::run(program, &jvm, class_path, &folder.join("plain"), None, limit)?;
    if let Some(trouble) = plain.trouble() {
        println!("{} on {feature}, without agent: {trouble}, see {}", program.name, tree::shown(&folder));
        return Ok(false);
    }
    for (index, options) in options.into_iter().enumerate() {
        let folder = folder.join(format!("agent-{index}"));
        let ended = run::run(program, &jvm, class_path, &folder, Some(&options), limit)?;
        let outcome = Outcome::of(&plain, &ended, options, &folder);
        println!("{} on {feature}: {outcome}", program.name);
        // The log of a run that found nothing is of no further use, and large.
        if outcome.is_exact() {
            let _ = fs::remove_dir_all(&folder);
        }
        keep(outcome)?;
    }
    Ok(true)
}

fn parse<'a>(args: &[&'a str]) -> Result<Asked<'a>> {
    let mut asked = Asked::default();
    for pair in args.chunks(2) {
        let [option, value] = pair else { return Err(USAGE.into()) };
        match *option {
            "--only" => asked.only = value.split(',').collect(),
            "--jdk" => {
                let numbers = value.split(',').map(|number| number.parse().ok());
                asked.jdks = numbers.collect::<Option<_>>().ok_or_else(|| format!("not a feature release: {value}"))?;
            }
            "--encoder" => asked.encoder = Some(value),
            "--sources" if *value == "all" => asked.sources = true,
            "--with" => asked.with = Some(value),
            "--results" => asked.results = Some(value),
            "--limit" => {
                asked.limit = Some(value.parse().map_err(|_| format!("not a number of seconds: {value}"))?);
            }
            _ => return Err(USAGE.into()),
        }
    }
    Ok(asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_programs_of_this_checkout_are_well_formed() {
        let all = Program::all(&tree::root().join(FOLDER)).unwrap();
        assert!(all.len() >= 25, "{} programs", all.len());
        for program in all {
            let jars = jars::tables(&[&format!("{FOLDER}/{}/jars.txt", program.name)]).unwrap();
            assert!(!jars.is_empty() || !program.jars.is_empty(), "{}", program.name);
            assert!(program.sources.exists(), "{}", program.name);
        }
    }

    #[test]
    fn arguments_narrow_the_run() {
        let asked = parse(&["--only", "rhino,weka", "--jdk", "17,25"]).unwrap();
        assert_eq!((asked.only, asked.jdks, asked.with), (vec!["rhino", "weka"], vec![17, 25], None));
        for wrong in [&["--only"][..], &["--jdk", "x"], &["--what", "x"]] {
            assert!(parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
