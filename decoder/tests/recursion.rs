//! What recursion costs the log: bytes by level under the paper's Algorithm 1 and under the default
//! encoder.
//!
//! Invariant: the counts are of records before compression, and the same in every run. The paper's
//! numCC changes with each level (its "nodeUpdated" events); the default encoder cuts the cycle
//! once, and a deeper level costs nothing.
//! Source: Lucce section 5, Example 4; docs/FORMAT.md, "Records".

mod common;

use common::{Program, paper_record};
use lucce_decoder::{Contexts, Log, Stats};
use lucce_encoding::Passage;
use lucce_encoding::algorithm1::{Algorithm1, Encoding, HistoryEvent};
use lucce_words::{MethodId, SiteId};

const LEVELS: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];

/// A round of calls that one level of the recursion makes: the caller and its site, by number, and
/// the callee.
type Round = &'static [(usize, u16, usize)];

/// One method at one site; the cycle of Figure 4, from B to C to D and back; one method at two
/// sites by turns.
const SHAPES: [(&str, Round); 3] = [
    ("one site", &[(0, 0, 0)]),
    ("Figure 4", &[(0, 0, 1), (1, 0, 2), (2, 0, 0)]),
    ("two sites", &[(0, 0, 0), (0, 1, 0)]),
];

/// What a log has come to.
#[derive(Debug, PartialEq, Eq)]
struct Cost {
    /// How often numCC changed.
    updates: usize,
    /// Bytes of the records that explain the graph.
    bytes: u64,
}

/// The methods of a round, and the calls of so many levels of it.
fn calls(program: &mut Program, round: Round, levels: usize) -> (MethodId, Vec<(SiteId, MethodId)>) {
    let methods: Vec<_> = ["b", "c", "d"].iter().map(|name| program.method("a/A", name, "()V")).collect();
    let sites: Vec<_> = methods.iter().map(|&method| [0, 1].map(|bci| program.site(method, bci, None))).collect();
    let call = |&(caller, nth, callee): &(usize, u16, usize)| (sites[caller][usize::from(nth)], methods[callee]);
    (methods[0], round.iter().map(call).cycle().take(round.len() * levels).collect())
}

/// Bytes of records of these kinds.
fn bytes(program: &Program, kinds: &[&str]) -> u64 {
    let log = Log::read(&program.file().0, |_| {}).expect("a log");
    let stats = Stats::new(&log, &mut Contexts::new(&log));
    kinds.iter().filter_map(|&kind| stats.record_bytes.get(kind)).sum()
}

/// `None` where the numbers of a `u64` are at an end.
fn paper(round: Round, levels: usize) -> Option<Cost> {
    let mut program = Program::default();
    let (base, calls) = calls(&mut program, round, levels);
    let mut graph = Algorithm1::<u64>::default();
    program.sites.iter().for_each(|(&site, &method)| graph.add_site(site, method));
    let mut at: Encoding<u64> = graph.root();
    for &(site, callee) in [(SiteId::ROOT, base)].iter().chain(&calls) {
        at = graph.update(site, callee, &at).ok()?;
    }
    let events = graph.take_events();
    let updates = events.iter().filter(|event| matches!(event, HistoryEvent::Contexts { .. })).count();
    events.iter().for_each(|event| program.record(paper_record(event)));
    Some(Cost { updates, bytes: bytes(&program, &["paper_edge", "paper_contexts", "paper_last_version"]) })
}

fn default(round: Round, levels: usize) -> Cost {
    let mut program = Program::default();
    let (base, calls) = calls(&mut program, round, levels);
    let mut stack = Vec::new();
    for &(site, callee) in [(SiteId::ROOT, base)].iter().chain(&calls) {
        program.call(&mut stack, site, callee, Passage::Plain);
    }
    let kinds = ["edge", "cut", "unrolled", "segment", "cut_number", "new_version"];
    Cost { updates: 0, bytes: bytes(&program, &kinds) }
}

/// A line for each level: numCC changes and bytes of Algorithm 1, bytes of the default encoder.
fn table() -> String {
    let mut table = String::new();
    for (name, round) in SHAPES {
        table += &format!("{name}\n");
        for levels in LEVELS {
            let paper = paper(round, levels).map_or_else(
                || format!("{:>8} {:>8}", "-", "-"),
                |cost| format!("{:>8} {:>8}", cost.updates, cost.bytes),
            );
            table += &format!("{levels:>5} {paper} {:>8}\n", default(round, levels).bytes);
        }
    }
    table
}

const TABLE: &str = "\
one site
    1        2       25       21
    2        3       35       21
    4        5       55       21
    8        9       95       21
   16       17      175       21
   32       33      335       21
   64       65      660       21
Figure 4
    1        4       55       43
    2        7       85       57
    4       13      145       57
    8       25      265       57
   16       49      505       57
   32       97     1089       57
   64      193     2337       57
two sites
    1        3       40       31
    2        5       60       31
    4        9      102       31
    8       17      193       31
   16       33      402       31
   32        -        -       31
   64        -        -       31
";

#[test]
fn bytes_by_recursion_level() {
    let table = table();
    println!("levels  updates   Algorithm 1's bytes, the default's\n{table}");
    assert_eq!(table, TABLE);
}

#[test]
fn the_papers_log_grows_with_each_level_and_the_defaults_does_not() {
    for (name, round) in SHAPES {
        let first = default(round, 2);
        for levels in 2..40 {
            assert_eq!(default(round, levels), first, "{name}, {levels} levels");
            let (one, next) = (paper(round, levels), paper(round, levels + 1));
            let (Some(one), Some(next)) = (one, next) else { continue };
            assert!(next.bytes > one.bytes && next.updates > one.updates, "{name}, {levels} levels");
        }
    }
}
