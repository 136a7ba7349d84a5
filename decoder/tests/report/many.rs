//! Reports of long runs.

use lucce_log::Record;
use lucce_words::random::Random;
use lucce_words::{NodeId, SiteId, Word};

use super::{decode, open};
use crate::common::Program;
use crate::common::shell::folder;

/// Contexts and events that a report has to bring up quickly, and the most that its file may take.
const MANY: (usize, usize) = (20_000, 1_000_000);

#[test]
fn many_contexts_and_events_fit_into_a_small_file() {
    let mut random = Random::new(11);
    let mut program = Program::default();
    let classes: Vec<String> = (0..300).map(|nth| format!("com/acme/service{}/Handler{nth}", nth % 12)).collect();
    let sites: Vec<SiteId> = (0..3_000)
        .map(|nth| {
            let method = program.method(&classes[nth % 300], &format!("handle{nth}"), "()V");
            program.site(method, 4, Some((nth % 900) as u16))
        })
        .collect();
    let (contexts, events) = MANY;
    for nth in 0..contexts {
        // A parent at half the way back or nearer: stacks are some 30 frames deep.
        let parent = if nth < 10 { 0 } else { nth / 2 + random.index(nth - nth / 2) };
        let site = sites[random.index(sites.len())];
        program.record(Record::Node { id: NodeId(nth as u32 + 1), parent: NodeId(parent as u32), site });
    }
    let kinds = ["park", "monitor"].map(|name| program.kind(name));
    program.next_block();
    for nth in 0..events {
        let (node, kind) = (NodeId(1 + random.index(contexts) as u32), kinds[random.index(2)]);
        let value = 1 + random.index(5_000_000) as i64;
        let (site, chain, word) = (SiteId::UNKNOWN, NodeId(0), Word::NONE);
        let (class, walked, time_ns) = (None, Vec::new().into(), nth as u64 * 60_000);
        program.record(Record::Event { time_ns, thread: 1, kind, value, word, site, chain, class, walked, node });
        if nth % 10_000 == 0 {
            program.next_block();
        }
    }
    program.record(Record::End);
    let folder = folder("report-many", &program.file().0);
    decode(&folder, &["report", "events.log", "-o", "app.html"]);
    let size = std::fs::metadata(folder.join("app.html")).expect("a file").len();
    let page = &open(&folder, "app.html", &["#view=flame", "#view=methods&from=3&to=9"])[0];
    println!("{contexts} contexts and {events} events: {size} bytes, on the screen after {} ms", page["ms"]);
    assert!(size <= 3_000_000, "{size} bytes");
}
