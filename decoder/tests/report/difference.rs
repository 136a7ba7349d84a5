//! Reports of two runs.

use std::collections::BTreeMap;

use lucce_log::Record;
use lucce_words::{SiteId, Word};
use serde_json::Value;

use super::{calling, decode, open};
use crate::common::shell::{folder, run_in, text};

/// A run of `shop.Main`, which calls methods so many times, each with an event of kind `mine` and
/// of `alloc`.
fn run(methods: &[(&str, &str)], times: &[i64]) -> Vec<u8> {
    let (mut program, mut places) = calling(methods);
    for (nth, &times) in times.iter().enumerate() {
        let (stack, at) = &mut places[nth];
        for _ in 0..times {
            program.event(stack, *at, ("mine", 10), None, Vec::new());
        }
        let kind = program.kind("entry");
        let sites: Vec<SiteId> = stack.iter().map(|activation| activation.site).collect();
        let node = program.node(&sites);
        let (site, word) = (SiteId::UNKNOWN, Word::NONE);
        program.record(Record::Tally { kind, node, site, word, class: None, count: times as u64, value: times as u64 });
    }
    program.record(Record::End);
    program.file().0
}

#[test]
fn a_difference_names_what_is_new_and_gone_and_negates_when_swapped() {
    let lambda = |number: &str| format!("shop/Cart$$Lambda.0x{number}");
    let [first, second] = ["00007f31d80033e8", "00007f0000000001"].map(lambda);
    let old =
        run(&[("shop/Cart", "add"), ("shop/Cart", "old"), (&first, "run"), ("shop/Cart", "less")], &[10, 7, 4, 8]);
    let new =
        run(&[(&second, "run"), ("shop/Cart", "less"), ("shop/Cart", "add"), ("shop/Cart", "fresh")], &[4, 5, 20, 3]);
    let folder = folder("report-difference", &new);
    std::fs::write(folder.join("old.log"), old).expect("a log");
    decode(&folder, &["report", "events.log", "--base", "old.log", "-o", "grown.html"]);
    decode(&folder, &["report", "old.log", "--base", "events.log", "-o", "shrunk.html"]);
    decode(&folder, &["report", "events.log", "--base", "events.log", "-o", "same.html", "--per", "shop.Cart.add"]);
    let states = [
        "#kind=mine&view=methods",
        "#kind=mine&view=methods&per=shop.Cart.add",
        "#kind=mine&view=methods&per=second",
        "#kind=mine&view=flame",
        "#kind=mine&view=callers&method=shop.Cart.add",
    ];
    let [grown, shrunk] = ["grown.html", "shrunk.html"].map(|report| open(&folder, report, &states));
    let change = |page: &Value| {
        let rows = page["rows"].as_array().expect("rows").iter();
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        rows.map(|row| (text(&row["name"]), (text(&row["values"][2]), text(&row["last"])))).collect::<BTreeMap<_, _>>()
    };
    let expected = [
        ("shop.Cart$$Lambda.run", "0", "same"),
        ("shop.Cart.add", "100", "grown"),
        ("shop.Cart.fresh", "30", "new"),
        ("shop.Cart.less", "-30", "shrunk"),
        ("shop.Cart.old", "-70", "gone"),
        ("shop.Main.main", "30", "grown"),
    ];
    let expected = expected.map(|(name, delta, how)| (name.to_owned(), (delta.to_owned(), how.to_owned()))).into();
    assert_eq!(change(&grown[0]), expected);
    // For each call of `add`: 40 of 20, and 40 of 10.
    assert_eq!(change(&grown[1])["shop.Cart$$Lambda.run"], ("-2".to_owned(), "shrunk".to_owned()));
    assert_eq!(change(&grown[1])["shop.Cart.add"], ("0".to_owned(), "same".to_owned()));
    let opposite = |how: &str| match how {
        "grown" => "shrunk",
        "shrunk" => "grown",
        "new" => "gone",
        "gone" => "new",
        _ => "same",
    };
    for (page, swapped) in grown.iter().zip(&shrunk).take(3) {
        let negated = change(page).into_iter().map(|(name, (delta, how))| {
            let delta =
                if delta == "0" { delta } else { delta.strip_prefix('-').map_or(format!("-{delta}"), str::to_owned) };
            (name, (delta, opposite(&how).to_owned()))
        });
        assert_eq!(change(swapped), negated.collect());
    }
    // The calls are those of the run, whatever kind is chosen.
    let chosen = ["--per", "shop.Cart.add", "--kind", "mine"];
    decode(&folder, &[&["report", "events.log", "--base", "old.log", "-o", "chosen.html"][..], &chosen].concat());
    assert_eq!(change(&open(&folder, "chosen.html", &states[1..2])[0]), change(&grown[1]));
    // Of the root: new, old, change.
    assert_eq!(grown[3]["panel"]["values"], serde_json::json!(["320", "290", "30"]));
    // A log without calls of the method.
    std::fs::write(folder.join("other.log"), run(&[("shop/Cart", "old")], &[1])).expect("a log");
    let per = ["report", "other.log", "--base", "old.log", "-o", "none.html", "--per", "shop.Cart.a*"];
    let refused = run_in(&folder, &per);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("the new run counted no call of shop.Cart.a*"), "{refused:?}");
    let same = open(&folder, "same.html", &["#kind=mine&view=methods"]);
    assert!(change(&same[0]).values().all(|(delta, how)| delta == "0" && how == "same"));
}
