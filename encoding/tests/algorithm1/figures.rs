//! Figures 1 to 4 of the paper as golden tests. Methods are letters; a site is its method's letter
//! and a number.

use lucce_encoding::algorithm1::*;
use lucce_encoding::{End, Unknown};
use lucce_words::*;

use crate::natural::Natural;

pub fn method(letter: char) -> MethodId {
    MethodId(letter as u32)
}

pub fn site(letter: char, nth: u32) -> SiteId {
    SiteId(letter as u32 * 10 + nth)
}

/// The graph, with sites 1 to 9 for A to G, X and Y (which stands for A').
pub fn graph<C: CallId>() -> Algorithm1<C> {
    let mut graph = Algorithm1::default();
    for letter in ('A'..='G').chain('X'..='Y') {
        (1..10).for_each(|nth| graph.add_site(site(letter, nth), method(letter)));
    }
    graph
}

/// Calls along a path of letters, from the root; a digit before a letter is the site to call it
/// from (1 if left out).
pub fn call<C: CallId>(graph: &mut Algorithm1<C>, path: &str) -> Vec<Encoding<C>> {
    resume(graph, SiteId::ROOT, graph.root(), path)
}

/// Calls along a path that goes on at `from`.
pub fn resume<C: CallId>(graph: &mut Algorithm1<C>, from: SiteId, at: Encoding<C>, path: &str) -> Vec<Encoding<C>> {
    let (mut encodings, mut at, mut from, mut caller) = (Vec::new(), at, from, None);
    for letter in path.chars() {
        if let Some(nth) = letter.to_digit(10) {
            from = site(caller.unwrap(), nth);
            continue;
        }
        at = graph.update(from, method(letter), &at).unwrap();
        encodings.push(at.clone());
        (from, caller) = (site(letter, 1), Some(letter));
    }
    encodings
}

/// The decoded path, outermost first, as `call` takes it (sites other than 1 written out).
fn decode<C: CallId>(history: &History<C>, letter: char, at: &Encoding<C>) -> String {
    let decoded = history.decode(method(letter), at);
    assert_eq!(decoded.end, End::Root);
    let show = |frame: &lucce_encoding::DecodedFrame| {
        let nth = frame.site.map_or(1, |site| site.0 % 10);
        let letter = char::from_u32(frame.method.0).unwrap().to_string();
        if nth == 1 { letter } else { format!("{letter}{nth}") }
    };
    decoded.frames.iter().rev().map(show).collect()
}

#[test]
fn figure_1_the_two_calls_from_d_to_f_share_f_s_numbers() {
    let mut graph = graph::<u64>();
    for path in ["ABD2F", "ACDF", "ACD2F", "ABDF", "ABDE", "ACDE"] {
        call(&mut graph, path);
    }
    // With every edge seen the counts are those of the static graph.
    for path in ["ABD2F", "ACDF", "ABDE"] {
        call(&mut graph, path);
    }
    let (history, version) = (graph.history(), graph.version());
    let contexts: Vec<_> = "ABCDEF".chars().map(|letter| history.contexts(method(letter), version)).collect();
    assert_eq!(contexts, [1, 1, 1, 2, 2, 4]);
    let value = |from, to| history.addition_value(from, method(to), version);
    assert_eq!((value(site('B', 1), 'D'), value(site('C', 1), 'D')), (Some(0), Some(1)));
    assert_eq!((value(site('D', 2), 'F'), value(site('D', 1), 'F')), (Some(0), Some(2)));
    for (path, id) in [("ABD2F", 0), ("ACD2F", 1), ("ABDF", 2), ("ACDF", 3), ("ABDE", 0), ("ACDE", 1)] {
        let at = call(&mut graph, path).pop().unwrap();
        assert_eq!(at.call_id, id, "{path}");
        assert_eq!(decode(&graph.history(), path.chars().last().unwrap(), &at), path);
    }
}

#[test]
fn figure_2_in_a_later_graph_the_number_would_mean_another_path() {
    let mut graph = graph::<u64>();
    call(&mut graph, "ABCE");
    let at = call(&mut graph, "AB2DE").pop().unwrap();
    assert_eq!(at.call_id, 1);
    // X -> B appears, and all counts follow.
    call(&mut graph, "XBCE");
    call(&mut graph, "XB2DE");
    let later = Encoding { call_id: 1, version: graph.version() };
    assert_eq!(decode(&graph.history(), 'E', &later), "XBCE");
    assert_eq!(decode(&graph.history(), 'E', &at), "AB2DE");
}

#[test]
fn figure_3_the_three_intermediate_states() {
    let mut graph = graph::<u64>();
    let first = call(&mut graph, "ABCE");
    let v1 = first[3].clone();
    assert_eq!(v1.call_id, 0);
    // E and C return; B calls D.
    let v2 = resume(&mut graph, site('B', 2), first[1].clone(), "DE").pop().unwrap();
    assert_eq!(v2.call_id, 1);
    let v3 = call(&mut graph, "XB2DE").pop().unwrap();
    assert_eq!(v3.call_id, 2);
    assert!(v1.version < v2.version && v2.version < v3.version);
    let history = graph.history();
    let contexts =
        |version| "ABCDEX".chars().map(|letter| history.contexts(method(letter), version)).collect::<Vec<_>>();
    assert_eq!(contexts(v1.version), [1, 1, 1, 0, 1, 0]);
    assert_eq!(contexts(v2.version), [1, 1, 1, 1, 2, 0]);
    // The path X -> B -> C -> E was not visited and is not counted: C keeps one context.
    assert_eq!(contexts(v3.version), [1, 2, 1, 2, 3, 1]);
    for (at, path) in [(v1, "ABCE"), (v2, "AB2DE"), (v3, "XB2DE")] {
        assert_eq!(decode(&history, 'E', &at), path);
    }
}

#[test]
fn example_3_a_recursive_method_calls_itself_at_its_site() {
    let mut graph = graph::<u64>();
    let encodings = call(&mut graph, "FFFF");
    let ids: Vec<_> = encodings.iter().map(|at| at.call_id).collect();
    assert_eq!(ids, [0, 1, 2, 3]);
    let history = graph.history();
    for (depth, at) in encodings.iter().enumerate() {
        assert_eq!(decode(&history, 'F', at), "F".repeat(depth + 1));
    }
}

#[test]
fn figure_4_a_back_edge_is_numbered_like_any_other() {
    // Y is A'.
    let mut graph = graph::<u64>();
    call(&mut graph, "ABCD");
    let round = call(&mut graph, "YBCDBC");
    let ids: Vec<_> = round.iter().map(|at| at.call_id).collect();
    assert_eq!(ids, [0, 1, 1, 1, 3, 3]);
    let history = graph.history();
    let back = round[4].version;
    assert_eq!(history.addition_value(site('D', 1), method('B'), back), Some(2));
    assert_eq!(decode(&history, 'C', &round[5]), "YBCDBC");
    // As the recursion goes on, the counts of B, C and D change at each level.
    let counts =
        |graph: &Algorithm1<u64>| "BCD".chars().map(|n| graph.history().contexts(method(n), graph.version())).collect();
    let mut before: Vec<u64> = counts(&graph);
    let mut at = round[5].clone();
    for level in 1..5 {
        at = resume(&mut graph, site('C', 1), at, "DBC").pop().unwrap();
        let now: Vec<u64> = counts(&graph);
        assert!(before.iter().zip(&now).all(|(before, now)| before < now), "level {level}");
        assert_eq!(decode(&graph.history(), 'C', &at), format!("YBCDBC{}", "DBC".repeat(level)));
        before = now;
    }
}

#[test]
fn a_number_that_no_path_has_is_unknown() {
    let mut graph = graph::<u64>();
    let at = call(&mut graph, "ABCE").pop().unwrap();
    let wrong = Encoding { call_id: 7, ..at.clone() };
    assert_eq!(graph.history().decode(method('E'), &wrong).end, End::Unknown(Unknown::Number));
    let later = Encoding { version: Version(at.version.0 + 1), ..at };
    assert_eq!(graph.history().decode(method('E'), &later).end, End::Unknown(Unknown::Version(later.version)));
}

#[test]
fn fib_makes_a_version_a_call_and_a_bit_a_call() {
    let mut graph = graph::<Natural>();
    let root = graph.root();
    let base = graph.update(SiteId::ROOT, method('F'), &root).unwrap();
    // (n, encoding, sites still to call)
    let (mut stack, mut calls, mut widest) = (vec![(12, base, 1)], 1, 0);
    while let Some((n, at, nth)) = stack.pop() {
        if n < 2 || nth > 2 {
            continue;
        }
        let inner = graph.update(site('F', nth), method('F'), &at).unwrap();
        calls += 1;
        widest = widest.max(inner.call_id.bits());
        if calls % 50 == 0 {
            let depth = stack.len() + 2;
            assert_eq!(graph.history().decode(method('F'), &inner).frames.len(), depth);
        }
        stack.push((n, at, nth + 1));
        stack.push((n - nth as i32, inner, 1));
    }
    println!("{calls} calls, {} versions, {widest} bits", graph.version());
    assert_eq!(calls, 465);
    assert!(graph.version().0 >= calls && widest > 400);
}
