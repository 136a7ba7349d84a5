//! Named cases of the encoder: segments, cuts, constructors, translation, replay.
//!
//! Source: docs/design/words-and-numbering.md ("Numbering"), docs/design/link-tables.md,
//! docs/design/log-files.md ("Write-ahead").

use lucce_encoding::*;
use lucce_words::*;

/// An encoder with `methods` methods (constructors where listed), and sites `10 * method + nth` in
/// each.
fn encoder(methods: u32, constructors: &[u32]) -> Encoder {
    let mut encoder = Encoder::new();
    for method in 1..=methods {
        encoder.add_method(MethodId(method), constructors.contains(&method));
        for nth in 0..10 {
            encoder.add_site(SiteId(10 * method + nth), MethodId(method));
        }
    }
    encoder
}

fn enter(encoder: &mut Encoder, ctx: Word, site: u32, callee: u32) -> Link {
    let link = encoder.enter(ctx, SiteId(site), MethodId(callee), Passage::Plain).unwrap();
    assert!(link.covers(ctx));
    assert_eq!(link.apply(ctx), link.word);
    link
}

fn sites(decoded: &Decoded) -> Vec<u32> {
    assert_eq!(decoded.end, End::Root);
    decoded.frames.iter().filter_map(|frame| frame.site).map(|site| site.0).collect()
}

#[test]
fn a_path_decodes_to_its_sites() {
    let mut encoder = encoder(3, &[]);
    let root = encoder.root_word();
    let a = enter(&mut encoder, root, 1, 1).word;
    let b = enter(&mut encoder, a, 10, 2).word;
    let other = enter(&mut encoder, a, 11, 2).word;
    assert_ne!(b, other);
    let c = enter(&mut encoder, other, 20, 3).word;
    let snapshot = encoder.snapshot();
    assert_eq!(sites(&snapshot.decode(MethodId(3), c, &[])), [20, 11]);
    assert_eq!(sites(&snapshot.decode(MethodId(2), b, &[])), [10]);
}

#[test]
fn recursion_is_cut_and_its_chain_tells_the_rest() {
    let mut encoder = encoder(2, &[]);
    let root = encoder.root_word();
    let a = enter(&mut encoder, root, 1, 1).word;
    let b = enter(&mut encoder, a, 10, 2).word;
    let again = enter(&mut encoder, b, 20, 1);
    assert_eq!((again.kind, again.lo, again.len), (LinkKind::Cut, 0, u64::MAX));
    let entry = ShadowEntry { ctx: b, site: SiteId(20), cut: true, method: MethodId(1), barrier: false };
    let mark = ShadowEntry { ctx: Word::NONE, site: SiteId(0), cut: false, method: MethodId(0), barrier: true };
    let top = enter(&mut encoder, again.word, 11, 2).word;
    let snapshot = encoder.snapshot();
    assert_eq!(sites(&snapshot.decode(MethodId(2), top, &[entry, mark])), [11, 20, 10]);
    assert_eq!(snapshot.decode(MethodId(2), top, &[]).end, End::Unknown(Unknown::Chain));
    let wrong = ShadowEntry { site: SiteId(21), ..entry };
    assert_eq!(snapshot.decode(MethodId(2), top, &[wrong]).end, End::Unknown(Unknown::Chain));
}

#[test]
fn a_constructor_that_builds_its_own_class_needs_no_chain() {
    let mut encoder = encoder(2, &[1]);
    let mut words = vec![encoder.root_word()];
    words.push(enter(&mut encoder, words[0], 1, 1).word);
    for depth in 1..1000 {
        if depth == 500 {
            encoder.renumber();
        }
        let link = enter(&mut encoder, words[depth], 10, 1);
        assert_eq!(link.kind, LinkKind::Plain);
        words.push(link.word);
    }
    let snapshot = encoder.snapshot();
    for (depth, &word) in words.iter().enumerate().skip(1) {
        assert_eq!(sites(&snapshot.decode(MethodId(1), word, &[])), vec![10; depth - 1]);
    }
    let stats = encoder.stats();
    assert_eq!(stats.unrolled, 1);
    assert!(stats.segments < 100, "{stats:?}");
}

#[test]
fn a_tree_built_in_constructors_takes_few_segments() {
    let mut encoder = encoder(1, &[1]);
    let root = encoder.root_word();
    let top = enter(&mut encoder, root, 1, 1).word;
    let (mut stack, mut words) = (vec![(top, vec![], 10)], vec![(top, vec![])]);
    while let Some((word, path, site)) = stack.pop() {
        if site < 12 && path.len() < 13 {
            let below = enter(&mut encoder, word, site, 1).word;
            let longer = [&[site], &path[..]].concat();
            stack.extend([(word, path, site + 1), (below, longer.clone(), 10)]);
            words.push((below, longer));
        }
    }
    let snapshot = encoder.snapshot();
    assert_eq!(words.len(), 16_383);
    assert!(words.iter().all(|(word, path)| sites(&snapshot.decode(MethodId(1), *word, &[])) == *path));
    assert!(encoder.stats().segments < 500, "{:?}", encoder.stats());
}

#[test]
fn a_cycle_through_a_constructor_is_cut_elsewhere() {
    let mut encoder = encoder(2, &[1]);
    let root = encoder.root_word();
    let constructor = enter(&mut encoder, root, 1, 1).word;
    let method = enter(&mut encoder, constructor, 10, 2).word;
    encoder.take_changes();
    let back = enter(&mut encoder, method, 20, 1);
    assert_eq!(back.kind, LinkKind::Plain);
    let cut = Change::Cut { edge: EdgeId(1) };
    assert!(encoder.take_changes().contains(&cut));
    assert_eq!(enter(&mut encoder, back.word, 10, 2).kind, LinkKind::Cut);
    assert_eq!(sites(&encoder.snapshot().decode(MethodId(1), back.word, &[])), [20, 10]);
}

#[test]
fn an_old_word_is_translated_for_itself_alone() {
    let mut encoder = encoder(3, &[]);
    let root = encoder.root_word();
    let a = enter(&mut encoder, root, 1, 1).word;
    let b = enter(&mut encoder, a, 10, 2).word;
    encoder.renumber();
    let link = enter(&mut encoder, b, 20, 3);
    assert_eq!((link.lo, link.len), (b.0, 1));
    assert_eq!(link.word.version(), Version(2));
    assert_eq!(sites(&encoder.snapshot().decode(MethodId(3), link.word, &[])), [20, 10]);
}

#[test]
fn lost_and_unknown_words_stay_lost() {
    let mut encoder = encoder(1, &[]);
    let mut enter = |ctx, site| encoder.enter(ctx, SiteId(site), MethodId(1), Passage::Plain).map(|link| link.kind);
    assert_eq!(enter(Word::lost(Lost::Chain), 10), Err(Lost::Chain));
    assert_eq!(enter(Word::NONE, 10), Err(Lost::Hook));
    assert_eq!(enter(Word::new(Version(1), false, 7), 1), Err(Lost::Hook));
    assert_eq!(enter(Word::new(Version(9), false, BLOCK), 1), Err(Lost::Hook));
    assert_eq!(enter(Word::new(Version(1), false, BLOCK), 99), Err(Lost::Hook));
    assert_eq!(enter(Word::new(Version(1), false, BLOCK), 1), Ok(LinkKind::Plain));
}

#[test]
fn a_replay_of_the_changes_is_the_same_graph_until_one_is_missing() {
    let mut encoder = encoder(3, &[]);
    let root = encoder.root_word();
    let a = enter(&mut encoder, root, 1, 1).word;
    let b = enter(&mut encoder, a, 10, 2).word;
    encoder.renumber();
    let c = enter(&mut encoder, b, 20, 3).word;
    let changes = encoder.take_changes();
    let replay = |without: Option<usize>| {
        let mut replay = Replay::new();
        for method in 1..=3 {
            replay.add_method(MethodId(method), false).unwrap();
            (0..10).for_each(|nth| replay.add_site(SiteId(10 * method + nth), MethodId(method)));
        }
        let kept = changes.iter().enumerate().filter(|(at, _)| Some(*at) != without);
        let errors: Vec<_> = kept.filter_map(|(_, change)| replay.apply(change).err()).collect();
        (replay.snapshot(), errors)
    };
    let (whole, errors) = replay(None);
    assert_eq!(errors, []);
    assert_eq!(sites(&whole.decode(MethodId(3), c, &[])), [20, 10]);
    // The segment of the edge at site 10: used from version 1 on, so version 2 cannot be repeated
    // without it.
    let segment = changes.iter().position(|change| matches!(change, Change::Segment { edge: EdgeId(1), .. })).unwrap();
    let (gap, errors) = replay(Some(segment));
    assert_eq!(errors, [ReplayError::Digest(Version(2))]);
    assert_eq!(gap.decode(MethodId(3), c, &[]).end, End::Unknown(Unknown::Version(Version(2))));
    assert_eq!(sites(&gap.decode(MethodId(1), a, &[])), []);
}

#[test]
fn snapshots_go_to_other_threads() {
    fn shared<T: Send + Sync>(_: &T) {}
    shared(&encoder(1, &[]).snapshot());
}

#[test]
fn one_context_decodes_alike_in_twelve_versions() {
    let mut encoder = encoder(5, &[3]);
    let mut words = Vec::new();
    for version in 1..=12 {
        // What else happens moves the numbers about.
        let root = encoder.root_word();
        let other = enter(&mut encoder, root, 1, 1 + version % 5).word;
        enter(&mut encoder, other, 10 * (1 + version % 5) + version % 10, 5);
        let path = [(1, 1), (10, 2), (22, 3), (31, 5)].map(|(site, callee)| (SiteId(site), MethodId(callee)));
        words.push(encoder.encode_path(root, &path).unwrap()[3].word);
        encoder.renumber();
    }
    let snapshot = encoder.snapshot();
    for (word, version) in words.iter().zip(1..) {
        assert_eq!(word.version(), Version(version));
        assert_eq!(sites(&snapshot.decode(MethodId(5), *word, &[])), [31, 22, 10]);
    }
}

#[test]
fn the_digest_of_a_fixed_graph_never_changes() {
    let mut encoder = encoder(4, &[]);
    let root = encoder.root_word();
    for path in
        [&[(1, 1), (10, 2), (20, 3), (30, 4)][..], &[(1, 1), (11, 3), (31, 4)], &[(1, 2), (21, 2), (20, 3), (32, 1)]]
    {
        let steps: Vec<_> = path.iter().map(|&(site, callee)| (SiteId(site), MethodId(callee))).collect();
        encoder.encode_path(root, &steps).unwrap();
    }
    encoder.renumber();
    let last = encoder.take_changes().pop();
    assert_eq!(last, Some(Change::NewVersion { version: Version(2), digest: 4_373_202_438_450_478_469 }));
}

#[test]
fn a_deep_recursion_decodes_without_one() {
    let mut encoder = encoder(1, &[]);
    let root = encoder.root_word();
    let first = enter(&mut encoder, root, 1, 1).word;
    let again = enter(&mut encoder, first, 10, 1);
    let entry = |ctx| ShadowEntry { ctx, site: SiteId(10), cut: true, method: MethodId(1), barrier: false };
    let mut chain = vec![entry(again.word); 1_000_000];
    chain[0] = entry(first);
    let decoded = encoder.snapshot().decode(MethodId(1), again.word, &chain);
    assert_eq!((decoded.end, decoded.frames.len()), (End::Root, 1_000_001));
}

#[test]
fn the_way_down_from_an_entry_is_that_of_its_own_activation() {
    // 1 calls 2 at 10, 2 calls 1 at 20 (cut), 1 calls itself at 11 (cut).
    let mut encoder = encoder(2, &[]);
    let root = encoder.root_word();
    let bottom = enter(&mut encoder, root, 1, 1).word;
    let entry = |ctx, site| ShadowEntry { ctx, site: SiteId(site), cut: true, method: MethodId(1), barrier: false };
    let mark = ShadowEntry { ctx: Word::NONE, site: SiteId(0), cut: false, method: MethodId(0), barrier: true };
    let (mut chain, mut pushed, mut at) = (Vec::new(), Vec::new(), bottom);
    for round in 0..50 {
        let site = if round % 3 == 0 { 11 } else { 20 };
        let ctx = if site == 20 { enter(&mut encoder, at, 10, 2).word } else { at };
        at = enter(&mut encoder, ctx, site, 1).word;
        chain.extend([mark, entry(ctx, site)]);
        pushed.push((chain.len() - 1, at));
    }
    let top = enter(&mut encoder, at, 10, 2).word;
    let snapshot = encoder.snapshot();
    let whole: Vec<Activation> = snapshot.descend(MethodId(2), top, &chain).collect();
    let owners: Vec<_> = whole.iter().filter_map(|at| at.own.map(|own| (own, at.word))).collect();
    assert_eq!(owners, pushed.iter().rev().copied().collect::<Vec<_>>());
    for (index, word) in pushed {
        let place = whole.iter().position(|at| at.own == Some(index)).unwrap();
        // Above it, nothing below its entry is asked for.
        let above = snapshot.descend(MethodId(2), top, &chain[index..]).take(place + 1);
        let own = |at: &Activation| at.own.map(|own| own + index);
        assert!(
            above
                .zip(&whole)
                .all(|(part, whole)| (part.method, part.site, own(&part)) == (whole.method, whole.site, whole.own))
        );
        // From it on, the way is that of a check at its own entry.
        let below = snapshot.descend(MethodId(1), word, &chain[..=index]);
        assert!(below.skip(1).eq(whole[place + 1..].iter().copied()));
    }
}

#[test]
fn ranges_that_lead_round_end_as_too_deep() {
    let mut replay = Replay::new();
    replay.add_method(MethodId(1), true).unwrap();
    replay.add_site(SiteId(10), MethodId(1));
    let (edge, version) = (EdgeId(0), Version(1));
    replay.apply(&Change::Edge { edge, site: SiteId(10), callee: MethodId(1) }).unwrap();
    replay.apply(&Change::Segment { edge, version, lo: 0, len: 1, restoring: false, base: 0 }).unwrap();
    let decoded = replay.snapshot().decode(MethodId(1), Word::new(version, false, 0), &[]);
    assert_eq!(decoded.end, End::Unknown(Unknown::Depth));
}

#[test]
fn contradictions_are_refused_and_change_nothing() {
    let mut replay = Replay::new();
    replay.add_method(MethodId(1), false).unwrap();
    let (edge, version) = (EdgeId(0), Version(1));
    let link = Change::Edge { edge, site: SiteId::ROOT, callee: MethodId(1) };
    let segment = |lo, len, base| Change::Segment { edge, version, lo, len, restoring: false, base };
    assert_eq!(replay.apply(&segment(0, 1, 0)), Err(ReplayError::Edge(edge)));
    assert_eq!(replay.apply(&link), Ok(()));
    assert_eq!(replay.apply(&link), Ok(()));
    assert_eq!(replay.apply(&segment(0, 10, 5)), Ok(()));
    for (lo, len, base) in
        [(0, 10, 6), (0, 10, 0), (0, 1, 9), (0, 0, 20), (0, 1, NUMBER_LIMIT), (u64::MAX, 1, 20), (0, u64::MAX, 20)]
    {
        assert_eq!(replay.apply(&segment(lo, len, base)), Err(ReplayError::Range(edge)), "{lo} {len} {base}");
    }
    assert_eq!(
        replay.apply(&Change::Edge { edge, site: SiteId(7), callee: MethodId(1) }),
        Err(ReplayError::Site(SiteId(7)))
    );
    let root = Change::Edge { edge: EdgeId(1), site: SiteId::ROOT, callee: MethodId::ROOT };
    assert_eq!(replay.apply(&root), Err(ReplayError::Method(MethodId::ROOT)));
    let far = Change::Edge { edge: EdgeId(u32::MAX), site: SiteId::ROOT, callee: MethodId(1) };
    assert_eq!(replay.apply(&far), Err(ReplayError::Leap));
    assert_eq!(replay.add_method(MethodId(u32::MAX), false), Err(ReplayError::Leap));
    let old = Change::NewVersion { version, digest: 0 };
    assert_eq!(replay.apply(&old), Err(ReplayError::Version(version)));
}
