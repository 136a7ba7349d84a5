//! How fast the class-file crate inserts its hooks: `rewriting <classes> <seconds of warm-up>`, on
//! one thread.
//!
//! Prints what `bench.rewriting.Asm` prints:
//! `first <milliseconds> <milliseconds of processor time>` for the first pass over all classes;
//! warmed up, `classes <number> <bytes> <bytes afterwards> <skipped> <methods> <sites>`; then for
//! each line of the standard input, that is when whoever measures wants it, `pass <milliseconds>`
//! for one more. The file holds the classes, each behind its length (4 bytes, big-endian).

use std::io::{BufRead, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use lucce_classfile::{RewriteOptions, Policy, RewriteBuffers, SequentialIds, instrument_with};

/// The JDK's names are neither interposable nor is anything inert: ASM's side does not ask either.
struct Plain;

impl Policy for Plain {
    fn interposable(&self, _: &[u8], _: &[u8]) -> bool {
        false
    }

    fn inert(&self, _: &[u8]) -> bool {
        false
    }
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(line) => {
            eprintln!("rewriting: {line}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[String]) -> Result<(), String> {
    let [file, warm] = args else { return Err("usage: rewriting <classes> <seconds>".into()) };
    let warm = warm.parse().ok().and_then(|s| Duration::try_from_secs_f64(s).ok()).ok_or("no time")?;
    let text = std::fs::read(file).map_err(|e| format!("cannot read {file}: {e}"))?;
    let classes = split(&text).ok_or_else(|| format!("{file} is cut"))?;

    let used = processor_time()?;
    let begun = Instant::now();
    let mut result = pass(&classes);
    let took = begun.elapsed();
    say(&format!("first {:.3} {:.3}", took.as_secs_f64() * 1000.0, processor_time()? - used))?;
    while begun.elapsed() < warm {
        result = pass(&classes);
    }
    let bytes: usize = classes.iter().map(|class| class.len()).sum();
    say(&format!(
        "classes {} {bytes} {} {} {} {}",
        classes.len(),
        result.after,
        result.skipped,
        result.methods,
        result.sites
    ))?;
    for _ in std::io::stdin().lock().lines() {
        let start = Instant::now();
        std::hint::black_box(pass(&classes));
        say(&format!("pass {:.3}", start.elapsed().as_secs_f64() * 1000.0))?;
    }
    Ok(())
}

/// Milliseconds of processor time that the process, which has one thread, has used.
fn processor_time() -> Result<f64, String> {
    let text = std::fs::read_to_string("/proc/self/schedstat")
        .map_err(|e| format!("cannot read /proc/self/schedstat: {e}"))?;
    let nanoseconds = text.split(' ').next().and_then(|number| number.parse::<u64>().ok());
    nanoseconds.map(|ns| ns as f64 / 1e6).ok_or_else(|| format!("/proc/self/schedstat says {text}"))
}

/// At once: somebody waits for the line.
fn say(line: &str) -> Result<(), String> {
    let mut out = std::io::stdout();
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(|e| format!("cannot write: {e}"))
}

fn split(mut text: &[u8]) -> Option<Vec<&[u8]>> {
    let mut classes = Vec::new();
    while let Some((length, rest)) = text.split_first_chunk() {
        let (class, rest) = rest.split_at_checked(u32::from_be_bytes(*length) as usize)?;
        classes.push(class);
        text = rest;
    }
    text.is_empty().then_some(classes)
}

/// What a pass over all classes gives.
#[derive(Default)]
struct Pass {
    /// Bytes afterwards.
    after: usize,
    /// Classes that were given up.
    skipped: usize,
    /// Methods that got hooks, and the sites in them.
    methods: u32,
    sites: u32,
}

fn pass(classes: &[&[u8]]) -> Pass {
    let (mut ids, mut pass, mut scratch) = (SequentialIds::large(), Pass::default(), RewriteBuffers::default());
    for class in classes {
        match instrument_with(&mut scratch, class, &mut ids, &Plain, &RewriteOptions::default()) {
            // As the agent does, once the JVM has the class.
            Ok(done) => {
                let done = std::hint::black_box(done);
                pass.after += done.bytes.len();
                scratch.recycle_methods(done.methods, done.sites);
                scratch.recycle_bytes(done.bytes);
            }
            Err(_) => pass.skipped += 1,
        }
    }
    let first = SequentialIds::large();
    (pass.methods, pass.sites) = (ids.method - first.method, ids.site - first.site);
    pass
}
