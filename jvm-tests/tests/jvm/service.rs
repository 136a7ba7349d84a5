//! A Spring Boot application under load, as its user asks what it does: where it allocates, throws,
//! waits, leaks, computes, and what hands over its tasks, and which paths run most. What is asked
//! stands in `docs/guide/cookbook.md` and in a section of `docs/guide/profiles.md`.
//!
//! Invariant: each command works as it stands there, fits a terminal of 40 lines with 120
//! characters, and names every frame of the application that is shown there. Where the number of
//! events is known, it is exact.
//! Source: docs/guide/cookbook.md, docs/guide/profiles.md; `jvm-tests/java/service`.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::{fs, thread};

use lucce_jvm_tests::manual::{Listing, commands, frames, missing};
use lucce_jvm_tests::shell::path_with;
use lucce_jvm_tests::{Jvm, Program, Run, Scratch, decode, place};
use serde_json::Value;

/// Users at once.
const CLIENTS: u64 = 4;
/// How often each of them visits each page in a round.
const VISITS: u64 = 4;
/// Rounds in which a leak is found, and who holds a lock; each ends with an old collection.
const MOST_ROUNDS: u64 = 40;

/// What the cookbook gives the agent.
const OPTIONS: &str = "alloc=64k,leaks,exceptions,locks,cpu=2ms,async=on,profile=10ms,entries=shop.Pages.*";

/// The section of the guide that asks which paths run most.
const HOTTEST: &str = "The hottest paths of a running service";

/// The application and its logs.
pub struct Shop {
    port: u16,
    pub pid: u32,
    pub scratch: Scratch,
}

impl Shop {
    /// Starts it, with these options for the agent or without one.
    pub fn start(jvm: &Jvm, name: &str, agent: Option<&str>) -> (Self, Program) {
        let scratch = Scratch::new(name, jvm.feature);
        let mut class_path = vec![place().set("service")];
        // What unpacks jars within jars is not needed.
        class_path.extend(jars().iter().filter(|name| !name.starts_with(LOADER)).map(|name| place().jar(name)));
        let properties = properties();
        // An old collection is a full one.
        let run = Run::new(jvm, "shop.Shop", class_path).within(&scratch).option("-XX:+UseSerialGC").option("-Xmx256m");
        let run = agent.into_iter().fold(run, Run::raw_agent);
        let run = run.argument(format!("--spring.config.location={}", properties.display()));
        let errors = fs::File::create(scratch.file("errors")).expect("a file");
        let mut program = Program::start(run.command().stdout(Stdio::piped()).stderr(errors));
        let mut line = String::new();
        BufReader::new(program.stdout.take().expect("piped")).read_line(&mut line).expect("it begins");
        let port = line.trim().strip_prefix("port ").and_then(|port| port.parse().ok());
        let port = port.unwrap_or_else(|| panic!("{line}{}", said(&scratch)));
        (Self { port, pid: program.id(), scratch }, program)
    }

    /// Every client visits every page: as often as one of them has done so before, for what it is
    /// answered.
    fn round(&self, round: u64) {
        thread::scope(|scope| {
            for client in 0..CLIENTS {
                scope.spawn(move || (0..VISITS).for_each(|visit| self.visit(client, round * VISITS + visit)));
            }
        });
    }

    fn visit(&self, client: u64, visit: u64) {
        for (page, answer) in [
            (format!("order/c{client}"), format!("c{client} has ordered {}", visit + 1)),
            ("receipt/600".into(), "receipt of 38400".into()),
            ("coupon/none".into(), "0 percent".into()),
            ("take/apple".into(), "left -".into()),
            ("count".into(), "counted 1".into()),
            (format!("visit/{client}-{visit}"), "welcome".into()),
            (format!("mail/m{visit}"), format!("mail to m{visit}")),
            ("tax/3000000".into(), "tax ".into()),
        ] {
            let (status, text) = self.get(&page);
            assert!(status == 200 && text.starts_with(&answer), "{page}: {status} {text}");
        }
    }

    /// The status and the text of a page.
    pub fn get(&self, page: &str) -> (u16, String) {
        get(self.port, page)
    }

    /// Runs a command of a user's, as on a terminal of 40 lines with 120 characters: its exit
    /// status, and what it prints.
    fn type_in(&self, command: &str) -> (i32, String) {
        let decoder = place().decode.parent().expect("it lies in a folder");
        let mut script = Command::new("script");
        script.args(["-qec", &format!("stty cols 120 rows 40; {command}"), "/dev/null"]);
        script.current_dir(self.scratch.path()).stdin(Stdio::null()).env("TERM", "xterm").env("NO_COLOR", "1");
        script.env("PATH", path_with(&[decoder.to_path_buf()])).env("PID", self.pid.to_string());
        let output = script.output().expect("script runs");
        let status = output.status.code().expect("it ends by itself");
        (status, String::from_utf8_lossy(&output.stdout).replace('\r', ""))
    }

    /// Causes an old collection.
    fn collect(&self) {
        let output = Command::new(place().jdk_program("jcmd")).args([&self.pid.to_string(), "GC.run"]).output();
        let output = output.expect("jcmd runs");
        assert!(output.status.success(), "{output:?}");
    }

    pub fn ctl(&self, command: &str) {
        let (status, out) = self.type_in(&format!("lucce-decode ctl {} {command}", self.pid));
        assert_eq!(status, 0, "{command}: {out}");
    }

    fn suspects(&self) -> usize {
        let (_, out, _) = decode(&self.scratch.file("shop.log")).view_of("leaks", &["--format", "json"]);
        out.lines().count()
    }
}

/// What begins the name of the jar that loads jars within a jar.
pub const LOADER: &str = "spring-boot-loader";

/// The names of the application's jars.
pub fn jars() -> Vec<String> {
    let table = fs::read_to_string(place().source("../dacapo-harness/spring/jars.txt")).expect("the table is read");
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

/// Its settings.
pub fn properties() -> PathBuf {
    place().source("java/service/application.properties")
}

/// The status and the text of a page of the application that listens there.
pub fn get(port: u16, page: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
    write!(stream, "GET /{page} HTTP/1.0\r\nHost: shop\r\n\r\n").expect("it is asked");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
    let (_, text) = answer.split_once("\r\n\r\n").unwrap_or_default();
    (status.unwrap_or_else(|| panic!("{page}: {answer}")), text.to_owned())
}

fn said(scratch: &Scratch) -> String {
    fs::read_to_string(scratch.file("errors")).unwrap_or_default()
}

/// What a terminal shows: a line that is too long takes several.
fn rows(screen: &str) -> usize {
    screen.lines().map(|line| line.chars().count().div_ceil(120).max(1)).sum()
}

/// A frame of the application that the cookbook shows and the screen does not.
fn unprinted<'a>(recipe: &'a Listing, screen: &str) -> Option<&'a str> {
    let printed = frames(screen, "shop.");
    frames(&recipe.shown, "shop.").into_iter().find(|frame| !printed.contains(frame))
}

/// Runs a command of the cookbook: what it prints. It ends with another status than 0 where the
/// cookbook says so.
fn check(shop: &Shop, recipe: &Listing) -> String {
    let Listing { commands, .. } = recipe;
    let (status, screen) = shop.type_in(commands.trim());
    assert_eq!(status, i32::from(commands.contains("--fail-on")), "{commands}\n{screen}");
    assert!(rows(&screen) <= 40, "{} lines\n{commands}\n{screen}", rows(&screen));
    assert_eq!(unprinted(recipe, &screen), None, "{commands}\n{screen}");
    println!("$ {commands}{screen}");
    screen
}

/// The questions of the six kinds, and the method of a page that must be among what is printed.
const ASKED: [(&str, &str); 6] = [
    ("where do allocations come from", "shop.Pages.receipt("),
    ("which path throws", "shop.Pages.coupon("),
    ("which lock", "shop.Pages.take("),
    ("what leaks", "shop.Pages.visit("),
    ("where does this task come from", "shop.Pages.mail("),
    ("what burns cpu time", "shop.Pages.tax("),
];

#[test]
fn the_cookbook_answers_for_a_spring_boot_application() {
    let Some(jvm) = Jvm::of(21) else { return };
    let recipes = commands("docs/guide/cookbook.md", &["lucce-decode "]);
    for (question, method) in ASKED {
        let recipe = recipes.iter().find(|recipe| recipe.heading.to_lowercase().starts_with(question));
        let recipe = recipe.unwrap_or_else(|| panic!("the cookbook does not ask: {question}"));
        let shown = frames(&recipe.shown, "shop.");
        assert!(shown.iter().any(|frame| frame.starts_with(method)), "{question}: no {method} in {shown:?}");
    }
    let hottest: Vec<Listing> = commands("docs/guide/profiles.md", &["lucce-decode "]);
    let hottest: Vec<&Listing> = hottest.iter().filter(|block| block.heading == HOTTEST).collect();
    assert_eq!(hottest.len(), 2, "{hottest:?}");
    let (shop, program) = Shop::start(&jvm, "service", Some(&format!("file=shop.log,quiet,{OPTIONS}")));
    let (live, later): (Vec<&Listing>, Vec<&Listing>) =
        recipes.iter().partition(|recipe| recipe.commands.contains("$PID"));
    let held = recipes.iter().find(|recipe| recipe.shown.contains("held by")).expect("the cookbook says who holds it");
    let mut rounds = 0;
    // Few waits have their holder looked at where the machine is busy.
    while shop.suspects() == 0 || unprinted(held, &shop.type_in(held.commands.trim()).1).is_some() {
        let both = || shop.type_in(&format!("lucce-decode leaks shop.log; {}", held.commands.trim())).1;
        assert!(rounds < MOST_ROUNDS, "nothing leaks, or no holder: {}", both());
        shop.round(rounds);
        rounds += 1;
        shop.collect();
        shop.ctl("flush");
    }
    for recipe in hottest {
        let screen = check(&shop, recipe);
        assert!(!recipe.commands.contains(" hot ") || screen.contains(": hot, "), "nothing is hot:\n{screen}");
        // What stands behind the hottest path may be so or not.
        let [shown, printed] = [&recipe.shown, &screen].map(|text| text.replace(": perhaps, ", ": hot, "));
        assert_eq!(missing(&shown, &printed), None, "{screen}");
    }
    // What is another version of the program elsewhere is another load here.
    shop.ctl("rotate");
    shop.round(rounds);
    rounds += 1;
    for _ in 0..VISITS {
        assert_eq!(shop.get("receipt/1200"), (200, "receipt of 76800".into()));
        assert_eq!(shop.get("order/%20").0, 500);
    }
    live.iter().for_each(|recipe| _ = check(&shop, recipe));
    assert!(Command::new("kill").arg(shop.pid.to_string()).status().expect("kill runs").success());
    let (status, ..) = program.end();
    assert_eq!(status.code(), Some(143), "{}", said(&shop.scratch));
    later.iter().for_each(|recipe| _ = check(&shop, recipe));
    let (_, screen) = shop.type_in("lucce-decode shop.log");
    assert!(screen.contains("leak: 1 suspected place; the command leaks says how much is alive"), "{screen}");
    shop.counts(rounds * VISITS * CLIENTS);
}

impl Shop {
    /// So many visits of each page: each exception and each call is in the logs, and where each
    /// task came from.
    fn counts(&self, visits: u64) {
        let (status, lines) = self.type_in("lucce-decode top -n 9999 'shop*.log' --format json --origins");
        assert_eq!(status, 0);
        let rows: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
        let events = |wanted: &dyn Fn(&Value) -> bool| -> u64 {
            rows.iter().filter(|row| wanted(row)).map(|row| row["events"].as_u64().expect("a number")).sum()
        };
        let has = |row: &Value, class: &str, method: &str| {
            let frames = row["frames"].as_array().expect("frames");
            frames.iter().any(|frame| frame["class"] == class && frame["method"] == method)
        };
        let thrown = |class: &str, page: &str| {
            events(&|row| row["kind"] == "exception" && row["class"] == class && has(row, "shop.Pages", page))
        };
        assert_eq!(thrown("java.lang.NumberFormatException", "coupon"), visits);
        assert_eq!(thrown("shop.Mail$Refused", "mail"), visits);
        let called: BTreeMap<&str, u64> = ["coupon", "mail", "count", "visit"]
            .map(|page| (page, events(&|row| row["kind"] == "entry" && row["frames"][0]["method"] == page)))
            .into();
        assert!(called.values().all(|calls| *calls == visits), "{visits} visits: {called:?}");
    }
}
