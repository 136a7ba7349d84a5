//! The kill switch, and the late start.
//!
//! Invariant: what runs between the two is exact, and nothing runs behind the kill switch. Source:
//! docs/design/late-start-and-kill.md.

use lucce_jvm_tests::{Jvm, Run, turn};

use super::Running;

#[test]
fn the_kill_switch_gives_the_classes_back_while_the_program_runs() {
    for feature in [11, 17, 21, 25] {
        killed(feature, "verify=1,alloc=64k");
    }
}

#[test]
fn the_kill_switch_ends_whatever_the_options_have_asked_for() {
    for (feature, options) in [
        (11, "verify=1,jdk=on"),
        (25, "verify=1,jdk=on,async=on,exceptions,locks"),
        // Here the hooks make objects of the JDK's where they count: what those constructors find
        // must not be taken for what the program publishes.
        (17, "verify=1,jdk=on,async=on,alloc=all,entries=*.get*"),
        (11, "verify=1,async=on,exceptions,locks,cpu=10ms"),
        (21, "verify=1,async=on,leaks=64k"),
        (17, "verify=1,alloc=all,entries=hazards.*,encoder=lucce"),
        (17, "verify=1,alloc=all,entries=hazards.*,exceptions,locks,async=on"),
        (25, "verify=1,profile=3,entries=hazards.*"),
        (17, "verify=1,encoder=cct,contexts"),
        (11, "verify=1,encoder=pcc,alloc=all"),
        (17, "verify=1,hooks=demand,alloc=64k"),
        (25, "verify=1,hooks=demand,wake=100,alloc=64k"),
    ] {
        killed(feature, options);
    }
}

fn killed(feature: u32, options: &str) {
    // C2 would spend its time on the JDK's methods: they are hooked with all compilers on one JVM.
    let plain = options.contains("jdk=on") && feature != 25 && !turn::is_whole();
    let steady = |jvm: &Jvm| {
        let run = Run::hazard(jvm, "Steady");
        if plain { run.plain() } else { run }
    };
    if let Some(running) = Running::of("kill", feature, &format!("quiet,{options}"), steady, &[]) {
        running.more_events();
        let restored = running.done("kill");
        assert!(restored.starts_with("classes "), "{restored}");
        running.settled(["events"]);
        let events = running.events();
        assert_eq!(running.status("state"), "killed");
        running.goes_on();
        assert_eq!(running.events(), events, "none is taken any more");
        let hooks = running.hooks();
        running.goes_on();
        // Two threads may be between the two counters.
        let more = running.hooks() - hooks;
        // The activations that had begun make an array now and then.
        let counted = options.contains("alloc=all");
        assert!(more.abs() <= 4 || counted, "{more} hooks ran on {feature} with {options}");
        for again in ["kill", "start", "stop"] {
            assert!(running.refused(again).contains("killed"), "{again}");
        }
        let (out, counters) = running.end(false);
        assert_eq!(out, "hooked false", "on {feature} with {options}");
        assert!(counters.checks() > 0, "{counters}");
        let wrong = (counters.mismatches(), counters.lost());
        assert_eq!(wrong, (0, 0), "on {feature} with {options}: {counters}");
    }
}

#[test]
fn what_was_loaded_before_a_late_start_is_instrumented_exactly() {
    for feature in [11, 17, 21, 25] {
        let Some(running) = Running::new("late", feature, "quiet,verify=1,alloc=64k,start=off") else { continue };
        assert_eq!((running.status("state").as_str(), running.events()), ("waiting", 0));
        assert!(running.refused("stop").contains("nothing is started"));
        running.goes_on();
        assert_eq!(running.events(), 0);
        let started = running.done("start");
        assert!(started.trim() != "classes 0", "{started}");
        assert_eq!(running.status("state"), "on");
        running.more_events();
        let (out, counters) = running.end(false);
        assert_eq!(out, "hooked true", "on {feature}");
        assert!(counters.checks() > 0, "{counters}");
        assert_eq!((counters.mismatches(), counters.lost()), (0, 0), "on {feature}: {counters}");
    }
}

#[test]
fn a_late_start_is_exact_with_other_encoders_and_sources() {
    for (feature, options) in [
        (17, "encoder=cct"),
        (21, "encoder=pcc,alloc=64k,exceptions,locks,cpu=10ms,leaks"),
        (21, "alloc=64k,exceptions,locks,cpu=10ms,leaks"),
    ] {
        let options = format!("quiet,verify=1,start=off,{options}");
        let Some(running) = Running::new("later", feature, &options) else { continue };
        running.done("start");
        running.more_events();
        let (out, counters) = running.end(false);
        assert_eq!(out, "hooked true", "on {feature} with {options}");
        assert!(counters.checks() > 0, "{counters}");
        assert_eq!((counters.mismatches(), counters.lost()), (0, 0), "on {feature} with {options}: {counters}");
    }
}
