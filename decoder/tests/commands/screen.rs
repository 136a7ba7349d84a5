//! The first screen, and what it folds.

use lucce_encoding::Passage;
use lucce_log::{Record, WalkedFrame};
use lucce_words::{SiteId, Word};

use super::printed;
use crate::common::Program;
use crate::common::shell::folder;

#[test]
fn the_screen_folds_idle_parks_and_shows_callers_as_a_tree() {
    let mut program = Program::default();
    let [main, copy] = ["main", "copy"].map(|name| program.method("com/acme/App", name, "([Ljava/lang/String;)V"));
    let calls: Vec<SiteId> = (0..9).map(|at| program.site(main, 3 * at, Some(7 + at / 2))).collect();
    let at = program.site(copy, 2, Some(20));
    for (nth, call) in calls.iter().enumerate() {
        let mut stack = Vec::new();
        program.call(&mut stack, SiteId::ROOT, main, Passage::Plain);
        program.call(&mut stack, *call, copy, Passage::Plain);
        program.event(&mut stack, at, ("work", 100 - nth as i64), None, Vec::new());
    }
    let frame = |class: &str, method: &str| WalkedFrame {
        class: class.into(),
        method: method.into(),
        desc: "()V".into(),
        line: Some(5),
    };
    let idle = vec![
        frame("java/util/concurrent/locks/LockSupport", "park"),
        frame("java/util/concurrent/ThreadPoolExecutor", "getTask"),
        frame("java/lang/Thread", "run"),
    ];
    let mut stack = Vec::new();
    program.call(&mut stack, SiteId::ROOT, main, Passage::Plain);
    program.event(&mut stack, calls[0], ("park", 9_000_000_000), None, idle);
    // Of a thread with no frame of the program's.
    let last = program.blocks.last_mut().and_then(|block| block.last_mut());
    if let Some(Record::Event { word, site, .. }) = last {
        (*word, *site) = (Word::NONE, SiteId::ROOT);
    }
    let walked = vec![frame("java/util/concurrent/locks/LockSupport", "park")];
    program.event(&mut stack, calls[0], ("park", 1_000_000_000), None, walked);
    program.record(Record::End);
    let folder = folder("commands-screen", &program.file().0);
    let screen = printed(&folder, &["events.log"]);
    let work = "\
work: 864 in 9 events
100.0 % 864 in 9 events
        at com.acme.App.copy(App.java:20)
           11.6 % at com.acme.App.main(App.java:7)@0  c0
           11.5 % at com.acme.App.main(App.java:7)@3  c1
           11.3 % at com.acme.App.main(App.java:8)@6  c2
           65.6 % in 6 other callers
";
    let park = "\
park: 1.000 s in 1 event
  idle: 9.000 s in 1 event, threads that wait for work
100.0 % 1.000 s in 1 event  c10
        at java.util.concurrent.locks.LockSupport.park(line 5) *
        at com.acme.App.main(App.java:7)@0
";
    assert!(screen.contains(work) && screen.contains(park), "{screen}");
    for mark in ["  *   a frame without hooks", "  @N  bytecode index"] {
        assert!(screen.contains(mark), "{screen}");
    }
    assert!(!screen.contains("+N"), "{screen}");
    let verbose = printed(&folder, &["events.log", "--verbose"]);
    assert!(verbose.contains("LockSupport.park(line 5) [walked]\n") && !verbose.contains("other callers"), "{verbose}");
}

#[test]
fn the_method_by_which_a_request_came_in_is_seen_and_what_is_below_it_is_folded() {
    let log = |events: i64| {
        let mut program = Program::default();
        program.method("com/acme/App", "main", "([Ljava/lang/String;)V");
        let framework: Vec<_> =
            (0..20).map(|at| program.method("org/server/Server", &format!("step{at}"), "()V")).collect();
        let page = program.method("com/acme/Pages", "page", "()V");
        let own: Vec<_> = (0..15).map(|at| program.method("com/acme/Work", &format!("step{at}"), "()V")).collect();
        let mut stack = Vec::new();
        let mut at = SiteId::ROOT;
        for method in framework.into_iter().chain([page]).chain(own) {
            program.call(&mut stack, at, method, Passage::Plain);
            at = program.site(method, 1, Some(7));
        }
        program.event(&mut stack, at, ("work", events), None, Vec::new());
        program.record(Record::End);
        program.file().0
    };
    let folder = folder("commands-entry", &log(1));
    let screen = printed(&folder, &["events.log"]);
    assert!(screen.contains("        at com.acme.Work.step14(Work.java:7)\n"), "{screen}");
    assert!(screen.contains("        at com.acme.Pages.page(Pages.java:7) ... 25 more\n"), "{screen}");
    std::fs::write(folder.join("new.log"), log(3)).expect("a file");
    let changed = printed(&folder, &["diff", "events.log", "new.log"]);
    let end = "    at com.acme.Pages.page(Pages.java:7)\n    ... 20 more (--depth 1000 prints them)\n";
    assert!(changed.contains(end), "{changed}");
    let whole = printed(&folder, &["diff", "events.log", "new.log", "--depth", "1000"]);
    assert!(whole.contains("    at org.server.Server.step0(Server.java:7)\nwork: 1 "), "{whole}");
}
