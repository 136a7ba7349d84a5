//! What has no hooks, or pays for them: skipped classes and methods by reason, and methods that the
//! JVM no longer compiles.
//!
//! Invariant: each reason is one finding, with the classes named that it met most often.
//! Source: docs/FORMAT.md, record Skip; `classfile/src/skip.rs` (the stable names of reasons).

use std::collections::BTreeMap;

use super::finding::{Case, Finding, Level, REPORT};
use crate::text;

/// Names in a line: enough to know where to look; `--stats` has all.
const NAMES: usize = 3;
/// The note on a method that has a mark of its own in the log.
const HUGE: &str = "crosses the JVM's compile limit";

/// What `jdk=on` leaves out by name stands together in one finding: it is the same in every run.
const ON_PURPOSE: &str = "on purpose";

/// Looks at skips, and at methods beyond the compilers' limit.
pub fn check(case: &Case<'_>) -> Vec<Finding> {
    let mut reasons: BTreeMap<&str, Vec<(&str, bool)>> = BTreeMap::new();
    for skip in case.log.skips().iter().filter(|skip| !skip.reason.starts_with(HUGE)) {
        // The detail of a reason stands in brackets or behind a colon.
        let reason = skip.reason.split([':', '(']).next().unwrap_or(&skip.reason).trim();
        let jdk = ["java.", "jdk.", "sun."].iter().any(|package| skip.class.starts_with(package));
        let reason = if jdk && consequence(reason).is_none() { ON_PURPOSE } else { reason };
        reasons.entry(reason).or_default().push((&skip.class, skip.method.is_some()));
    }
    let mut found: Vec<Finding> = reasons.iter().map(|(reason, skipped)| skips(reason, skipped)).collect();
    found.extend(huge(case));
    found
}

fn skips(reason: &str, skipped: &[(&str, bool)]) -> Finding {
    let methods = skipped.iter().filter(|(_, method)| *method).count();
    let parts = [(skipped.len() - methods, "class"), (methods, "method")];
    let parts = parts.iter().filter(|(number, _)| *number > 0).map(|&(number, noun)| text::plural(number as u64, noun));
    let what = format!(
        "{} skipped, {reason} ({})",
        parts.collect::<Vec<_>>().join(" and "),
        commonest(skipped.iter().map(|(class, _)| *class)),
    );
    let (level, why, remedy) = consequence(reason).unwrap_or((Level::Note, AROUND, "nothing, or see --stats"));
    Finding { level, ..Finding::change(&format!("skip.{reason}"), skipped.len() as u64, what, why, remedy) }
}

const AROUND: &str = "their frames show as a note on the frames around them";

/// What a reason means for the traces, and what to do; `None` for those that are not known here.
fn consequence(reason: &str) -> Option<(Level, &'static str, &'static str)> {
    Some(match reason {
        "excluded" => (Level::Note, AROUND, "nothing, include= and exclude= say so"),
        "method-too-large" | "constant-pool-full" | "too-many-locals" | "stack-too-deep" | "frames-too-large"
        | "flow-too-large" | "too-many-handlers" | "jump-overflow" => {
            (Level::Note, AROUND, "make them smaller if traces need them")
        }
        "malformed" => (Level::Change, "Lucce cannot read a class that was given to the JVM", REPORT),
        "unsupported-version" => {
            let remedy = "take a newer Lucce, or compile with an older --release";
            (Level::Change, "this Lucce does not know class files that new", remedy)
        }
        "ids-exhausted" => (
            Level::Change,
            "no class that comes later has hooks",
            "instrument fewer (include=<globs>, exclude=<globs>)",
        ),
        "changed by another agent after Lucce" => {
            let why = "they have no hooks any more, and each call that they make costs a stack walk";
            (Level::Change, why, "keep the other agent away from them, or leave them out (exclude=<globs>)")
        }
        "loaded before the agent was ready" => {
            (Level::Note, AROUND, "nothing, such classes are the JDK's or another agent's")
        }
        "not retransformed" => (Level::Note, AROUND, "report it with the JVM's version if traces need them"),
        "its threads and tasks are not followed" | "its tasks are not followed" => {
            let remedy = "wrap the tasks (Lucce.wrap), and report it with the JVM's version";
            (Level::Note, "events do not say where such threads and tasks came from", remedy)
        }
        "not guarded" => {
            let why = "what the JVM calls in them may cost stack walks";
            (Level::Note, why, "report it with the JVM's version")
        }
        ON_PURPOSE => (Level::Note, AROUND, "nothing, jdk=on leaves them out by name"),
        _ => return None,
    })
}

/// Methods that only the hooks brought past the limit. Initialisers run once, and do not need a
/// compiler.
fn huge(case: &Case<'_>) -> Option<Finding> {
    let methods = case.log.methods().into_iter().filter_map(|id| case.log.names().method(id));
    let huge: Vec<_> = methods.filter(|method| method.huge && &*method.name != "<clinit>").collect();
    let classes = huge.iter().filter_map(|method| case.log.names().class(method.class)).map(|class| &*class.name);
    let names = commonest(classes);
    (!huge.is_empty()).then(|| {
        let number = huge.len() as u64;
        let what = format!("{} past 8000 bytes with hooks ({names})", text::plural(number, "method"));
        let why = "the JVM interprets such methods and never compiles them";
        let remedy =
            "leave the class out (exclude=<globs>) or give the JVM -XX:-DontCompileHugeMethods, if they are hot";
        Finding::change("huge", number, what, why, remedy)
    })
}

/// The names met most often, with how often.
fn commonest<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    // Stable: equal ones by name.
    counts.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    let shown = counts
        .iter()
        .take(NAMES)
        .map(|&(name, count)| if count > 1 { format!("{name} {count} times") } else { name.to_owned() });
    let mut text = shown.collect::<Vec<_>>().join(", ");
    if counts.len() > NAMES {
        text += &format!(" and {} more", counts.len() - NAMES);
    }
    text
}
