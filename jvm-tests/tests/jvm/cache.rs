//! Classes that are kept from run to run: the next start takes them, as exactly as if it had
//! rewritten them; and whatever is wrong with the file costs that alone.
//!
//! Invariant: each program prints the same with the agent as without, and every context is checked
//! and right, whatever the file has.
//! Source: docs/guide/start-up.md; docs/design/class-cache.md.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

use lucce_jvm_tests::{Counters, Jvm, Outcome, Run, Scratch, place};

/// Starts of one program with one file.
struct Starts<'a> {
    jvm: &'a Jvm,
    target: &'a str,
    scratch: Scratch,
    plain: String,
}

impl<'a> Starts<'a> {
    fn of(jvm: &'a Jvm, target: &'a str) -> Self {
        let scratch = Scratch::new(&format!("cache-{target}"), jvm.feature);
        let plain = Run::hazard(jvm, target).within(&scratch).go();
        assert!(plain.success(), "{target} fails without the agent:\n{plain}");
        Self { jvm, target, scratch, plain: plain.stdout }
    }

    fn file(&self) -> PathBuf {
        self.scratch.file("classes")
    }

    fn run(&self) -> Run {
        Run::hazard(self.jvm, self.target).within(&self.scratch)
    }

    /// Starts it once more, with these options beside `cache`.
    fn start_with(&self, options: &str) -> (Outcome, Counters) {
        self.checked(self.run(), options)
    }

    fn start(&self) -> (Outcome, Counters) {
        self.start_with("verify=1")
    }

    fn checked(&self, run: Run, options: &str) -> (Outcome, Counters) {
        let cache = self.file();
        let outcome = run.agent(&format!("{options},cache={},exclude=hazards.plain.*", cache.display())).go();
        let (target, feature) = (self.target, self.jvm.feature);
        assert!(outcome.success(), "{target} fails on {feature} with {options}:\n{outcome}");
        assert_eq!(
            outcome.stdout, self.plain,
            "{target} prints something else on {feature} with {options}:\n{outcome}"
        );
        let counters = outcome.verified();
        (outcome, counters)
    }
}

fn kept(counters: &Counters) -> (u64, u64, u64) {
    let counter = |name: &str| counters.counter(name);
    (counter("classes.recorded"), counter("classes.found"), counter("classes.rewritten"))
}

/// What the agent says of the file, beside what it says at the end.
fn said_of_the_cache(outcome: &Outcome) -> Vec<&str> {
    outcome.said().into_iter().filter(|line| line.contains("the cache")).collect()
}

#[test]
fn the_second_start_takes_what_the_first_has_kept() {
    for jvm in Jvm::all() {
        let starts = Starts::of(&jvm, "EarlyReturns");
        let (first, counters) = starts.start();
        let (recorded, found, rewritten) = kept(&counters);
        assert!(recorded > 5 && found == 0 && recorded <= rewritten, "{first}\n{counters}");
        let end = fs::metadata(starts.file()).expect("the file is there");
        assert_eq!(end.permissions().mode() & 0o777, 0o600, "owner only");
        for _ in 0..2 {
            let (again, counters) = starts.start();
            assert_eq!(kept(&counters), (0, recorded, rewritten), "{again}\n{counters}");
            assert_eq!(fs::metadata(starts.file()).ok().map(|file| file.len()), Some(end.len()), "nothing is added");
            assert!(said_of_the_cache(&again).is_empty(), "{again}");
        }
    }
}

/// Loaders that share class files, classes that come and go, and what stands between the program
/// and its methods.
#[test]
fn programs_with_loaders_of_their_own_are_as_exact_from_the_file() {
    let jvm = Jvm::of(25).expect("it is there on every machine");
    for target in ["TwoLoaders", "Unloading", "StaticInit", "FailingSupers"] {
        let starts = Starts::of(&jvm, target);
        starts.start();
        let (again, counters) = starts.start();
        assert!(kept(&counters).1 > 0, "{again}\n{counters}");
    }
}

#[test]
fn event_sources_and_encoders_are_as_exact_from_the_file() {
    let sources = [
        "verify=1,alloc=16k,async=on",
        "verify=1,alloc=all,entries=*.get*:*.<init>,encoder=lucce",
        "verify=1,exceptions,locks,cpu=5ms",
        "verify=1,encoder=cct",
        "verify=1,alloc=all,entries=*.get*:*.<init>,exceptions",
        "verify=1,encoder=algorithm1",
        "verify=1,hooks=demand,awake=hazards.Call*",
    ];
    if let Some(jvm) = Jvm::of(17) {
        let starts = Starts::of(&jvm, "Callbacks");
        for options in sources {
            let (first, counters) = starts.start_with(options);
            let (recorded, found, _) = kept(&counters);
            assert!(
                recorded > 0 && found == 0,
                "what other options have made is of no use: {options}\n{first}\n{counters}"
            );
            let (again, counters) = starts.start_with(options);
            assert_eq!((kept(&counters).0, kept(&counters).1), (0, recorded), "{options}\n{again}\n{counters}");
        }
    }
}

/// A start on another way through the program, on top of what the first has kept: ids of both are
/// told apart.
#[test]
fn what_is_new_is_added_to_what_was_kept() {
    if let Some(jvm) = Jvm::of(21) {
        let (one, other) = (Starts::of(&jvm, "Members"), Starts::of(&jvm, "Callbacks"));
        let (_, counters) = one.start();
        let (first, ..) = kept(&counters);
        fs::copy(one.file(), other.file()).expect("a copy of the file");
        let (outcome, counters) = other.start();
        let (second, ..) = kept(&counters);
        assert!(second > 0, "{outcome}\n{counters}");
        fs::copy(other.file(), one.file()).expect("a copy back");
        for (starts, number) in [(&one, first), (&other, second)] {
            let (outcome, counters) = starts.start();
            assert!(kept(&counters).0 == 0 && kept(&counters).1 >= number, "{outcome}\n{counters}");
        }
    }
}

#[test]
fn a_class_file_that_has_changed_is_rewritten() {
    for jvm in Jvm::each(&[17, 25]) {
        let scratch = Scratch::new("cache-changed", jvm.feature);
        let name = "hazards/Hello.class";
        let class = fs::read(place().set("main").join(name)).expect("it is compiled");
        let folder = scratch.file("changed");
        fs::create_dir_all(folder.join("hazards")).expect("a folder");
        let text = b"hello";
        let at = class.windows(text.len()).position(|part| part == text).expect("it prints that");
        let cache = scratch.file("classes");
        for (word, recorded, found) in [("hello", 1, 0), ("hullo", 1, 0), ("hello", 0, 1), ("hullo", 0, 1)] {
            let mut changed = class.clone();
            changed[at..at + word.len()].copy_from_slice(word.as_bytes());
            fs::write(folder.join(name), changed).expect("a class");
            let run = Run::new(&jvm, "hazards.Hello", vec![folder.clone()]).within(&scratch);
            let outcome = run.agent(&format!("verify=1,cache={}", cache.display())).go();
            assert!(outcome.success() && outcome.stdout == format!("{word}\n"), "{outcome}");
            let counters = outcome.counters();
            assert_eq!((kept(&counters).0, kept(&counters).1), (recorded, found), "{word}\n{outcome}\n{counters}");
        }
    }
}

#[test]
fn a_damaged_file_costs_what_is_damaged() {
    let jvm = Jvm::of(25).expect("it is there on every machine");
    let starts = Starts::of(&jvm, "StaticInit");
    let (_, counters) = starts.start();
    let (all, ..) = kept(&counters);
    let whole = fs::read(starts.file()).expect("the file");
    let damaged = |damage: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = whole.clone();
        damage(&mut bytes);
        fs::write(starts.file(), bytes).expect("the file can be written");
        let (outcome, counters) = starts.start();
        let (recorded, found, _) = kept(&counters);
        assert_eq!(recorded + found, all, "each class is taken or kept anew\n{outcome}\n{counters}");
        let (outcome, counters) = starts.start();
        assert_eq!((kept(&counters).0, kept(&counters).1), (0, all), "it is whole again\n{outcome}\n{counters}");
        found
    };
    let within = damaged(&|bytes| bytes[whole.len() / 2] ^= 0x10);
    assert!(0 < within && within < all, "{within} of {all} were found");
    let cut = damaged(&|bytes| bytes.truncate(whole.len() - 7));
    assert!(0 < cut && cut < all, "{cut} of {all} were found");
    let zeros = damaged(&|bytes| bytes[whole.len() / 2..].fill(0));
    assert!(0 < zeros && zeros < all, "{zeros} of {all} were found");
    assert_eq!(damaged(&|bytes| bytes.truncate(11)), 0);
    assert_eq!(damaged(&|bytes| bytes.clear()), 0);
}

#[test]
fn a_file_that_cannot_be_used_is_named_and_left_alone() {
    let jvm = Jvm::of(25).expect("it is there on every machine");
    let starts = Starts::of(&jvm, "Hello");
    let refused = |why: &str| {
        let (outcome, counters) = starts.start();
        let said = said_of_the_cache(&outcome);
        assert!(matches!(said.as_slice(), [line] if line.contains(why)), "{why}?\n{outcome}");
        assert_eq!((kept(&counters).0, kept(&counters).1), (0, 0), "{outcome}");
    };
    fs::write(starts.file(), "lucce.notes: what somebody else has written").expect("a file");
    refused("it is none of Lucce's; name another");
    assert_eq!(fs::read_to_string(starts.file()).ok().as_deref(), Some("lucce.notes: what somebody else has written"));
    fs::remove_file(starts.file()).expect("it is there");

    starts.start();
    fs::set_permissions(starts.file(), PermissionsExt::from_mode(0o622)).expect("our own file");
    refused("others may write it");
    fs::remove_file(starts.file()).expect("it is there");

    fs::create_dir(starts.file()).expect("a folder");
    refused("name a file");
    fs::remove_dir(starts.file()).expect("it is there");

    let made = Command::new("mkfifo").arg(starts.file()).status().expect("mkfifo runs");
    assert!(made.success());
    refused("it is no regular file; name another");
}

#[test]
fn one_that_may_be_read_alone_is_read() {
    let jvm = Jvm::of(25).expect("it is there on every machine");
    let starts = Starts::of(&jvm, "Hello");
    starts.start();
    let len = fs::metadata(starts.file()).expect("the file").len();
    // Another run has it to itself.
    let held = File::open(starts.file()).expect("it can be read");
    held.lock().expect("nobody holds it");
    let (outcome, counters) = starts.start();
    assert_eq!((kept(&counters).0, kept(&counters).1), (0, 1), "{outcome}\n{counters}");
    // With other options there is nothing in it, and nothing may be written.
    let (outcome, counters) = starts.start_with("verify=1,alloc=64k");
    assert_eq!((kept(&counters).0, kept(&counters).1), (0, 0), "{outcome}\n{counters}");
    assert_eq!(fs::metadata(starts.file()).ok().map(|file| file.len()), Some(len));
}

#[test]
fn on_a_full_disk_the_program_goes_on_and_the_file_keeps_what_it_has() {
    let jvm = Jvm::of(25).expect("it is there on every machine");
    let starts = Starts::of(&jvm, "StaticInit");
    let (outcome, counters) = starts.checked(starts.run().file_size(12 << 10), "verify=1,rotate=off");
    let said = said_of_the_cache(&outcome);
    assert!(matches!(said.as_slice(), [line] if line.contains("make room there")), "{outcome}");
    let (recorded, _, all) = kept(&counters);
    assert!(recorded < all, "{counters}");
    let (outcome, counters) = starts.start_with("verify=1,rotate=off");
    assert_eq!(kept(&counters).0 + kept(&counters).1, all, "{outcome}\n{counters}");
}
