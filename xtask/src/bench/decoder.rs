//! `cargo xtask bench --decoder [N,M]`: time and memory of the decoder on logs of so many million
//! events, beside the JDK's `jfr` and async-profiler's converter on recordings of as many samples.
//!
//! Invariant: the logs have words, shadow stacks and contexts of the real encoder
//! (`decoder/examples/large.rs`). A recording is the export of 250 000 allocations of which no two
//! share context and thread, repeated as often as needed: each allocation is an event of the JDK's
//! and one of ours.
//! Source: proc_pid_status(5) (`VmHWM`), proc_pid_stat(5).

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::machine;
use crate::{Result, jars, jdk, process, tree};

/// Millions of events where none are named.
const SIZES: [u64; 3] = [1, 10, 80];
/// Samples of the recording that is repeated.
const SAMPLES: u64 = 250_000;
/// What takes longer is ended.
const PATIENCE: Duration = Duration::from_secs(600);
/// How often memory is looked at. Of what was reached before the end, no more than that time is
/// missed.
const LOOK: Duration = Duration::from_millis(5);

/// All that was measured.
#[derive(Deserialize, Serialize)]
struct Results {
    commit: String,
    machine: String,
    /// Processors that other work kept busy before.
    load: f64,
    rows: Vec<Row>,
}

/// One command on one size.
#[derive(Deserialize, Serialize)]
struct Row {
    million: u64,
    /// Bytes of what it reads.
    bytes: u64,
    what: String,
    /// Wall time; `None` where it was ended.
    seconds: Option<f64>,
    /// Of all threads.
    cpu_seconds: f64,
    peak_kib: u64,
    failed: bool,
}

/// Measures, prints each figure as it comes, and keeps all for the report.
///
/// # Errors
/// One line for the first step that failed.
pub fn run(args: &[&str], folder: &Path) -> Result<()> {
    let sizes: Vec<u64> = match args {
        [] => SIZES.to_vec(),
        [list] => list
            .split(',')
            .map(|size| size.parse().map_err(|_| format!("not a number: {size}")))
            .collect::<Result<_>>()?,
        _ => return Err("usage: cargo xtask bench --decoder [MILLIONS,...]".into()),
    };
    let release = ["build", "--release", "-p", "lucce-decoder", "--bins", "--example", "large"];
    process::run(process::cargo().args(release))?;
    let converter = jars::named("jfr-converter")?;
    let jdk = jdk::all().into_iter().max_by_key(|jdk| jdk.feature).ok_or("no JDK: its tool jfr is measured, too")?;
    let here = tree::cache().join("bench/decoder");
    fs::create_dir_all(&here).map_err(|e| format!("cannot make {}: {e}", here.display()))?;
    let (decode, large) = (tree::release("lucce-decode"), tree::release("examples/large"));
    let samples = here.join("samples.log");
    let sample = here.join("samples.jfr");
    process::run(process::command(&large).args(["--apart", &SAMPLES.to_string()]).arg(&samples))?;
    process::run(process::command(&decode).arg("export").arg(&samples).arg("-o").arg(&sample))?;
    let mut results =
        Results { commit: machine::commit(), machine: machine::name(), load: machine::load(), rows: Vec::new() };
    for million in sizes {
        let log = here.join(format!("{million}m.log"));
        process::run(process::command(&large).arg((million * 1_000_000).to_string()).arg(&log))?;
        let out = |ending: &str| here.join(format!("out.{ending}"));
        let ours = |args: &[&str], ending: &str| {
            let mut command = process::command(&decode);
            command.args(args).arg(&log);
            if !ending.is_empty() {
                command.arg("-o").arg(out(ending));
            }
            command
        };
        let mut add = |what: &str, command: Command, input: &Path| -> Result<()> {
            results.rows.push(measured(million, what, command, input)?);
            results.save(folder)
        };
        add("first screen", ours(&[], ""), &log)?;
        add("report", ours(&["report"], "html"), &log)?;
        add("export, JFR", ours(&["export"], "jfr"), &log)?;
        add("export, pprof", ours(&["export"], "pb.gz"), &log)?;
        let recording = here.join("recording.jfr");
        repeat(&sample, million * 1_000_000 / SAMPLES, &recording)?;
        let name = format!("`jfr` of JDK {}", jdk.feature);
        for view in [&["summary"][..], &["view", "allocation-by-site"]] {
            let mut command = process::command(jdk.home.join("bin/jfr"));
            command.args(view).arg(&recording);
            add(&format!("{name}, {}", view.join(" ")), command, &recording)?;
        }
        let mut converting = process::command(jdk.java());
        converting.arg("-jar").arg(&converter).args(["--alloc", "--total"]).arg(&recording).arg(out("collapsed"));
        add("async-profiler's jfr-converter, collapsed", converting, &recording)?;
        let _ = fs::remove_file(&recording);
    }
    print!("{}", markdown(folder));
    Ok(())
}

impl Results {
    /// Behind each row, so that an interrupted run is not lost.
    fn save(&self, folder: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self).map_err(|e| e.to_string())?;
        let file = file(folder);
        fs::write(&file, text + "\n").map_err(|e| format!("cannot write {}: {e}", file.display()))
    }
}

fn file(folder: &Path) -> PathBuf {
    folder.join("decoder.json")
}

/// Writes that file as often one behind the other: chunks of a recording stand for themselves.
fn repeat(from: &Path, times: u64, to: &Path) -> Result<()> {
    let write = || -> io::Result<()> {
        let mut out = File::create(to)?;
        for _ in 0..times {
            io::copy(&mut File::open(from)?, &mut out)?;
        }
        Ok(())
    };
    write().map_err(|e| format!("cannot write {}: {e}", to.display()))
}

/// Runs to the end, or as long as there is patience.
fn measured(million: u64, what: &str, mut command: Command, input: &Path) -> Result<Row> {
    let bytes = fs::metadata(input).map_or(0, |file| file.len());
    let began = Instant::now();
    let mut child = command.stdout(Stdio::null()).spawn().map_err(|e| format!("cannot start {command:?}: {e}"))?;
    let (mut peak_kib, mut cpu_seconds) = (0, 0.0);
    let (seconds, failed) = loop {
        peak_kib = peak(child.id()).unwrap_or(peak_kib);
        cpu_seconds = cpu(child.id()).unwrap_or(cpu_seconds);
        if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
            break (Some(began.elapsed().as_secs_f64()), !status.success());
        }
        if began.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            break (None, false);
        }
        std::thread::sleep(LOOK);
    };
    let row = Row { million, bytes, what: what.into(), seconds, cpu_seconds, peak_kib, failed };
    println!("{what:50} {:>22} {:>10}", row.time(), row.memory());
    Ok(row)
}

/// The processor time that a process has had so far, in seconds; that of one which has ended and
/// was not waited for as well.
fn cpu(pid: u32) -> Option<f64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name stands in brackets and may have any in it. Behind it: state, ten others, utime,
    // stime.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let ticks: u64 = fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?;
    Some(ticks as f64 / machine::TICKS_A_SECOND)
}

/// The most memory that a process has had so far, in KiB.
fn peak(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

impl Row {
    fn time(&self) -> String {
        match self.seconds {
            _ if self.failed => "failed".into(),
            Some(seconds) => format!("{seconds:.1} s ({:.1} s CPU)", self.cpu_seconds),
            None => format!("> {} s", PATIENCE.as_secs()),
        }
    }

    fn memory(&self) -> String {
        format!("{} MiB", self.peak_kib >> 10)
    }
}

/// The section of the report; nothing where nothing was measured.
pub fn markdown(folder: &Path) -> String {
    let read = fs::read_to_string(file(folder)).ok();
    let Some(results) = read.and_then(|text| serde_json::from_str::<Results>(&text).ok()) else {
        return String::new();
    };
    let mut sizes: Vec<u64> = results.rows.iter().map(|row| row.million).collect();
    sizes.dedup();
    let mut text = format!(
        "\n## The decoder\n\n`cargo xtask bench --decoder`, commit {}, on {}; processors busy before: {:.2}. \
        Wall time, time of all its threads on a processor, and largest memory of one run each; an empty cell was not measured. The log's events lie in 20 000 contexts of up to 30 frames, with recursion. \
        A recording repeats 250 000 samples, of which no two share context and thread; each is an event of the JDK's and one of ours.\n",
        results.commit, results.machine, results.load
    );
    if results.load > machine::BUSY {
        text += "\n**The machine was loaded with other work: wall times are too long, and processors shared. Compare the figures with each other.**\n";
    }
    text += "\n|";
    sizes.iter().for_each(|size| _ = write!(text, " | {size} million"));
    let _ = writeln!(text, " |\n|---|{}", "---:|".repeat(sizes.len()));
    let mut names: Vec<&str> = Vec::new();
    for row in &results.rows {
        if !names.contains(&row.what.as_str()) {
            names.push(&row.what);
        }
    }
    for name in names {
        let _ = write!(text, "| {name}");
        for size in &sizes {
            let row = results.rows.iter().find(|row| row.what == name && row.million == *size);
            let cell = row.map_or_else(String::new, |row| {
                format!("{}, {}, of {} MiB", row.time(), row.memory(), row.bytes >> 20)
            });
            let _ = write!(text, " | {cell}");
        }
        text += " |\n";
    }
    text
}
