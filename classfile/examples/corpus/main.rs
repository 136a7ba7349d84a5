//! Runs the rewriter over whole JDKs and jars, and lets a JVM judge the result.
//!
//! ```text
//! corpus [options] SOURCE...       a SOURCE is a jar, a jmod, or a directory of classes
//!   --jdk HOME                     every class of this JDK's run-time image, linked with that JDK itself; may be repeated
//!   --java HOME                    link both versions of every class of the SOURCEs with this JDK under -Xverify:all, and compare
//!   --alloc                        publish allocations too
//!   --count                        count allocations, and the invocations of some methods
//!   --guard                        put the Guard on every method instead of the hooks
//!   --cp JARS                      further jars to link against, besides all sources
//!   --sample N                     about N classes of each source, evenly spread
//!   --at-least N                   fail when there are fewer classes in all
//!   --work DIR                     where to put classes (default target/corpus)
//! ```
//! Invariant: exit status 1 if any class changes under identity, or links otherwise than before, or
//! if one method in 10 000 is skipped.
//! Source: JVMS 4.10; HotSpot verifies the new version of a redefined class even in `java.base`.

mod judge;
mod rewrite;
mod sources;

use judge::Place;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// One method in so many may be skipped, and that one is too many.
const METHODS_FOR_A_SKIP: usize = 10_000;

/// The command line.
#[derive(Default)]
struct Arguments {
    alloc: bool,
    count: bool,
    guard: bool,
    jdks: Vec<PathBuf>,
    java: Option<PathBuf>,
    cp: String,
    sample: usize,
    at_least: usize,
    work: PathBuf,
    sources: Vec<PathBuf>,
}

/// What all sources came to.
#[derive(Default)]
struct Total {
    classes: usize,
    methods: usize,
    skipped: usize,
    changed: usize,
    linked: usize,
    differences: usize,
}

fn arguments() -> Result<Arguments, String> {
    let mut arguments = Arguments { work: "target/corpus".into(), ..Arguments::default() };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} wants a value"));
        let number = |text: String| text.parse().map_err(|_| format!("{word} wants a number"));
        match word.as_str() {
            "--jdk" => arguments.jdks.push(value()?.into()),
            "--alloc" => arguments.alloc = true,
            "--count" => arguments.count = true,
            "--guard" => arguments.guard = true,
            "--java" => arguments.java = Some(value()?.into()),
            "--cp" => arguments.cp = value()?,
            "--sample" => arguments.sample = number(value()?)?,
            "--at-least" => arguments.at_least = number(value()?)?,
            "--work" => arguments.work = value()?.into(),
            option if option.starts_with('-') => return Err(format!("unknown option {option}")),
            source => arguments.sources.push(source.into()),
        }
    }
    if arguments.sources.is_empty() && arguments.jdks.is_empty() {
        return Err("no source given".into());
    }
    for source in &arguments.sources {
        arguments.cp = format!("{}:{}", arguments.cp, source.display());
    }
    Ok(arguments)
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("corpus: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool, String> {
    let arguments = arguments()?;
    let mut total = Total::default();
    let mut prepared = BTreeMap::new();
    for home in arguments.jdks.iter().chain(&arguments.java) {
        if !prepared.contains_key(home) {
            prepared.insert(home, judge::JudgingJvm::prepare(home, &arguments.work)?);
        }
    }
    for home in &arguments.jdks {
        let jvm = &prepared[home];
        let classes = sources::read(&jvm.image(&arguments.work)?)?;
        one(&arguments, Some((jvm, Place::Image)), home, classes, &mut total)?;
    }
    let jvm = arguments.java.as_ref().map(|home| &prepared[home]);
    for source in &arguments.sources {
        let classes = sources::read(source).map_err(|error| format!("{}: {error}", source.display()))?;
        one(&arguments, jvm.map(|jvm| (jvm, Place::Loader)), source, classes, &mut total)?;
    }
    Ok(total.print_and_judge(&arguments))
}

/// Rewrites the classes of a source, or a sample of them, and has the JVM judge.
fn one(
    arguments: &Arguments,
    jvm: Option<(&judge::JudgingJvm, Place)>,
    source: &Path,
    mut classes: Vec<sources::Class>,
    total: &mut Total,
) -> Result<(), String> {
    let name = source.file_name().map_or("corpus".into(), |name| name.to_string_lossy().into_owned());
    if arguments.sample > 0 {
        let step = classes.len().div_ceil(arguments.sample).max(1);
        classes = classes.into_iter().step_by(step).collect();
    }
    let report = rewrite::all(&classes, arguments);
    report.print(&name);
    total.classes += classes.len();
    total.methods += report.methods;
    total.skipped += report.skipped;
    total.changed += report.changed;
    if let Some((jvm, place)) = jvm {
        let verdict = judge::judge(jvm, place, &arguments.work.join(&name), &classes, &report.rewritten, &arguments.cp)
            .map_err(|error| format!("{name}: {error}"))?;
        total.linked += verdict.linked;
        total.differences += verdict.differences;
    }
    Ok(())
}

impl Total {
    fn print_and_judge(&self, arguments: &Arguments) -> bool {
        let Self { classes, methods, skipped, changed, linked, differences } = self;
        println!(
            "\nin all: {classes} classes of {} sources; {changed} changed by identity; {linked} linked before, {differences} otherwise after",
            arguments.jdks.len() + arguments.sources.len()
        );
        println!("        {methods} methods with code, {skipped} skipped");
        let few = *classes < arguments.at_least;
        if few {
            println!("        fewer classes than the {} asked for", arguments.at_least);
        }
        *changed == 0 && *differences == 0 && skipped * METHODS_FOR_A_SKIP < (*methods).max(1) && !few
    }
}
