//! The cost of one event, beside what else gives a context: JMH's average time, in JVMs with the
//! agent.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::configurations;
use super::fork::FLAGS;
use super::options::Options;
use super::results::EventCost;
use super::{loaded, native};
use crate::{Result, build, jars, process, tree};

/// Jars of JMH, as the table calls them.
const JMH: [&str; 3] = ["jmh-core", "jopt-simple", "commons-math3"];

/// Warm-ups and measurements: number and length, of a full and of a quick run.
const FULL: [&str; 8] = ["-wi", "3", "-w", "300ms", "-i", "5", "-r", "300ms"];
const QUICK: [&str; 8] = ["-wi", "1", "-w", "200ms", "-i", "2", "-r", "200ms"];

/// JFR cuts stacks at 64 frames unless it is told; 2048 is the most.
const JFR_DEPTH: &str = "-XX:FlightRecorderOptions=stackdepth=2048";

/// A kind of event: the method in `bench.events`, what is measured beside it (so as to be
/// subtracted), and what it is.
#[derive(Debug)]
pub struct Kind {
    /// The method.
    pub name: &'static str,
    /// Measured alone as a row of its own.
    pub around: Option<&'static str>,
    /// For the report.
    pub what: &'static str,
    /// Does it walk the stack?
    pub rival: bool,
}

const fn kind(name: &'static str, around: Option<&'static str>, rival: bool, what: &'static str) -> Kind {
    Kind { name, around, what, rival }
}

/// All, in the order of the table.
pub const KINDS: [Kind; 14] = [
    kind("loop", None, false, "the loop alone"),
    kind("context", Some("loop"), false, "`Lucce.context()`"),
    kind("capture", Some("loop"), false, "`Lucce.capture()`, one context again and again"),
    kind("captureChain", Some("loop"), false, "`Lucce.capture()` on a recursion: as many cut edges as frames"),
    kind("activations", None, false, "calls through a cut edge, from the end of a recursion"),
    kind("captureActivations", Some("activations"), false, "`Lucce.capture()` in each of these"),
    kind("paths", None, false, "10 000 paths in shuffled order, nothing at their ends"),
    kind("capturePaths", Some("paths"), false, "`Lucce.capture()` at the ends of these"),
    kind("stackWalker", None, true, "`StackWalker`, frames counted"),
    kind("throwable", None, true, "`new Throwable()`, frames not made into elements"),
    kind("throwableTrace", None, true, "`Throwable.getStackTrace()`"),
    kind("threadTrace", None, true, "`Thread.getStackTrace()`"),
    kind("jvmti", None, true, "JVMTI `GetStackTrace`"),
    kind("jfr", None, true, "a JFR event with its stack"),
];

/// Runs the benchmarks of `bench.events`.
///
/// # Errors
/// One line when JMH fails or its results cannot be read.
pub fn measure(options: &Options, java: &Path) -> Result<Vec<EventCost>> {
    let table = jars::tables(&super::inputs::JARS)?;
    let mut class_path =
        vec![tree::root().join("dacapo-harness/build/classes/java/jmh"), tree::root().join(build::API_JAR)];
    for name in JMH {
        class_path.push(table.get(name).ok_or_else(|| format!("no jar is called {name}"))?.fetch()?);
    }
    let scratch = tree::cache().join("bench/scratch").join(format!("jmh-{}", std::process::id()));
    fs::create_dir_all(&scratch).map_err(|e| format!("cannot make {}: {e}", scratch.display()))?;
    // JMH starts a JVM for each kind and depth, and each wants a log of its own.
    let (results, log) = (scratch.join("results.json"), scratch.join("%p.log"));
    let mut arguments = FLAGS.join(" ");
    for configuration in configurations::named(&[configurations::LUCCE])? {
        arguments += &format!(" {}", loaded::argument(configuration, &log)?.unwrap_or_default());
    }
    arguments +=
        &format!(" {JFR_DEPTH} -Dbench.native={} --enable-native-access=ALL-UNNAMED", native::library().display());
    let mut jmh = process::command(java);
    jmh.current_dir(&scratch)
        .arg("-cp")
        .arg(std::env::join_paths(&class_path).map_err(|e| format!("class path: {e}"))?);
    jmh.args(["org.openjdk.jmh.Main", "-f", "1", "-foe", "false", "-v", "SILENT", "-rf", "json", "-rff"]).arg(&results);
    jmh.args(if options.quick { QUICK } else { FULL });
    jmh.arg("-jvmArgs").arg(arguments);
    println!("\nthe cost of one event: JMH is silent for some three minutes");
    let outcome = process::run(&mut jmh);
    let text = fs::read_to_string(&results);
    let _ = fs::remove_dir_all(&scratch);
    outcome?;
    parse(&text.map_err(|e| format!("no results of JMH: {e}"))?)
}

/// Reads JMH's results.
fn parse(text: &str) -> Result<Vec<EventCost>> {
    let json: Value = serde_json::from_str(text).map_err(|e| format!("JMH's results: {e}"))?;
    let event = |one: &Value| {
        let metric = &one["primaryMetric"];
        Some(EventCost {
            name: one["benchmark"].as_str()?.rsplit('.').next()?.to_owned(),
            depth: one["params"]["depth"].as_str()?.parse().ok()?,
            nanos: metric["score"].as_f64()?,
            // "NaN" with a single measurement.
            error: metric["scoreError"].as_f64().unwrap_or(0.0),
        })
    };
    let events = json.as_array().and_then(|all| all.iter().map(event).collect());
    events.ok_or_else(|| "JMH's results have not the form expected".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_results_of_jmh_are_read() {
        let text = r#"[{"benchmark": "bench.events.EventCost.capture", "params": {"depth": "50"},
            "primaryMetric": {"score": 8.25, "scoreError": "NaN"}}]"#;
        let events = parse(text).unwrap();
        assert_eq!((events[0].name.as_str(), events[0].depth, events[0].nanos), ("capture", 50, 8.25));
        assert!(parse("{}").is_err());
    }
}
