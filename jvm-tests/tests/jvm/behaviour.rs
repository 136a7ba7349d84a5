//! The published tests of large libraries pass and fail under the agent as they do without it.
//!
//! Invariant: tests are compared one by one, by class and name; one that differs is run again,
//! alone, both ways, because some of these tests measure time.
//! Source: ARCHITECTURE ("The contract").

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use lucce_jvm_tests::{Jvm, Run, Scratch, place, turn};

/// How each test ended: `passed`, `skipped`, or `failed` with the class of what was thrown.
type Results = BTreeMap<String, String>;

/// Classes that are run.
const WHOLE: &str = "^.*Test$";
/// Those of a usual run: about half of them, by the first letter of their names.
const USUAL: &str = r"^.*\.[A-L][^.]*Test$";

struct Library {
    name: &'static str,
    feature: u32,
    jars: &'static [&'static str],
    /// Only these packages; all when empty.
    packages: &'static [&'static str],
}

impl Library {
    /// Runs these classes of its test jar, or all when there are none.
    fn run(&self, agent: bool, classes: &BTreeSet<String>) -> Option<Results> {
        let jvm = Jvm::of(self.feature)?;
        let scratch = Scratch::new(self.name, self.feature);
        let reports = scratch.file("reports");
        let mut class_path: Vec<_> = self.jars.iter().map(|jar| place().jar(jar)).collect();
        class_path.push(place().jar("junit-console"));
        let tests = place().jar(&format!("{}-tests", self.name));
        class_path.push(tests.clone());
        let mut run = Run::new(&jvm, "org.junit.platform.console.ConsoleLauncher", class_path)
            .within(&scratch)
            .limit(900)
            .option("-Xmx1g")
            .option("-Duser.timezone=UTC")
            .option("-Duser.language=en")
            .argument("--disable-banner")
            .argument("--details=none")
            .argument("--reports-dir")
            .argument(&reports);
        if self.feature >= 17 {
            for package in ["java.lang", "java.util", "java.time", "java.lang.reflect"] {
                run = run.option(format!("--add-opens=java.base/{package}=ALL-UNNAMED"));
            }
        }
        run = if classes.is_empty() {
            let run = run
                .argument("--scan-classpath")
                .argument(&tests)
                .argument(format!("--include-classname={}", if turn::is_whole() { WHOLE } else { USUAL }))
                // A benchmark, those that sleep, and those that take long and add little.
                .argument("--exclude-classname=.*(HashSetvBitSet|LockingVisitors|StopWatch|PassiveExpiringMap|LegendreHighPrecision|FieldRotation).*");
            // JUnit 4's engine looks into every class of the jar; who has no JUnit 4 does not need
            // it.
            let run = if self.jars.contains(&"junit4") { run } else { run.argument("--exclude-engine=junit-vintage") };
            self.packages.iter().fold(run, |run, package| run.argument("--include-package").argument(package))
        } else {
            classes.iter().fold(run, |run, class| run.argument("--select-class").argument(class))
        };
        let outcome = if agent { run.agent("quiet").go() } else { run.plain().go() };
        // Status 1 says that tests failed; they are compared one by one.
        let ended = outcome.status.and_then(|status| status.code()).is_some_and(|code| code == 0 || code == 1);
        assert!(ended, "{} did not end (agent: {agent}):\n{outcome}", self.name);
        if agent {
            let counters = outcome.counters();
            assert!(counters.complete() && counters.figure("edges") > 0, "the agent was at work\n{counters}");
        }
        let mut results = Results::new();
        for entry in fs::read_dir(&reports).unwrap_or_else(|e| panic!("no reports: {e}\n{outcome}")).flatten() {
            read(&entry.path(), &mut results);
        }
        Some(results)
    }

    fn check(&self, at_least: usize) {
        let at_least = if turn::is_whole() { at_least } else { at_least / 4 };
        let all = BTreeSet::new();
        let Some(plain) = self.run(false, &all) else { return };
        assert!(plain.len() >= at_least, "only {} tests of {} were found", plain.len(), self.name);
        let agent = self.run(true, &all).expect("the same JVM");
        let mut different = differences(&plain, &agent);
        if !different.is_empty() {
            let classes = different.iter().map(|test| test.split('#').next().unwrap_or(test).to_owned()).collect();
            let plain = self.run(false, &classes).expect("the same JVM");
            let agent = self.run(true, &classes).expect("the same JVM");
            different = differences(&plain, &agent).intersection(&different).cloned().collect();
        }
        let shown: Vec<_> = different.iter().take(10).map(|test| (test, plain.get(test), agent.get(test))).collect();
        assert!(different.is_empty(), "{} of {} tests end otherwise: {shown:#?}", different.len(), plain.len());
        let failed = plain.values().filter(|how| how.starts_with("failed")).count();
        println!("{}: {} tests, {failed} fail both ways", self.name, plain.len());
    }
}

fn differences(plain: &Results, agent: &Results) -> BTreeSet<String> {
    let tests: BTreeSet<&String> = plain.keys().chain(agent.keys()).collect();
    tests.into_iter().filter(|test| plain.get(*test) != agent.get(*test)).cloned().collect()
}

/// The test cases of a JUnit report. Names that hold addresses or times come out differently each
/// run: those digits are left out.
fn read(report: &Path, results: &mut Results) {
    let text = fs::read_to_string(report).unwrap_or_default();
    for case in text.split("<testcase ").skip(1) {
        let Some((head, rest)) = case.split_once('>') else { continue };
        let attribute = |name: &str| {
            let at = head.find(&format!("{name}=\""))? + name.len() + 2;
            head[at..].split('"').next()
        };
        let (Some(class), Some(name)) = (attribute("classname"), attribute("name")) else { continue };
        let body = rest.split("</testcase>").next().unwrap_or_default();
        let how = if head.ends_with('/') {
            "passed".to_owned()
        } else if body.contains("<skipped") {
            "omitted".to_owned()
        } else if let Some(at) = body.find("type=\"").filter(|_| body.contains("<failure") || body.contains("<error")) {
            format!("failed: {}", body[at + 6..].split('"').next().unwrap_or_default())
        } else {
            "passed".to_owned()
        };
        // Several invocations may share a name: the worst counts.
        let known = results.entry(format!("{class}#{}", name.split('@').next().unwrap_or(name))).or_default();
        *known = known.clone().max(how);
    }
}

#[test]
fn commons_lang3_behaves_the_same() {
    let jars = &["commons-lang3", "hamcrest", "easymock", "objenesis", "junit-pioneer"];
    Library { name: "commons-lang3", feature: 21, jars, packages: &[] }.check(2000);
}

#[test]
fn commons_math3_behaves_the_same() {
    let jars = &["commons-math3", "junit4", "hamcrest"];
    // Those of optimisation and random numbers take minutes and add little.
    let packages = &[
        "org.apache.commons.math3.linear",
        "org.apache.commons.math3.analysis",
        "org.apache.commons.math3.geometry",
        "org.apache.commons.math3.complex",
        "org.apache.commons.math3.fraction",
        "org.apache.commons.math3.special",
        "org.apache.commons.math3.ml",
        "org.apache.commons.math3.transform",
        "org.apache.commons.math3.dfp",
    ];
    Library { name: "commons-math3", feature: 17, jars, packages }.check(2000);
}

#[test]
fn commons_collections4_behaves_the_same() {
    let jars = &["commons-collections4", "commons-lang3", "junit4", "hamcrest", "easymock", "objenesis"];
    Library { name: "commons-collections4", feature: 25, jars, packages: &[] }.check(10_000);
}
