//! What is kept of results, replaced, and taken from an interrupted run.

use super::*;

fn sample() -> Run {
    Run::empty().with(&[("h2", "no-agent", &[50.0, 10.0]), ("h2", "lucce", &[90.0, 20.0])])
}

#[test]
fn output_that_differs_is_refused() {
    let mut run = sample();
    let mut fork = run.forks[0].clone();
    fork.digest = "e".into();
    assert!(run.accept(fork).is_err());
    assert_eq!(run.forks.len(), 2);
}

#[test]
fn results_are_read_back_as_they_were_written() {
    let file = std::env::temp_dir().join(format!("xtask-results-{}.json", std::process::id()));
    let run = sample();
    run.save(&file).unwrap();
    let again = Run::load(&file).unwrap();
    fs::remove_file(&file).unwrap();
    assert_eq!(format!("{run:?}"), format!("{again:?}"));
}

#[test]
fn results_from_before_a_field_was_added_are_read() {
    for jdk in [17, 25] {
        let file = crate::tree::root().join("docs/benchmarks").join(file_name(jdk));
        assert!(!Run::load(&file).unwrap().forks.is_empty());
    }
    let mut text = serde_json::to_string(&sample()).unwrap();
    for later in [
        r#""life":0.0,"#,
        r#""compiling":[],"#,
        r#""collecting":[],"#,
        r#""before":0,"#,
        r#""resumed":[],"#,
        r#""machine":"M","#,
        r#","stolen":null"#,
        r#","again":[]"#,
    ] {
        assert!(text.contains(later), "{later}");
        text = text.replace(later, "");
    }
    let old: Run = serde_json::from_str(&text).unwrap();
    assert_eq!((old.forks.len(), old.forks[0].life), (2, 0.0));
    assert_eq!(old.sections[&Section::Programs].how.machine, about::unknown_machine());
}

#[test]
fn sections_of_different_machines_stand_side_by_side_and_only_that_of_this_one_is_resumed() {
    let file = std::env::temp_dir().join(format!("xtask-machines-{}.json", std::process::id()));
    let mut run = sample();
    run.begin(Section::Startup, &[], "--startup");
    let here = run.sections[&Section::Startup].how.machine.clone();
    assert_ne!(here, run.sections[&Section::Programs].how.machine);
    assert_eq!((here.as_str(), run.forks.len()), (machine::name().as_str(), 2));
    run.sections.get_mut(&Section::Startup).unwrap().how.machine = "another".into();
    assert!(!run.resume(Section::Startup, &[], "--startup --resume"));
    run.save(&file).unwrap();
    let mut other = sample();
    other.adopt(Section::Startup, &[], &file);
    assert!(!other.sections.contains_key(&Section::Startup));
    run.sections.get_mut(&Section::Startup).unwrap().how.machine.clone_from(&here);
    run.save(&file).unwrap();
    other.adopt(Section::Startup, &[], &file);
    fs::remove_file(&file).unwrap();
    assert_eq!(other.sections[&Section::Startup].how.machine, here);
}

#[test]
fn a_section_of_another_commit_is_not_resumed() {
    let mut run = sample();
    assert!(run.has(Section::Programs, "h2", "lucce", 0) && !run.has(Section::Programs, "h2", "lucce", 1));
    assert!(!run.resume(Section::Programs, &[], "--b") && !run.resume(Section::Startup, &[], "--b"));
    assert!(run.sections[&Section::Programs].how.resumed.is_empty());
    run.begin(Section::Startup, &[], "--startup");
    run.failures.push(Failure::new(Section::Startup, "5000 classes", "lucce", 0, "killed".into()));
    assert!(run.resume(Section::Startup, &[], "--startup --resume") && run.failures.is_empty());
    assert_eq!(run.sections[&Section::Startup].how.resumed, ["--startup --resume"]);
}

#[test]
fn what_an_interrupted_run_has_left_is_taken_and_nothing_else() {
    let file = std::env::temp_dir().join(format!("xtask-unfinished-{}.json", std::process::id()));
    let mut left = sample();
    left.begin(Section::Settled, &[], "--settled");
    left.forks[1].section = Some(Section::Settled);
    left.save(&file).unwrap();
    let mut run = sample();
    run.adopt(Section::Startup, &[], &file);
    assert!(!run.sections.contains_key(&Section::Startup));
    run.adopt(Section::Settled, &[], &file);
    fs::remove_file(&file).unwrap();
    assert!(run.has(Section::Settled, "h2", "lucce", 0) && run.has(Section::Programs, "h2", "lucce", 0));
    assert_eq!((run.forks.len(), run.sections[&Section::Settled].how.arguments.as_str()), (3, "--settled"));
    left.sections.get_mut(&Section::Settled).unwrap().how.commit = "another".into();
    left.save(&file).unwrap();
    let mut run = sample();
    run.adopt(Section::Settled, &[], &file);
    fs::remove_file(&file).unwrap();
    assert!(run.forks.len() == 2 && !run.sections.contains_key(&Section::Settled));
}

#[test]
fn a_section_that_begins_again_is_empty_and_the_others_stay() {
    let mut run = sample();
    run.forks[0].section = Some(Section::Recursion);
    run.begin(Section::Programs, &[], "--programs");
    assert_eq!(run.forks.len(), 1);
    assert_eq!(run.sections[&Section::Programs].how.arguments, "--programs");
}

#[test]
fn programs_that_are_named_begin_again_and_the_others_stay_as_they_were_measured() {
    let mut run = sample().with(&[("fop", "no-agent", &[5.0, 4.0]), ("fop", "lucce", &[5.0, 4.0])]);
    run.calls = [("h2".to_owned(), 1), ("fop".to_owned(), 2)].into();
    for (program, reason) in [("h2", "its own"), ("fop", "another's")] {
        run.failures.push(Failure::new(Section::Programs, program, "lucce", 1, reason.into()));
    }
    let h2 = ["h2".to_owned()];
    run.begin(Section::Programs, &h2, "--programs h2");
    let fop = |run: &Run| run.forks.iter().all(|fork| fork.program == "fop");
    assert!(fop(&run) && run.forks.len() == 2 && run.calls.len() == 1 && run.failures.len() == 1);
    let about = run.sections.get_mut(&Section::Programs).unwrap();
    assert_eq!((about.how.arguments.as_str(), about.again[0].how.arguments.as_str()), ("--a", "--programs h2"));
    // The others are of a commit that is not this one; a run of them all cannot add to what is of
    // two.
    assert!(!run.resume(Section::Programs, &["fop".into()], "--c") && !run.resume(Section::Programs, &[], "--c"));
    assert!(run.resume(Section::Programs, &h2, "--programs h2 --resume"));
    // Interrupted, it is taken up into what stands there now, and is not taken for the whole.
    run.accept(Fork { fork: 7, ..sample().forks.remove(0) }).unwrap();
    let file = std::env::temp_dir().join(format!("xtask-again-{}.json", std::process::id()));
    run.save(&file).unwrap();
    let (mut whole, mut one) = (sample(), sample().with(&[("pmd", "lucce", &[5.0, 4.0])]));
    whole.adopt(Section::Programs, &[], &file);
    one.adopt(Section::Programs, &h2, &file);
    fs::remove_file(&file).unwrap();
    assert!(!whole.has(Section::Programs, "h2", "no-agent", 7));
    assert!(one.has(Section::Programs, "h2", "no-agent", 7) && one.has(Section::Programs, "pmd", "lucce", 0));
    assert_eq!((one.forks.len(), one.sections[&Section::Programs].again.len()), (2, 1));
    // Nothing is left that the section's own command measured: it begins anew.
    run.forget(Section::Programs, &h2);
    run.begin(Section::Programs, &["fop".into()], "--programs fop");
    let about = &run.sections[&Section::Programs];
    assert!(about.again.is_empty() && about.how.arguments == "--programs fop");
}
