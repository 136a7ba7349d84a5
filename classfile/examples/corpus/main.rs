//! Runs the rewriter over whole JDKs and jars, and lets a JVM judge the result.
//!
//! ```text
//! corpus [options] SOURCE...       a SOURCE is a jar, a jmod, or a directory of classes
//!   --jdk                          SOURCE is a JDK: every class of its run-time image
//!   --java HOME                    link both versions of every class with this JDK under -Xverify:all, and compare
//!   --alloc                        publish allocations too
//!   --guard                        put the Guard on every method instead of the hooks
//!   --cp JARS                      further jars to link against, besides all sources
//!   --sample N                     about N classes of each source, evenly spread
//!   --work DIR                     where to put classes (default target/corpus)
//! ```
//! Invariant: exit status 1 if any class changes under identity, or links otherwise than before.
//! Source: JVMS 4.10; HotSpot verifies the new version of a redefined class even in `java.base`.

mod judge;
mod rewrite;
mod sources;

use std::path::PathBuf;
use std::process::ExitCode;

/// The command line.
#[derive(Default)]
struct Arguments {
    jdk: bool,
    alloc: bool,
    guard: bool,
    java: Option<PathBuf>,
    cp: String,
    sample: usize,
    work: PathBuf,
    sources: Vec<PathBuf>,
}

fn arguments() -> Result<Arguments, String> {
    let mut arguments = Arguments { work: "target/corpus".into(), ..Arguments::default() };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} wants a value"));
        match word.as_str() {
            "--jdk" => arguments.jdk = true,
            "--alloc" => arguments.alloc = true,
            "--guard" => arguments.guard = true,
            "--java" => arguments.java = Some(value()?.into()),
            "--cp" => arguments.cp = value()?,
            "--sample" => arguments.sample = value()?.parse().map_err(|_| "--sample wants a number")?,
            "--work" => arguments.work = value()?.into(),
            option if option.starts_with('-') => return Err(format!("unknown option {option}")),
            source => arguments.sources.push(source.into()),
        }
    }
    if arguments.sources.is_empty() {
        return Err("no source given".into());
    }
    for source in arguments.sources.iter().filter(|_| !arguments.jdk) {
        arguments.cp = format!("{}:{}", arguments.cp, source.display());
    }
    Ok(arguments)
}

fn main() -> ExitCode {
    let run = || -> Result<bool, String> {
        let arguments = arguments()?;
        let jvm = |home: &PathBuf| judge::Jvm::prepare(home, &arguments.work);
        let jvm = arguments.java.as_ref().map(jvm).transpose()?;
        let mut good = true;
        for source in &arguments.sources {
            good &= one(&arguments, jvm.as_ref(), source).map_err(|error| format!("{}: {error}", source.display()))?;
        }
        Ok(good)
    };
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("corpus: {error}");
            ExitCode::from(2)
        }
    }
}

fn one(arguments: &Arguments, jvm: Option<&judge::Jvm>, source: &std::path::Path) -> Result<bool, String> {
    let name = source.file_name().map_or("corpus".into(), |name| name.to_string_lossy().into_owned());
    let work = arguments.work.join(&name);
    let mut classes = if arguments.jdk {
        let image = work.join("image");
        if !image.exists() {
            judge::Jvm::prepare(source, &arguments.work)?.dump("", &image)?;
        }
        sources::read(&image)?
    } else {
        sources::read(source)?
    };
    if arguments.sample > 0 {
        let step = classes.len().div_ceil(arguments.sample).max(1);
        classes = classes.into_iter().step_by(step).collect();
    }
    let report = rewrite::all(&classes, arguments);
    report.print(&name);
    let mut good = report.changed == 0;
    if let Some(jvm) = jvm {
        good &= judge::judge(jvm, &work, &classes, &report.rewritten, arguments)?;
    }
    Ok(good)
}
