//! What other tools have recorded of allocations, as figures by name: `recorded.events`, of these
//! `recorded.at_sites` (in a method of the program, where Lucce counts too), the frames of the
//! deepest stack, and how many stacks were cut.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::configurations::{Configuration, Loaded};
use crate::{process, tree};

/// Packages of the JDK, with a dot at their end. Those of `javax` are not all the JDK's: tomcat
/// brings some.
const JDKS: [&str; 10] = [
    "java.",
    "jdk.",
    "sun.",
    "com.sun.",
    "javax.xml.",
    "javax.management.",
    "javax.net.",
    "javax.crypto.",
    "javax.security.",
    "javax.naming.",
];

/// Is it a class of the JDK's, or a method of one?
pub fn is_jdks(name: &str) -> bool {
    JDKS.iter().any(|package| name.starts_with(package))
}

/// Figures by name.
pub type Figures = BTreeMap<String, u64>;

/// The figures of what was recorded under the configuration; none where nothing was, or it cannot
/// be read. `java` reads recordings.
pub fn of(configuration: &Configuration, java: &Path, file: &Path) -> Figures {
    let text = || fs::read(file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    match configuration.loaded {
        Loaded::Nothing | Loaded::Agent(_) => Figures::new(),
        Loaded::Counter => counted(&text()),
        Loaded::Profiler(options) if options.ends_with("collapsed") => collapsed(&text()),
        Loaded::Profiler(_) | Loaded::Recorder => {
            let mut reader = process::command(java);
            let harness = tree::root().join("dacapo-harness/build/classes/java/main");
            let read = process::output(reader.arg("-cp").arg(harness).arg("bench.sources.Recorded").arg(file));
            read.map_or_else(|_| Figures::new(), |text| classes(&text))
        }
    }
}

/// The figures of the counting agent: a name and a number in each line.
fn counted(text: &str) -> Figures {
    let line = |line: &str| {
        let (name, number) = line.split_once(' ')?;
        Some((format!("recorded.{name}"), number.parse().ok()?))
    };
    text.lines().filter_map(line).collect()
}

/// Of the stacks that async-profiler writes, one in each line: frames from the outermost on, the
/// class allocated, and a number behind it.
fn collapsed(text: &str) -> Figures {
    let mut sum = Sum::default();
    for line in text.lines() {
        let Some((stack, events)) = line.rsplit_once(' ') else { continue };
        let Ok(events) = events.parse() else { continue };
        let frames: Vec<&str> = stack.split(';').collect();
        // The last is the class that was allocated; methods are called `java/lang/Object.toString`.
        let top = frames.len().checked_sub(2).and_then(|index| frames.get(index)).copied().unwrap_or("-");
        let class = top.rsplit_once('.').map_or(top, |(class, _)| class).replace('/', ".");
        sum.add(&class, events);
        sum.deepest = sum.deepest.max(frames.len() as u64 - 1);
    }
    sum.figures()
}

/// Reads what `bench.sources.Recorded` prints.
fn classes(text: &str) -> Figures {
    let mut sum = Sum::default();
    for line in text.lines() {
        match line.split(' ').collect::<Vec<_>>().as_slice() {
            ["at", class, events] => sum.add(class, events.parse().unwrap_or(0)),
            ["deepest", frames] => sum.deepest = frames.parse().unwrap_or(0),
            ["cut", events] => sum.cut = events.parse().unwrap_or(0),
            _ => {}
        }
    }
    sum.figures()
}

#[derive(Debug, Default)]
struct Sum {
    events: u64,
    at_sites: u64,
    deepest: u64,
    cut: u64,
}

impl Sum {
    /// Events whose topmost frame is of that class, named with dots; `-` where there is no stack.
    fn add(&mut self, class: &str, events: u64) {
        self.events += events;
        if class != "-" && class.contains('.') && !is_jdks(class) {
            self.at_sites += events;
        }
    }

    fn figures(self) -> Figures {
        let all = [("events", self.events), ("at_sites", self.at_sites), ("deepest", self.deepest), ("cut", self.cut)];
        all.into_iter().map(|(name, value)| (format!("recorded.{name}"), value)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(figures: Figures, expected: &[(&str, u64)]) {
        let figures: Vec<(&str, u64)> = figures.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        assert_eq!(figures, expected);
    }

    #[test]
    fn stacks_of_the_profiler_are_summed_by_where_they_allocate() {
        let text = "bench/Main.main;org/h2/Parser.parse;java.lang.String_[i] 7\nbench/Main.main;java/util/List.of;int[]_[k] 2\n\
            [no_Java_frame];byte[]_[i] 1\n";
        let expected =
            [("recorded.at_sites", 7), ("recorded.cut", 0), ("recorded.deepest", 2), ("recorded.events", 10)];
        check(collapsed(text), &expected);
    }

    #[test]
    fn classes_of_a_recording_are_summed_and_those_of_the_jdk_kept_apart() {
        let text = "deepest 60\ncut 3\nat - 1\nat java.util.List 2\nat javax.servlet.Filter 4\n";
        let expected =
            [("recorded.at_sites", 4), ("recorded.cut", 3), ("recorded.deepest", 60), ("recorded.events", 7)];
        check(classes(text), &expected);
    }

    #[test]
    fn figures_of_the_counting_agent_are_taken_as_they_are() {
        check(counted("events 5\ncontexts 2\n"), &[("recorded.contexts", 2), ("recorded.events", 5)]);
    }
}
