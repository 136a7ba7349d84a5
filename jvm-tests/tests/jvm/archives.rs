//! JVMs that are started to record an archive of classes: nothing of Lucce's gets into it, and
//! nothing keeps it from being written.
//!
//! Invariant: the agent says in one line that it does nothing, and does nothing; the archive serves
//! JVMs without the agent.
//! Source: docs/guide/production.md; JEP 310, 514.

use lucce_jvm_tests::{Jvm, Outcome, Run, Scratch, option, place};

/// A program in one jar, for archives know no folders.
fn compiler(jvm: &Jvm, scratch: &Scratch) -> Run {
    let main = "org.eclipse.jdt.internal.compiler.batch.Main";
    Run::new(jvm, main, vec![place().jar("ecj")]).within(scratch).argument("-version")
}

/// The outcome of a run that records, in which the agent has said why it does nothing, and has
/// written nothing.
fn recorded(run: Run, by: &str) -> Outcome {
    let outcome = run.agent("verify=1").go();
    assert!(outcome.success(), "{outcome}");
    let reason = "records an archive, in which rewritten classes would do harm; nothing is recorded here";
    assert_eq!(outcome.said(), [format!("lucce: {by} {reason}")], "{outcome}");
    assert!(!outcome.log().exists(), "{outcome}");
    outcome
}

#[test]
fn an_archive_that_jdk_11_dumps_has_no_hooks() {
    let Some(jvm) = Jvm::of(11) else { return };
    let scratch = Scratch::new("dumped", 11);
    let archive = option("-XX:SharedArchiveFile=", scratch.file("classes.jsa"));
    recorded(compiler(&jvm, &scratch).option("-Xshare:dump").option(archive.clone()), "-Xshare:dump");
    let outcome = compiler(&jvm, &scratch).option("-Xshare:on").option(archive).go();
    assert!(outcome.success() && outcome.stdout.contains("Eclipse Compiler"), "{outcome}");
}

/// What README says of other archives: three options end the JVM, and one that exists does no harm.
#[test]
fn archives_beside_the_agent_are_as_the_guide_says() {
    for jvm in Jvm::all().filter(|jvm| jvm.feature >= 17) {
        let scratch = Scratch::new("archives", jvm.feature);
        let hello = || Run::hazard(&jvm, "Hello").within(&scratch);
        let to = |name: &str| option(name, scratch.file("dynamic.jsa"));
        let automatic = vec!["-XX:+AutoCreateSharedArchive".into(), to("-XX:SharedArchiveFile=")];
        let ending = [vec![to("-XX:ArchiveClassesAtExit=")], vec!["-XX:+RecordDynamicDumpInfo".into()], automatic];
        for options in ending.into_iter().take(if jvm.feature >= 21 { 3 } else { 2 }) {
            let outcome = options.into_iter().fold(hello(), Run::option).agent("quiet").go();
            let said = format!("{}{}", outcome.stdout, outcome.stderr);
            assert!(!outcome.success() && said.contains("does not support native JVMTI agent"), "{outcome}");
        }
        let base = option("-XX:SharedArchiveFile=", scratch.file("base.jsa"));
        assert!(hello().option("-Xshare:dump").option(base.clone()).go().success());
        let outcome = hello().option(base.clone()).agent("quiet").go();
        assert!(outcome.success() && outcome.stdout.contains("hello\n"), "{outcome}");
        let complains = format!("{}{}", outcome.stdout, outcome.stderr).contains("early JVMTI ClassFileLoadHook");
        assert_eq!(complains, jvm.feature >= 25, "{outcome}");
        let outcome = hello().option(base).option("-Xshare:off").agent("quiet").go();
        assert!(outcome.success() && outcome.stdout == "hello\n" && outcome.stderr.is_empty(), "{outcome}");
    }
}

/// It ended by a signal, and its archive was empty.
#[test]
fn a_run_that_records_for_the_ahead_of_time_cache_does_as_without_the_agent() {
    let Some(jvm) = Jvm::of(25) else { return };
    let scratch = Scratch::new("cached", 25);
    let configuration = scratch.file("a.conf");
    let record = compiler(&jvm, &scratch).option(option("-XX:AOTConfiguration=", configuration.clone()));
    let outcome = recorded(record.option("-XX:AOTMode=record"), "-XX:AOTMode=record");
    assert!(outcome.stdout.contains("Eclipse Compiler"), "{outcome}");
    assert!(std::fs::metadata(&configuration).is_ok_and(|file| file.len() > 0), "{outcome}");
}
