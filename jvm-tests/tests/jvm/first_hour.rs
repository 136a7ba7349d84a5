//! The first hour of a new user: one jar, a service that runs, a picture, a leak, and a budget in a
//! test.
//!
//! Invariant: each command of the page is typed in as it stands there, in its order, and nothing
//! else but what visitors of the service do. What it prints has the shape that the page shows, and
//! each frame of the application that stands there.
//! Source: docs/guide/first-hour.md; `jvm-tests/java/service`.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use lucce_jvm_tests::manual::{Listing, commands, frames, missing};
use lucce_jvm_tests::shell::{said, shell};
use lucce_jvm_tests::{Jvm, decode, place};

use crate::java_agent::pack;
use crate::service::Shop;

const PAGE: &str = "docs/guide/first-hour.md";

/// What begins a block of commands.
const BEGINS: [&str; 3] = ["java ", "javac ", "jcmd "];

/// Steps of the page, as their headings begin.
const STEPS: [&str; 5] = ["1. Install", "2. Attach", "3. A picture", "4. A leak", "5. A budget"];

/// Visits before each old collection: sessions of about a megabyte, some tens of them sampled.
const VISITS: usize = 64;
/// Old collections in which a leak is found.
const MOST_ROUNDS: usize = 40;

/// Types in a block: the status in which it ends, and what it prints.
fn type_in(shop: &Shop, block: &Listing) -> (i32, String) {
    let mut shell = shell(&block.commands, shop.scratch.path(), &[place().jdk.join("bin")]);
    // The jar keeps its library there.
    let temporary = format!("-Djava.io.tmpdir={}", shop.scratch.file("tmp").display());
    let (status, out, err) = said(shell.env("PID", shop.pid.to_string()).env("JDK_JAVA_OPTIONS", temporary));
    (status, out + &err)
}

/// Types in a block, and compares what it prints with what the page shows.
fn follow(shop: &Shop, block: &Listing) {
    let (status, printed) = type_in(shop, block);
    let Listing { commands, shown, .. } = block;
    println!("$ {commands}{printed}");
    // The budget is not kept.
    assert_eq!(status, i32::from(commands.contains("ConsoleLauncher")), "{commands}\n{printed}");
    let has = frames(&printed, "shop.");
    for frame in frames(shown, "shop.") {
        assert!(has.contains(&frame), "{commands} does not print {frame}:\n{printed}");
    }
    assert_eq!(missing(shown, &printed), None, "{commands}\n{printed}");
}

/// What visitors do.
fn visit(shop: &Shop, round: usize) {
    for visit in 0..VISITS {
        for page in [format!("visit/{round}-{visit}"), "receipt/100".into()] {
            assert_eq!(shop.get(&page).0, 200, "{page}");
        }
    }
}

#[test]
fn a_new_user_follows_the_page_step_by_step() {
    let Some(jvm) = Jvm::of(21) else { return };
    let blocks = commands(PAGE, &BEGINS);
    let mut steps: Vec<&str> = blocks.iter().map(|block| &*block.heading).collect();
    steps.dedup();
    assert_eq!(steps, STEPS);
    let (shop, program) = Shop::start(&jvm, "first-hour", None);
    pack(&shop.scratch);
    fs::create_dir(shop.scratch.file("tmp")).expect("a folder");
    let class = fs::read_to_string(place().source("..").join(PAGE)).expect("the page");
    let (_, class) = class.split_once("```java\n").expect("a class");
    let (class, _) = class.split_once("```").expect("its end");
    fs::write(shop.scratch.file("ReceiptTest.java"), class).expect("written");
    let (classes, console) = (place().set("service"), place().jar("junit-console"));
    for (file, name) in [
        (&classes, "classes"),
        (&place().junit, "lucce-junit.jar"),
        (&place().api, "lucce-api.jar"),
        (&console, "junit-platform-console-standalone.jar"),
    ] {
        symlink(file, shop.scratch.file(name)).expect("a link");
    }
    let is_found = || decode(&shop.scratch.file("shop.log")).view_of("leaks", &[]).1.contains("at shop.Sessions.open(");
    let mut rounds = 0;
    for block in &blocks {
        follow(&shop, block);
        if block.commands.starts_with("java -jar lucce-agent.jar attach ") {
            visit(&shop, rounds);
        }
        // The page causes a collection, again and again.
        while block.commands.starts_with("jcmd ") && !is_found() {
            rounds += 1;
            assert!(rounds < MOST_ROUNDS, "nothing leaks");
            visit(&shop, rounds);
            follow(&shop, block);
            shop.ctl("flush");
        }
    }
    let picture = fs::read(shop.scratch.file("shop.html")).expect("a picture");
    assert!(picture.len() > 50_000, "{} bytes", picture.len());
    assert_eq!(shop.get("receipt/1").0, 200, "the service goes on");
    assert!(Command::new("kill").arg(shop.pid.to_string()).status().expect("kill runs").success());
    assert_eq!(program.end().0.code(), Some(143));
}
