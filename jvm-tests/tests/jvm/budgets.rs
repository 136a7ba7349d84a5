//! Budgets of exact counts: `Lucce.measure`, and the annotations of `lucce-junit` in tests that
//! JUnit runs.
//!
//! Invariant: a count is the same in every JVM, in every mode of its compilers, and beside two
//! hundred other tests; and no budget holds where nothing was counted. Source:
//! docs/guide/budgets.md.

use std::collections::BTreeMap;
use std::path::Path;

use lucce_jvm_tests::{Jvm, MATRIX, Outcome, Run, Scratch, place, turn};

const MEASURED: &str = "alloc=all,entries=hazards.Measured.recur";
const COUNTED: &str = "quiet,alloc=all,entries=budgets.Handler.handle:budgets.Handler.query";

/// So many tests are in `budgets.Budgets`.
const BUDGETS: usize = 22;

/// So many tests are in `budgets.Tasks`.
const TASKS: usize = 28;

/// So many tests are in `budgets.Baselines`.
const BASELINES: usize = 200;

/// Ways in which a JVM runs bytecode.
const MODES: [&[&str]; 5] = [
    &["-Xint"],
    &["-XX:TieredStopAtLevel=1"],
    &["-XX:-TieredCompilation"],
    &["-XX:+TieredCompilation"],
    &["-Xcomp", "-XX:CompileCommand=quiet", "-XX:CompileOnly=budgets.Handler"],
];

/// Many tests at once.
const PARALLEL: [&str; 4] = [
    "-Djunit.jupiter.execution.parallel.enabled=true",
    "-Djunit.jupiter.execution.parallel.mode.default=concurrent",
    "-Djunit.jupiter.execution.parallel.config.strategy=fixed",
    "-Djunit.jupiter.execution.parallel.config.fixed.parallelism=16",
];

/// JUnit runs this class of tests.
fn junit(jvm: &Jvm, console: &str, class: &str, scratch: &Scratch, options: &[&str]) -> Run {
    let place = place();
    let class_path = vec![place.set("programs"), place.api.clone(), place.junit.clone(), place.jar(console)];
    let run = Run::new(jvm, "budgets.Runner", class_path).within(scratch).argument(format!("budgets.{class}"));
    let run = ["commons-lang3", "commons-lang3-tests", "hamcrest"].into_iter().fold(run, Run::library);
    options.iter().fold(run, |run, option| run.option(*option))
}

/// How each test ended, with what was said of it.
fn results(outcome: &Outcome) -> BTreeMap<String, (String, String)> {
    assert!(outcome.success(), "{outcome}");
    let mut results = BTreeMap::new();
    let mut name = String::new();
    for line in outcome.stdout.lines() {
        if line.starts_with("  ") {
            let (_, said): &mut (String, String) = results.get_mut(&name).expect("a test before what is said of it");
            *said += &format!("\n{line}");
        } else {
            let ends = ["SUCCESSFUL", "FAILED", "ABORTED"];
            let end = ends.iter().find_map(|end| Some((end, line.split_once(&format!(" {end} "))?)));
            let (end, (test, said)) = end.unwrap_or_else(|| panic!("{line}\n{outcome}"));
            name = test.into();
            results.insert(name.clone(), ((*end).to_owned(), said.to_owned()));
        }
    }
    results
}

/// The name of each test begins with how it ends.
fn end_as_named(results: &BTreeMap<String, (String, String)>) {
    for (test, (end, said)) in results {
        let begins = [("passes", "SUCCESSFUL"), ("fails", "FAILED"), ("aborts", "ABORTED")];
        let expected = begins.iter().find(|(begin, _)| test.starts_with(begin));
        assert_eq!(expected.map(|(_, end)| *end), Some(end.as_str()), "{test}: {said}");
    }
}

/// Each test of a class passes; their number.
fn all_pass(outcome: &Outcome) -> usize {
    let results = results(outcome);
    let failed: Vec<_> = results.iter().filter(|(_, (end, _))| end != "SUCCESSFUL").take(3).collect();
    assert!(failed.is_empty(), "{failed:#?}\n{outcome}");
    results.len()
}

/// Writes the baselines into `folder`, or compares with those that are there.
fn baselines(jvm: &Jvm, class: &str, folder: &Path, options: &[&str]) -> Outcome {
    let scratch = Scratch::new("baselines", jvm.feature);
    let run = junit(jvm, "junit-console", class, &scratch, options);
    run.option(format!("-Dlucce.baselines={}", folder.display())).agent(COUNTED).go()
}

#[test]
fn a_measurement_has_what_its_thread_does_below_it() {
    for jvm in Jvm::all() {
        let scratch = Scratch::new("measured", jvm.feature);
        let run = || Run::hazard(&jvm, "Measured").within(&scratch);
        for encoder in ["auto", "lucce"] {
            let outcome = run().agent(&format!("{MEASURED},encoder={encoder},verify=100")).go();
            assert!(outcome.success() && outcome.stdout == "measured\n", "{outcome}");
            outcome.verified();
        }
    }
}

#[test]
fn a_measurement_has_what_tasks_do_that_are_handed_over_below_it() {
    for jvm in Jvm::all() {
        let scratch = Scratch::new("measured-tasks", jvm.feature);
        let run = || Run::hazard(&jvm, "MeasuredTasks").within(&scratch);
        for encoder in ["auto", "lucce"] {
            let outcome = run().agent(&format!("alloc=all,async=on,encoder={encoder},verify=100")).go();
            assert!(outcome.success() && outcome.stdout == "measured\n", "{outcome}");
            outcome.verified();
        }
        let outcome = run().argument("none").agent("quiet,alloc=all").go();
        assert!(outcome.success() && outcome.stdout == "measured\n", "{outcome}");
    }
}

#[test]
fn a_measurement_needs_no_class_chosen_but_the_programs_own() {
    for jvm in turn::of("chosen", &MATRIX) {
        let scratch = Scratch::new("chosen", jvm.feature);
        let options = format!("quiet,{MEASURED},include=hazards.*,exclude=org.*");
        let outcome = Run::hazard(&jvm, "Measured").within(&scratch).agent(&options).go();
        assert!(outcome.success() && outcome.stdout == "measured\n", "{outcome}");
    }
}

#[test]
fn a_measurement_of_nothing_has_none_of_the_agents_own_work_where_the_jdk_has_hooks() {
    for jvm in turn::of("nothing", &MATRIX) {
        let scratch = Scratch::new("measured-nothing", jvm.feature);
        let outcome = Run::hazard(&jvm, "MeasuredNothing").within(&scratch).agent("quiet,alloc=all,jdk=on").go();
        assert_eq!(outcome.stdout, "true []\n".repeat(3), "{outcome}");
    }
}

#[test]
fn what_is_not_counted_is_not_measured() {
    let Some(jvm) = Jvm::of(17) else { return };
    let scratch = Scratch::new("not-measured", jvm.feature);
    let run = || Run::hazard(&jvm, "Measured").within(&scratch);
    assert_eq!(run().go().stdout, "the JVM runs without the Lucce agent\n");
    let said = "the agent does not count: give it the option alloc=all or entries=<globs>\n";
    for options in ["quiet", "quiet,alloc=64k", "quiet,jdk=on"] {
        assert_eq!(run().agent(options).go().stdout, said, "{options}");
    }
}

#[test]
fn a_test_with_a_budget_ends_as_its_name_says() {
    for jvm in Jvm::all() {
        for console in ["junit-console", "junit-console-6"] {
            // The newer JUnit needs Java 17.
            if console.ends_with('6') && jvm.feature < 17 {
                continue;
            }
            let scratch = Scratch::new("budgets", jvm.feature);
            let results = results(&junit(&jvm, console, "Budgets", &scratch, &[]).agent(COUNTED).go());
            assert_eq!(results.len(), BUDGETS, "{results:#?}");
            end_as_named(&results);
            let (_, said) = &results["failsBelow()"];
            assert!(
                said.contains("2 allocations") && said.contains("at budgets.Handler.codec(Handler.java:"),
                "{said}"
            );
            assert!(!said.contains("int[]"), "what is not below is not shown: {said}");
        }
    }
}

#[test]
fn a_test_with_a_budget_counts_what_its_tasks_do() {
    for jvm in Jvm::each(&[17, 21, 25]) {
        let scratch = Scratch::new("budgets-of-tasks", jvm.feature);
        let folder = format!("-Dlucce.baselines={}", scratch.file("baselines").display());
        let run = |options: &[&str]| {
            let run = junit(&jvm, "junit-console", "Tasks", &scratch, options).option(&folder);
            results(&run.agent(&format!("{COUNTED},async=on")).go())
        };
        end_as_named(&run(&["-Dlucce.update=true"]));
        // One by one and at once.
        for options in [&[][..], &PARALLEL[..]] {
            let results = run(options);
            assert_eq!(results.len(), TASKS, "{results:#?}");
            end_as_named(&results);
            let (_, said) = &results["failsBelowWhatHandsOver()"];
            let way =
                ["Handler.codec(", "Handler.handle(", "Tasks.lambda$handOver$", "Tasks.handOver(", "Tasks.failsBelow"];
            let mut lines = said.lines().skip_while(|line| !line.contains(way[0]));
            assert!(way.iter().all(|frame| lines.next().is_some_and(|line| line.contains(frame))), "{said}");
        }
    }
}

#[test]
fn without_the_agent_or_its_counts_no_budget_holds() {
    let Some(jvm) = Jvm::of(21) else { return };
    let leaves_tests = format!("{COUNTED},include=org.*");
    for options in [None, Some("quiet"), Some("quiet,alloc=1k"), Some(leaves_tests.as_str())] {
        let scratch = Scratch::new("uncounted", jvm.feature);
        let run = junit(&jvm, "junit-console", "Budgets", &scratch, &[]);
        let run = match options {
            None => run,
            Some(options) => run.agent(options),
        };
        let results = results(&run.go());
        assert_eq!(results.len(), BUDGETS, "{results:#?}");
        let passed: Vec<_> = results.iter().filter(|(_, (end, _))| end == "SUCCESSFUL").collect();
        assert!(passed.is_empty(), "{options:?}: {passed:#?}");
        assert_eq!(results["failsByItself()"].0, "FAILED", "the test itself ran");
        assert_eq!(results["passesWithTwoCalls()"].0, "ABORTED", "{results:#?}");
    }
}

#[test]
fn two_hundred_tests_count_the_same_in_every_jvm_and_mode_one_by_one_and_at_once() {
    let Some(first) = Jvm::of(25) else { return };
    let scratch = Scratch::new("baselines", first.feature);
    let folder = scratch.file("baselines");
    let missing = results(&baselines(&first, "Baselines", &folder, &[]));
    assert!(
        missing.values().all(|(end, said)| end == "FAILED" && said.contains("-Dlucce.update=true")),
        "{missing:#?}"
    );
    assert_eq!(all_pass(&baselines(&first, "Baselines", &folder, &["-Xint", "-Dlucce.update=true"])), BASELINES);
    let rounds: usize = if turn::is_whole() { 20 } else { 1 };
    for (number, jvm) in Jvm::all().enumerate() {
        for (mode, options) in MODES.iter().enumerate() {
            if !turn::is_whole() && mode != (number + 1) % MODES.len() {
                continue;
            }
            for round in 0..rounds {
                let parallel: &[&str] = if (number + round) % 2 == 0 { &PARALLEL } else { &[] };
                let jvm = Jvm { quick: false, ..jvm.clone() };
                let outcome = baselines(&jvm, "Baselines", &folder, &[*options, parallel].concat());
                assert_eq!(all_pass(&outcome), BASELINES, "{} {options:?}", jvm.feature);
            }
        }
    }
}

#[test]
fn an_injected_new_fails_and_names_its_line() {
    let source = std::fs::read_to_string(place().source("java/programs/budgets/Handler.java")).expect("the source");
    let line = 1 + source.lines().position(|line| line.ends_with("// injected here")).expect("the line");
    for jvm in turn::of("injected", &MATRIX) {
        let scratch = Scratch::new("injected", jvm.feature);
        let folder = scratch.file("baselines");
        assert_eq!(all_pass(&baselines(&jvm, "Baselines", &folder, &["-Dlucce.update=true"])), BASELINES);
        let results = results(&baselines(&jvm, "Baselines", &folder, &["-Dinjected=true"]));
        let passed: Vec<_> = results.iter().filter(|(_, (end, _))| end == "SUCCESSFUL").map(|(test, _)| test).collect();
        // One of them calls nothing.
        assert_eq!(passed.len(), 1, "{passed:?}");
        let (_, said) = &results["repetition 1 of 100"];
        let expected = format!(
            "has other counts\n      +1 (0 before, 1 now) of java.lang.Object\n          \
             at budgets.Handler.handle(Handler.java:{line})\n          at budgets.Baselines.recur("
        );
        assert!(said.contains(&expected), "{said}");
        assert!(!said.contains("StringBuilder"), "only what changed is shown: {said}");
    }
}

#[test]
fn the_tests_of_a_library_keep_their_baselines() {
    let Some(first) = Jvm::of(11).or_else(|| Jvm::of(21)) else { return };
    let scratch = Scratch::new("library", first.feature);
    let folder = scratch.file("baselines");
    let tests = all_pass(&baselines(&first, "Fractions", &folder, &["-Dlucce.update=true"]));
    assert!(tests >= 20, "{tests}");
    for jvm in Jvm::all() {
        assert_eq!(all_pass(&baselines(&jvm, "Fractions", &folder, &[])), tests, "on {}", jvm.feature);
    }
}
