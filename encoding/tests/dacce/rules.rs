//! What the figures do not show: when the graph is encoded anew, hottest first, and what is refused
//! or unknown.
//!
//! Source: DACCE, sections 3.3 and 4.

use lucce_encoding::dacce::*;
use lucce_encoding::{End, Unknown};
use lucce_words::*;

use crate::figures::{call, called, context, decode, figure_3, graph, method, shown, site};

#[test]
fn a_site_that_calls_back_two_methods_counts_each_by_itself() {
    // The paper compares id and call site alone; then the second call below would count as one more
    // of the first.
    let mut graph = graph();
    let mut warm = call(&mut graph, "AC");
    let mut other = warm.clone();
    graph.call(&mut warm, site('C', 9), method('C')).unwrap();
    graph.call(&mut other, site('C', 9), method('A')).unwrap();
    graph.reencode(&mut []).unwrap();
    let mut thread = call(&mut graph, "AC");
    for target in ['C', 'C', 'A'] {
        graph.call(&mut thread, site('C', 9), method(target)).unwrap();
    }
    let context = graph.capture(&thread);
    assert_eq!(shown(&context), "1 <0,C,C> <1,C,C> <1,C,A>");
    assert_eq!(decode(&graph, &context), "ACCCA");
}

#[test]
fn the_hottest_edge_has_encoding_0_once_the_graph_is_encoded_anew() {
    let mut graph = graph();
    let thresholds = Thresholds { edges: 100, paths: 10, stack: 100 };
    for path in ["ABD", "ABD", "ACD"] {
        call(&mut graph, path);
    }
    graph.reencode(&mut []).unwrap();
    assert_eq!(context(&mut graph, "ACD"), "1");
    assert_eq!(graph.due(&thresholds), None);
    (0..10).for_each(|_| drop(call(&mut graph, "ACD")));
    assert_eq!(graph.due(&thresholds), Some(Trigger::Paths));
    graph.reencode(&mut []).unwrap();
    assert_eq!(context(&mut graph, "ACD"), "0");
    assert_eq!(graph.due(&thresholds), None);
}

#[test]
fn new_edges_and_a_busy_stack_make_a_re_encoding_due() {
    let mut graph = graph();
    let thresholds = Thresholds { edges: 3, paths: 100, stack: 5 };
    call(&mut graph, "ABC");
    assert_eq!(graph.due(&thresholds), None);
    call(&mut graph, "ABC");
    assert_eq!(graph.due(&thresholds), None);
    call(&mut graph, "AB");
    assert_eq!(graph.due(&thresholds), Some(Trigger::Stack));
    graph.reencode(&mut []).unwrap();
    call(&mut graph, "ADEF");
    assert_eq!(graph.due(&thresholds), Some(Trigger::Edges));
}

#[test]
fn what_is_no_context_is_unknown() {
    let mut graph = figure_3();
    let thread = call(&mut graph, "ACEI");
    let right = graph.capture(&thread);
    let end = |context: DacceContext| graph.decode(&context).end;
    assert_eq!(end(DacceContext { id: 100, ..right.clone() }), End::Unknown(Unknown::Number));
    assert_eq!(end(DacceContext { stack: Vec::new(), ..right.clone() }), End::Unknown(Unknown::Chain));
    assert_eq!(end(DacceContext { id: 2, ..right.clone() }), End::Unknown(Unknown::Chain));
    assert_eq!(end(DacceContext { timestamp: 9, ..right.clone() }), End::Unknown(Unknown::Edge));
    let endless = StackEntry { count: u64::MAX, ..right.stack[0] };
    let endless = StackEntry { site: called('E', 'E'), target: method('E'), id: 5, ..endless };
    assert_eq!(end(DacceContext { stack: vec![endless], ..right }), End::Unknown(Unknown::Depth));
}

#[test]
fn a_call_out_of_the_wrong_method_is_refused() {
    let mut graph = graph();
    let mut thread = call(&mut graph, "AB");
    let before = thread.clone();
    assert_eq!(graph.call(&mut thread, site('A', 1), method('C')), Err(Unknown::Edge));
    assert_eq!(graph.leave(&mut thread, site('C', 1)), Err(Unknown::Chain));
    assert_eq!(thread, before);
}

#[test]
fn edges_whose_numbers_pass_64_bits_go_over_the_stack() {
    let mut graph = Dacce::new(MethodId(1));
    let sites = |method: u32| [SiteId(method * 2), SiteId(method * 2 + 1)];
    (1..100).for_each(|method| sites(method).iter().for_each(|&site| graph.add_site(site, MethodId(method))));
    let climb = |graph: &mut Dacce, nth: usize| {
        let mut thread = graph.thread();
        for method in 1..99 {
            graph.call(&mut thread, sites(method)[nth], MethodId(method + 1)).unwrap();
        }
        thread
    };
    (0..2).for_each(|nth| drop(climb(&mut graph, nth)));
    graph.reencode(&mut []).unwrap();
    assert_eq!(graph.dictionary().max_id(), (1 << 63) - 1);
    for nth in 0..2 {
        let thread = climb(&mut graph, nth);
        let decoded = graph.decode(&graph.capture(&thread));
        assert_eq!((decoded.end, decoded.frames.len()), (End::Root, 99));
        assert!(decoded.frames[1..].iter().all(|frame| frame.site == Some(sites(frame.method.0)[nth])));
    }
}
