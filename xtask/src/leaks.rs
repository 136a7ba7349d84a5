//! `cargo xtask leaks`: the leak detector beside JFR's OldObjectSample on the same services, five
//! that leak and two that do not.
//!
//! Invariant: both watch the same program under the same JVM with the same requests and
//! collections, each in a run of its own, each with what docs/guide/leaks.md says; what is counted
//! of JFR is what its own tool prints.
//! Source: docs/guide/leaks.md; JFR's `jdk.OldObjectSample` (`jfr metadata`), with the settings of
//! its `profile.jfc` and paths to roots.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::{Result, build, jdk, jvms, process, tree};

/// The services, with the method that is in the trace of what leaks.
const SERVICES: [(&str, Option<&str>); 7] = [
    ("SessionCache", Some("leaks.SessionCache.session")),
    ("Listeners", Some("leaks.Listeners.open")),
    ("PooledLocals", Some("leaks.PooledLocals.entry")),
    ("Registry", Some("leaks.Registry$Kept.record")),
    ("Redeploy", Some("leaks.Redeploy.deploy")),
    ("Bounded", None),
    ("Batches", None),
];
/// The JVM of both: JFR's recordings are read by the default JDK, which is no older.
const FEATURE: u32 = 17;
/// As the tests of the detector have it: a collection of the old objects after each 800 of 16000
/// requests.
const JVM: [&str; 5] =
    ["-Xmx64m", "-XX:+UseG1GC", "-XX:+ExplicitGCInvokesConcurrent", "-Drequests=16000", "-Dcollect=800"];
/// JFR's default depth of stacks.
const DEPTH: &str = "64";

/// Runs all services twice and prints the table.
///
/// # Errors
/// One line for the first step that failed.
pub fn run() -> Result<()> {
    let runtime = jvms::matrix().find(|runtime| runtime.feature == FEATURE).ok_or("no JVM for this machine")?;
    runtime.fetch()?;
    let reader = jdk::default()?.home.join("bin/jfr");
    build::test_programs(&[])?;
    build::native()?;
    let folder = tree::cache().join("leaks");
    fs::create_dir_all(&folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;

    println!(
        "\n| program | Lucce: first suspect | known after | grows by | JFR: samples | the leak's site | sites without a leak |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (name, method) in SERVICES {
        let lucce = lucce(&runtime.java(), &folder, name, method)?;
        let jfr = jfr(&runtime.java(), &reader, &folder, name, method)?;
        println!("| `{name}` | {lucce} | {jfr} |");
    }
    Ok(())
}

fn service(java: &Path, name: &str, option: &str) -> Command {
    let mut program = process::command(java);
    let classes = tree::root().join("jvm-tests/build/classes/java/main");
    program.args(JVM).arg(option).arg("-cp").arg(classes).arg(format!("leaks.{name}"));
    program
}

/// The columns of the detector.
fn lucce(java: &Path, folder: &Path, name: &str, method: Option<&str>) -> Result<String> {
    let log = emptied(folder.join(format!("{name}.log")));
    let agent = tree::release("liblucce.so");
    let option = format!("-agentpath:{}=file={},leaks=4k,quiet", agent.display(), log.display());
    process::output(&mut service(java, name, &option))?;
    let decode = process::command(tree::release("lucce-decode"))
        .arg("leaks")
        .args(["--format", "json"])
        .arg(&log)
        .output()
        .map_err(|e| format!("cannot run lucce-decode: {e}"))?;
    let text = String::from_utf8_lossy(&decode.stdout).into_owned();
    let suspects = text.lines().map(parsed).collect::<Result<Vec<_>>>()?;
    let Some(first) = suspects.first() else { return Ok("none | - | -".into()) };
    let frames = first["frames"].as_array().map_or(&[][..], Vec::as_slice);
    let is_leak = frames.iter().any(|frame| is_named(method, &frame["class"], &frame["method"]));
    let seconds = first["suspected_ns"].as_f64().unwrap_or_default() / 1e9;
    Ok(format!(
        "{} of {} | {seconds:.1} s, {} old collections | {} KiB a collection",
        if is_leak { "the leak" } else { "**another**" },
        suspects.len(),
        first["history"][0]["collections"],
        first["growth"].as_i64().unwrap_or_default() / 1024,
    ))
}

/// Samples with one site, and how many of them have a path to a root.
#[derive(Clone, Copy, Default)]
struct Site {
    samples: usize,
    rooted: usize,
    is_leak: bool,
}

/// The columns of JFR.
fn jfr(java: &Path, reader: &Path, folder: &Path, name: &str, method: Option<&str>) -> Result<String> {
    let recording = emptied(folder.join(format!("{name}.jfr")));
    let settings = "settings=profile,path-to-gc-roots=true,dumponexit=true";
    let option = format!("-XX:StartFlightRecording:{settings},filename={}", recording.display());
    process::output(&mut service(java, name, &option))?;
    let mut print = process::command(reader);
    print.args(["print", "--json", "--stack-depth", DEPTH, "--events", "jdk.OldObjectSample"]).arg(&recording);
    let samples = parsed(&process::output(&mut print)?)?;
    let samples = samples["recording"]["events"].as_array().map_or(&[][..], Vec::as_slice);

    let mut sites: BTreeMap<String, Site> = BTreeMap::new();
    for sample in samples.iter().map(|event| &event["values"]) {
        let frames = sample["stackTrace"]["frames"].as_array().map_or(&[][..], Vec::as_slice);
        let site = sites.entry(site(frames)).or_default();
        site.samples += 1;
        site.rooted += usize::from(!sample["root"].is_null());
        site.is_leak |=
            frames.iter().any(|frame| is_named(method, &frame["method"]["type"]["name"], &frame["method"]["name"]));
    }
    let leak = sites.values().filter(|site| site.is_leak).max_by_key(|site| site.samples).copied();
    let found = leak.map_or("not among them".into(), |leak| {
        let rank = 1 + sites.values().filter(|site| site.samples > leak.samples).count();
        format!("{}. with {} samples, {} of them with a path to a root", rank, leak.samples, leak.rooted)
    });
    let found = if method.is_some() { found } else { "-".into() };
    Ok(format!("{} | {found} | {}", samples.len(), sites.values().filter(|site| !site.is_leak).count()))
}

/// The innermost frame of the service; of what has none, the innermost one.
fn site(frames: &[Value]) -> String {
    let class = |frame: &Value| frame["method"]["type"]["name"].as_str().unwrap_or_default().to_string();
    let own = frames.iter().find(|frame| {
        let class = class(frame);
        class.starts_with("leaks") && !class.ends_with("Service")
    });
    own.or(frames.first()).map_or("unknown".into(), |frame| {
        format!("{}.{}:{}", class(frame), frame["method"]["name"], frame["lineNumber"])
    })
}

/// Is it the method of this name? Class names are written with dots or slashes.
fn is_named(wanted: Option<&str>, class: &Value, method: &Value) -> bool {
    let name = format!("{}.{}", class.as_str().unwrap_or_default(), method.as_str().unwrap_or_default());
    wanted.is_some_and(|wanted| name.replace('/', ".") == wanted)
}

/// A file of an earlier run is no result of this one.
fn emptied(path: PathBuf) -> PathBuf {
    let _ = fs::remove_file(&path);
    path
}

fn parsed(text: &str) -> Result<Value> {
    serde_json::from_str(text).map_err(|e| format!("no JSON: {e}"))
}
