//! Classes that come and go: what is unloaded leaves the encoder's graph, and the replay's
//! numbering, but not the log's memory.
//!
//! Source: `encoding/src/encoder/unload.rs`.

use lucce_encoding::*;
use lucce_words::*;

const MAIN: MethodId = MethodId(1);
const HELPER: MethodId = MethodId(2);
const CALL: SiteId = SiteId(2);
const BACK: SiteId = SiteId(3);
const DIRECT: SiteId = SiteId(4);
/// Methods of a class that comes and goes.
const OWN: u32 = 3;

struct World {
    encoder: Encoder,
    replay: Replay,
}

impl World {
    fn new() -> Self {
        let mut world = Self { encoder: Encoder::new(), replay: Replay::new() };
        world.method(MAIN, &[CALL, DIRECT]);
        world.method(HELPER, &[BACK]);
        world
    }

    fn method(&mut self, method: MethodId, sites: &[SiteId]) {
        self.encoder.add_method(method, false);
        self.replay.add_method(method, false).unwrap();
        for &site in sites {
            self.encoder.add_site(site, method);
            self.replay.add_site(site, method);
        }
    }

    fn enter(&mut self, ctx: Word, site: SiteId, callee: MethodId) -> Word {
        let link = self.encoder.enter(ctx, site, callee, Passage::Plain).unwrap();
        self.log();
        assert_ne!(link.kind, LinkKind::Cut);
        link.word
    }

    /// What the encoder does, the replay repeats, numberings included.
    fn log(&mut self) {
        for change in self.encoder.take_changes() {
            self.replay.apply(&change).unwrap();
        }
    }

    fn frames(snapshot: &Snapshot, method: MethodId, word: Word) -> Option<Vec<MethodId>> {
        let decoded = snapshot.decode(method, word, &[]);
        (decoded.end == End::Root).then(|| decoded.frames.iter().map(|frame| frame.method).collect())
    }
}

#[test]
fn unloaded_classes_leave_the_graph_and_the_rest_decodes_as_before() {
    let mut world = World::new();
    let mut old = Vec::new();
    for round in 0..300 {
        let [first, second, third] = [0, 1, 2].map(|n| MethodId(10 + round * OWN + n));
        let sites = [0, 1, 2].map(|n| SiteId(10 + round * OWN + n));
        world.method(first, &sites[..1]);
        world.method(second, &sites[1..2]);
        world.method(third, &sites[2..]);
        let main = world.enter(world.encoder.root_word(), SiteId::ROOT, MAIN);
        let one = world.enter(main, CALL, first);
        let two = world.enter(one, sites[0], second);
        let helper = world.enter(two, sites[1], HELPER);
        let three = world.enter(helper, BACK, third);
        let direct = world.enter(main, DIRECT, HELPER);
        let expected = vec![third, HELPER, second, first, MAIN];
        assert_eq!(World::frames(&world.encoder.snapshot(), third, three).as_ref(), Some(&expected));
        old.push((third, three, expected, direct));

        // Some stay a while, some for ever.
        if round % 10 != 0 {
            let gone = world.encoder.unload(&[first, second, third], &sites);
            assert_eq!(gone.len(), 4);
            world.log();
        }
        if round % 25 == 7 {
            world.encoder.renumber();
            world.log();
        }
    }
    let (now, logged) = (world.encoder.snapshot(), world.replay.snapshot());
    for (round, (method, word, expected, direct)) in old.iter().enumerate() {
        let known = World::frames(&now, *method, *word);
        assert_eq!(known.as_ref(), (round % 10 == 0).then_some(expected), "round {round}");
        assert_eq!(World::frames(&logged, *method, *word).as_ref(), Some(expected), "round {round}");
        assert_eq!(World::frames(&now, HELPER, *direct), Some(vec![HELPER, MAIN]), "round {round}");
    }
    // What is left: of thirty classes four edges each, and two of the program's own.
    assert_eq!(now.edges().count(), 30 * 4 + 2);
    let ranges: usize = (1..=now.version().0).map(|version| now.ranges(HELPER, Version(version)).count()).sum();
    assert!(ranges < 31 * now.version().0 as usize, "{ranges} ranges in {} versions", now.version().0);
}

#[test]
fn what_an_unloaded_class_has_called_keeps_no_numbers_of_it() {
    const LEAF: MethodId = MethodId(3);
    const DOWN: SiteId = SiteId(5);
    let mut world = World::new();
    world.method(LEAF, &[]);
    world.replay.add_site(DOWN, HELPER);
    world.encoder.add_site(DOWN, HELPER);
    let main = world.enter(world.encoder.root_word(), SiteId::ROOT, MAIN);
    let helper = world.enter(main, DIRECT, HELPER);
    let leaf = world.enter(helper, DOWN, LEAF);
    let mut logged = Vec::new();
    for round in 0..500 {
        let (method, site) = (MethodId(10 + round), SiteId(10 + round));
        world.method(method, &[site]);
        let one = world.enter(main, CALL, method);
        let two = world.enter(one, site, HELPER);
        let three = world.enter(two, DOWN, LEAF);
        assert!(!world.encoder.is_retired(DOWN, two.0, 1));
        // Every hundredth stays: not so many that what they call is cut for its growth.
        if round % 100 != 0 {
            world.encoder.unload(&[method], &[site]);
            world.log();
            assert!(world.encoder.is_retired(DOWN, two.0, 1));
        }
        logged.push((three, vec![LEAF, HELPER, method, MAIN], round % 100 == 0));
    }
    let now = world.encoder.snapshot();
    assert_eq!(World::frames(&now, LEAF, leaf), Some(vec![LEAF, HELPER, MAIN]));
    for (word, expected, stays) in &logged {
        assert_eq!(World::frames(&now, LEAF, *word).as_ref(), stays.then_some(expected));
        assert_eq!(World::frames(&world.replay.snapshot(), LEAF, *word).as_ref(), Some(expected));
    }
    let ranges = now.ranges(LEAF, now.version());
    assert_eq!(ranges.map(|range| range.len).sum::<u64>(), 6, "one number for each way that is left");
    assert!(world.encoder.stats().segments <= 3 * 6 + 2, "{:?}", world.encoder.stats());
    // Once all is gone, the numbers go on where they were, and are few.
    assert!(world.encoder.stats().largest_number < 600, "{:?}", world.encoder.stats());
}

#[test]
fn what_is_not_known_can_be_unloaded() {
    let mut world = World::new();
    assert!(world.encoder.unload(&[MethodId(7), MethodId::ROOT], &[SiteId(9)]).is_empty());
    assert!(world.encoder.take_changes().is_empty());
}

#[test]
fn a_call_that_is_met_is_an_edge_without_numbers_as_long_as_both_ends_are_there() {
    let mut world = World::new();
    let (callee, site) = (MethodId(10), SiteId(10));
    world.method(callee, &[site]);
    for _ in 0..2 {
        world.encoder.meet(SiteId::ROOT, MAIN);
        world.encoder.meet(CALL, callee);
        // Nothing is known of one end.
        world.encoder.meet(SiteId(99), callee);
        world.encoder.meet(CALL, MethodId(99));
        world.encoder.meet(CALL, MethodId::ROOT);
    }
    let edges = |world: &World| {
        [(SiteId::ROOT, MAIN), (CALL, callee)].map(|(site, callee)| world.encoder.has_edge(site, callee))
    };
    assert_eq!((edges(&world), world.encoder.stats().edges, world.encoder.stats().segments), ([true; 2], 2, 0));
    world.log();
    assert_eq!(world.replay.snapshot().edges().count(), 2);
    world.encoder.unload(&[callee], &[site]);
    assert_eq!(edges(&world), [true, false]);
    world.log();
}
