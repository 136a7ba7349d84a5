//! `jdk=on`: hooks in the JDK's own classes, under the same oracle and the same targets.
//!
//! Invariant: the same output and exit status as without the agent, checks above 0, no mismatch,
//! nothing lost; and every frame that `Throwable.getStackTrace` shows is in the trace, but for
//! native methods and the few classes that stay out.
//! Source: JVMTI RetransformClasses; docs/design/jdk-classes.md.

use lucce_jvm_tests::{Hazard, Jvm, MATRIX, Run, Scratch, decode, hazards, turn};

/// All first uses of links, and every so many entries: there are some hundred thousand before a
/// program's own first.
const OPTIONS: &str = "jdk=on,verify=200";
/// The same with numbered words.
const NUMBERED: &str = "jdk=on,encoder=lucce,verify=200";

fn with_jdk(target: &'static str) -> Hazard {
    Hazard::new(target).agent(OPTIONS)
}

/// Each path through the scheduler has a number, and they are many: so there are few threads but in
/// a whole run.
fn numbered_threads() -> Hazard {
    let threads = Hazard::new("VirtualThreads").agent(NUMBERED);
    if turn::is_whole() { threads } else { threads.option("-Dthreads=100") }
}

hazards! {
    on [11 on_11, 17 on_17, 21 on_21, 25 on_25] {
        every_frame_is_there: with_jdk("JdkFrames").everywhere();
        exceptions_through_many_frames: with_jdk("ExceptionUnwind");
        static_initialisers: with_jdk("StaticInit");
        callbacks_out_of_collections_and_streams: with_jdk("Callbacks");
    }
    // The JVM has classes loaded where the hooks at a method's start name them for the first time.
    on [17 on_17, 25 on_25] {
        line_tables_with_one_index_twice: with_jdk("LineTables");
    }
    on [17 on_17, 25 on_25] {
        numbered_words_in_every_frame: Hazard::new("JdkFrames").agent(NUMBERED);
        numbered_words_in_static_initialisers: Hazard::new("StaticInit").agent(NUMBERED);
        numbered_words_below_callbacks: Hazard::new("Callbacks").agent(NUMBERED);
    }
    on [21 on_21, 25 on_25] {
        virtual_threads_that_block_and_move: with_jdk("VirtualThreads");
        numbered_words_in_virtual_threads: numbered_threads();
    }
}

/// A frame that the JVM does not show is no proof that another agent has changed the method's code.
#[test]
fn methods_whose_frames_are_hidden_are_not_taken_for_another_agents() {
    for jvm in turn::of("hidden", &[21, 25]) {
        let feature = jvm.feature;
        let scratch = Scratch::new("hidden", feature);
        let run = || Run::hazard(&jvm, "MountedInterrupted").within(&scratch);
        let right = run().agent(NUMBERED).go();
        assert_eq!(right.stdout, "100\n", "on {feature}\n{right}");
        assert_eq!(right.verified().skipped(CHANGED), 0, "on {feature}\n{right}");
        let wrong = run().without(&["proof"], NUMBERED).go();
        assert!(wrong.counters().skipped(CHANGED) > 0, "on {feature}\n{wrong}");
    }
}

const CHANGED: &str = "changed by another agent after Lucce";

/// As the paper prints them; later JDKs call methods by reflection without any, but their launcher
/// finds the main class by one.
#[test]
fn native_methods_are_named_as_such() {
    const REFLECTION: [&str; 3] = ["Reflection", "4k", "NativeMethodAccessorImpl.invoke0(native method)"];
    const LAUNCHER: [&str; 3] = ["Hello", "16", "java.lang.Class.forName0(native method)"];
    for jvm in Jvm::each(&turn::of_pairs("natives", &MATRIX)) {
        let [target, interval, named] = if jvm.feature <= 17 { REFLECTION } else { LAUNCHER };
        let scratch = Scratch::new("natives", jvm.feature);
        let outcome = Run::hazard(&jvm, target).within(&scratch).agent(&format!("{NUMBERED},alloc={interval}")).go();
        assert!(outcome.success(), "{outcome}");
        outcome.verified();
        let (_, text, _) = decode(outcome.log()).view(&["--events", "--format", "text"]);
        assert!(text.contains(named), "no {named} on {}", jvm.feature);
    }
}

#[test]
fn indices_are_those_of_the_jdks_own_code_where_calls_were_inserted() {
    for jvm in Jvm::all() {
        let scratch = Scratch::new("indices", jvm.feature);
        let run = || Run::hazard(&jvm, "JdkIndices").within(&scratch);
        let plain = run().go();
        let agent = run().agent("jdk=on,async=on,verify=200").go();
        assert!(plain.success() && agent.success(), "{plain}\n{agent}");
        agent.verified();
        let events = decode(agent.log()).events();
        let [event] = &events[..] else { panic!("{} events\n{agent}", events.len()) };
        let frame = |frame: &serde_json::Value| {
            let text = |key: &str| frame[key].as_str().unwrap_or_default().to_owned();
            format!("{}.{}:{}", text("class"), text("method"), frame["bci"])
        };
        let frames: Vec<String> = event["frames"].as_array().into_iter().flatten().map(frame).collect();
        let lines: Vec<&str> = plain.stdout.lines().collect();
        assert!(frames.iter().any(|frame| frame.starts_with("java.util.concurrent.ThreadPoolExecutor.execute")));
        // The innermost stands at another call.
        assert_eq!(frames[1..], lines[1..], "on {}", jvm.feature);
    }
}
