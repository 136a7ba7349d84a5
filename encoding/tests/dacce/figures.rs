//! Figures 1 to 6 of the paper as golden tests. Methods are letters; a site is its method's letter
//! and a number.

use lucce_encoding::End;
use lucce_encoding::dacce::*;
use lucce_words::*;

pub fn method(letter: char) -> MethodId {
    MethodId(letter as u32)
}

pub fn site(letter: char, nth: u32) -> SiteId {
    SiteId(letter as u32 * 10 + nth)
}

/// The graph, with sites 1 to 9 for A to Z; every thread begins in A.
pub fn graph() -> Dacce {
    let mut graph = Dacce::new(method('A'));
    for letter in 'A'..='Z' {
        (1..10).for_each(|nth| graph.add_site(site(letter, nth), method(letter)));
    }
    graph
}

/// The site of a call in the drawings, where a pair of methods has one call: its number is the
/// callee's place in the alphabet.
pub fn called(from: char, to: char) -> SiteId {
    site(from, to as u32 % 9 + 1)
}

/// A thread that has called along a path of letters, which begins with A.
pub fn call(graph: &mut Dacce, path: &str) -> DacceThread {
    let mut thread = graph.thread();
    for (from, to) in path.chars().zip(path.chars().skip(1)) {
        graph.call(&mut thread, called(from, to), method(to)).unwrap();
    }
    thread
}

/// The id and the ccStack as the paper writes them: `5 <0,C,E>`, an entry with a count as
/// `<1,D,A>*2`, the bottom first.
pub fn shown(context: &DacceContext) -> String {
    let letter = |method: u32| char::from_u32(method).unwrap();
    let entry = |entry: &StackEntry| {
        let count = if entry.count == 1 { String::new() } else { format!("*{}", entry.count) };
        format!(" <{},{},{}>{count}", entry.id, letter(entry.site.0 / 10), letter(entry.target.0))
    };
    context.id.to_string() + &context.stack.iter().map(entry).collect::<String>()
}

/// The decoded path, outermost first.
pub fn decode(graph: &Dacce, context: &DacceContext) -> String {
    let decoded = graph.decode(context);
    assert_eq!(decoded.end, End::Root);
    decoded.frames.iter().rev().map(|frame| char::from_u32(frame.method.0).unwrap()).collect()
}

/// Calls along a path: the context there, as it is written and as it decodes.
pub fn context(graph: &mut Dacce, path: &str) -> String {
    let thread = call(graph, path);
    let context = graph.capture(&thread);
    assert_eq!(decode(graph, &context), path);
    shown(&context)
}

#[test]
fn figure_1_only_the_edge_from_c_to_d_adds() {
    let mut graph = graph();
    for path in ["ABDF", "ABDF", "ACDF", "ACDE", "ABDE", "ACDE", "ABD"] {
        call(&mut graph, path);
    }
    graph.reencode(&mut []).unwrap();
    let dictionary = graph.dictionary();
    let contexts: Vec<_> = "ABCDEF".chars().map(|letter| dictionary.contexts(method(letter))).collect();
    assert_eq!(contexts, [1, 1, 1, 2, 2, 2]);
    for (from, to, value) in [('A', 'B', 0), ('A', 'C', 0), ('B', 'D', 0), ('C', 'D', 1), ('D', 'E', 0), ('D', 'F', 0)]
    {
        assert_eq!(dictionary.encoding(called(from, to), method(to)), Some(value), "{from}{to}");
    }
    for (path, id) in [("ABDE", "0"), ("ACDE", "1"), ("ABDF", "0"), ("ACDF", "1")] {
        assert_eq!(context(&mut graph, path), id);
    }
}

#[test]
fn figure_2_a_new_call_goes_on_above_max_id() {
    let mut graph = graph();
    call(&mut graph, "ACD");
    graph.reencode(&mut []).unwrap();
    assert_eq!(graph.dictionary().max_id(), 0);
    assert_eq!(context(&mut graph, "AD"), "1 <0,A,D>");
    assert_eq!(context(&mut graph, "ACD"), "0");
}

#[test]
fn section_3_1_a_path_with_two_new_calls_is_three_sub_paths() {
    // BC is encoded. AB and CD are new, for A came to B by way of X.
    let mut graph = graph();
    call(&mut graph, "AXBC");
    graph.reencode(&mut []).unwrap();
    assert_eq!(context(&mut graph, "ABCD"), "1 <0,A,B> <1,C,D>");
}

/// Figure 3(a): maxID is 4, and the edge from E to I has the encoding 2.
pub fn figure_3() -> Dacce {
    let mut graph = graph();
    // I is called by D (two contexts), E (one) and H (two), hottest first in that order.
    for path in ["ABDI", "ACDI", "ACDI", "AEI", "AEI", "ACDHI"] {
        call(&mut graph, path);
    }
    graph.reencode(&mut []).unwrap();
    assert_eq!(graph.dictionary().max_id(), 4);
    assert_eq!(graph.dictionary().encoding(called('E', 'I'), method('I')), Some(2));
    graph
}

#[test]
fn figure_3_an_indirect_call_is_a_new_one_until_its_target_is_known() {
    let mut graph = figure_3();
    assert_eq!(context(&mut graph, "ACEI"), "7 <0,C,E>");
    let before = call(&mut graph, "ACEI");
    let before = graph.capture(&before);
    graph.reencode(&mut []).unwrap();
    let after = context(&mut graph, "ACEI");
    assert!(!after.contains('<'), "{after}: the target has an encoding of its own (Fig. 3(d))");
    assert_eq!(decode(&graph, &before), "ACEI");
}

#[test]
fn figure_4_two_targets_of_one_site_have_their_own_encodings() {
    // The hash table of Figure 4 is how machine code finds the encoding of (site, target). What it
    // finds:
    let mut graph = graph();
    let targets = "BCDEFGH";
    let calls = |graph: &mut Dacce, target| {
        let mut thread = graph.thread();
        graph.call(&mut thread, site('A', 1), method(target)).unwrap();
        graph.call(&mut thread, called(target, 'I'), method('I')).unwrap();
        graph.capture(&thread)
    };
    targets.chars().for_each(|target| drop(calls(&mut graph, target)));
    graph.reencode(&mut []).unwrap();
    for (at, target) in targets.chars().enumerate() {
        let context = calls(&mut graph, target);
        assert_eq!(shown(&context), at.to_string());
        assert_eq!(decode(&graph, &context), format!("A{target}I"));
    }
}

#[test]
fn figure_5_adacdad_has_four_entries_before_its_recursion_is_known() {
    let mut graph = graph();
    call(&mut graph, "ACD");
    graph.reencode(&mut []).unwrap();
    assert_eq!(context(&mut graph, "ADACDAD"), "1 <0,A,D> <1,D,A> <1,D,A> <1,A,D>");
}

#[test]
fn figure_5_a_repeated_recursion_counts() {
    let mut graph = graph();
    call(&mut graph, "ACDAD");
    graph.reencode(&mut []).unwrap();
    // AD is encoded now, beside CD: maxID is 1. DA closes a cycle and never is.
    assert!(graph.dictionary().is_back(called('D', 'A'), method('A')));
    let value = graph.dictionary().encoding(called('A', 'D'), method('D')).unwrap();
    let again = 2 + value;
    assert_eq!(context(&mut graph, "ADADADAD"), format!("{again} <{value},D,A> <{again},D,A>*2"));
    // Returns take the count back, one by one.
    let mut thread = call(&mut graph, "ADADADAD");
    for path in ["ADADADA", "ADADAD", "ADADA", "ADAD", "ADA", "AD", "A"] {
        let (from, to) = if path.ends_with('A') { ('A', 'D') } else { ('D', 'A') };
        graph.leave(&mut thread, called(from, to)).unwrap();
        let expected = call(&mut graph, path);
        assert_eq!((&thread, decode(&graph, &graph.capture(&thread))), (&expected, path.to_string()));
    }
}

#[test]
fn figure_6_each_context_decodes_with_the_dictionary_of_its_timestamp() {
    let mut graph = graph();
    let mut recorded = Vec::new();
    for path in ["ACD", "AD", "ABD", "ADACDAD", "ABCD", "ACD"] {
        let mut thread = call(&mut graph, path);
        recorded.push((graph.capture(&thread), path));
        graph.reencode(std::slice::from_mut(&mut thread)).unwrap();
        // What the thread stands at was encoded anew.
        recorded.push((graph.capture(&thread), path));
    }
    assert_eq!(graph.timestamp(), 6);
    let ids: std::collections::BTreeSet<_> = recorded.iter().map(|(context, _)| context.timestamp).collect();
    assert_eq!(ids.len(), 7);
    for (context, path) in &recorded {
        assert_eq!(decode(&graph, context), *path);
    }
    // With another's dictionary the path would be another, or none.
    let wrong = DacceContext { timestamp: 6, ..recorded[2].0.clone() };
    assert_ne!(graph.decode(&wrong), graph.decode(&recorded[2].0));
}

#[test]
fn section_6_4_a_new_edge_can_make_another_one_a_back_edge_and_max_id_less() {
    let mut graph = graph();
    // Y is called by A and X, and all that it calls has twice the contexts.
    for path in ["AYUV", "AXYU"] {
        call(&mut graph, path);
    }
    graph.reencode(&mut []).unwrap();
    assert_eq!(graph.dictionary().max_id(), 1);
    call(&mut graph, "AYUX");
    graph.reencode(&mut []).unwrap();
    assert!(graph.dictionary().is_back(called('X', 'Y'), method('Y')));
    assert_eq!(graph.dictionary().contexts(method('U')), 1);
    assert_eq!(context(&mut graph, "AYUXYUXYU"), "2 <1,X,Y> <3,X,Y>");
}
