//! `cargo xtask programs`: real programs under the agent, each compared with the JVM's own stack
//! walks and with its run without agent.
//!
//! A program is a folder of `jvm-tests/programs`: what it is (`program.txt`), the jars that it
//! needs (`jars.txt`), and the driver in Java. The rows of `docs/design/compatibility.md` are
//! written by this command alone, and only for what is committed. The last line adds up what was
//! checked.

mod compile;
mod program;
mod run;
mod table;

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use crate::bench::machine;
use crate::{Result, build, jars, tree};
use program::Program;
use run::{Outcome, Sums};
use table::Table;

/// Where the programs are, below the root.
const FOLDER: &str = "jvm-tests/programs";

/// What `jdk=on` runs with beside the interval of its checks: event sources, whose events are
/// checked, too.
const JDK: &str = "jdk=on,alloc=512k,exceptions,locks";

/// The option that says the encoder; it comes first in a row's options.
const ENCODER: &str = "encoder=";

const USAGE: &str =
    "usage: cargo xtask programs [--only NAME[,NAME]...] [--jdk N[,N]...] [--encoder NAME] [--with OPTIONS] [--limit SECONDS]
  --only     these programs alone; `list` prints all
  --jdk      these feature releases alone
  --encoder  this encoder in place of the agent's own choice, in rows beside the usual ones
  --with     these options of the agent in place of the usual ones; the table stays as it is
  --limit    how long a run may take, 600 s unless given; more where a machine has other work";

/// What was asked for.
#[derive(Default)]
struct Asked<'a> {
    only: Vec<&'a str>,
    jdks: Vec<u32>,
    encoder: Option<&'a str>,
    with: Option<&'a str>,
    limit: Option<u64>,
}

impl Asked<'_> {
    /// The options of each run under the agent.
    fn options(&self, program: &Program) -> Vec<String> {
        if let Some(options) = self.with {
            return vec![options.into()];
        }
        let encoder = self.encoder.map_or_else(String::new, |name| format!("{ENCODER}{name},"));
        [format!("verify={}", program.verify), format!("{JDK},verify={}", program.verify_jdk)]
            .map(|options| encoder.clone() + &options)
            .to_vec()
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
    let mut findings = 0;
    let (mut runs, mut sums) = (0, Sums::default());
    for program in all.iter().filter(|program| asked.only.is_empty() || asked.only.contains(&program.name.as_str())) {
        let class_path = match prepare(program) {
            Ok(class_path) => class_path,
            Err(line) => {
                println!("{line}");
                findings += 1;
                continue;
            }
        };
        for &feature in program.jdks.iter().filter(|jdk| asked.jdks.is_empty() || asked.jdks.contains(jdk)) {
            let limit = asked.limit.map_or(run::LIMIT, Duration::from_secs);
            let Some(rows) = on_one_jvm(program, &class_path, feature, asked.options(program), limit)? else {
                findings += 1;
                continue;
            };
            findings += rows.iter().filter(|outcome| !outcome.is_exact()).count();
            rows.iter().for_each(|outcome| sums.add(&outcome.sums));
            runs += rows.len();
            if committed && asked.with.is_none() {
                table.replace(program, feature, asked.encoder, &rows);
                table.write()?;
            }
        }
    }
    println!("{runs} runs under the agent: {sums}");
    if findings == 0 { Ok(()) } else { Err(format!("{findings} runs found something: see above")) }
}

/// Fetches and compiles; the class path.
fn prepare(program: &Program) -> Result<Vec<PathBuf>> {
    let table = jars::tables(&[&format!("{FOLDER}/{}/jars.txt", program.name)])?;
    jars::fetch(table.values())?;
    let jars: Vec<PathBuf> = table.values().map(jars::Jar::file).collect();
    compile::compiled(program, &jars)
}

/// The runs of one program on one JVM, the first without agent; `None` if that fails.
fn on_one_jvm(
    program: &Program,
    class_path: &[PathBuf],
    feature: u32,
    options: Vec<String>,
    limit: Duration,
) -> Result<Option<Vec<Outcome>>> {
    let jvm = run::Jvm::of(program, feature)?;
    let folder = tree::cache().join("programs").join(&program.name).join(feature.to_string());
    let plain = run::run(program, &jvm, class_path, &folder.join("plain"), None, limit)?;
    if let Some(trouble) = plain.trouble() {
        println!("{} on {feature}, without agent: {trouble}, see {}", program.name, tree::shown(&folder));
        return Ok(None);
    }
    let mut rows = Vec::new();
    for (index, options) in options.into_iter().enumerate() {
        let folder = folder.join(format!("agent-{index}"));
        let ended = run::run(program, &jvm, class_path, &folder, Some(&options), limit)?;
        let outcome = Outcome::of(&plain, &ended, options, &folder);
        println!("{} on {feature}: {outcome}", program.name);
        rows.push(outcome);
        // The log of a run that found nothing is of no further use, and large.
        if rows.last().is_some_and(Outcome::is_exact) {
            let _ = fs::remove_dir_all(&folder);
        }
    }
    Ok(Some(rows))
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
            "--with" => asked.with = Some(value),
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
            assert!(!jars.is_empty(), "{}", program.name);
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
