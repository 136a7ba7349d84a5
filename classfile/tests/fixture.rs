//! Compiled classes through every entry point: identity, maps, annotations, the Guard, and damaged
//! input.

mod common;

use common::{Rules, hooked, view};
use lucce_classfile::{
    Argument, HookOutcome, Insertion, InsertionPoint, PublishedSite, RewriteOptions, SequentialIds, SiteKind,
    add_thread_state, guard, identity, insert, instrument, method_id_of, summary,
};
use lucce_words::Bci;
use lucce_words::random::Random;

const OLD: &[u8] = include_bytes!("fixtures/Sample.class");
const NEW: &[u8] = include_bytes!("fixtures/Sample17.class");

#[test]
fn identity_changes_no_byte() {
    for class in [OLD, NEW] {
        assert_eq!(identity(class).as_deref(), Ok(class));
        assert_eq!(identity(&hooked(class).bytes), Ok(hooked(class).bytes));
    }
}

#[test]
fn every_prologue_names_its_method() {
    for class in [OLD, NEW] {
        let done = hooked(class);
        let view = view(&done.bytes);
        let found: Vec<_> = view.code.iter().map(|code| method_id_of(&code.code)).collect();
        let hooked = done.methods.iter().map(|method| match method.outcome {
            HookOutcome::Hooked(id) => Some(id),
            _ => None,
        });
        assert_eq!(hooked.collect::<Vec<_>>(), found);
        assert!(found.iter().flatten().count() > 5);
    }
}

#[test]
fn sites_map_back_to_their_index_and_line() {
    let done = hooked(OLD);
    let (before, after) = (view(OLD), view(&done.bytes));
    for ((method, old), new) in done.methods.iter().zip(&before.code).zip(&after.code) {
        for site in done.sites_of(method) {
            let at = usize::from(site.bci.0);
            let rewritten = (0..new.code.len() as u32)
                .find(|at| method.map.original(*at) == site.bci && !method.map.is_inserted(*at));
            let rewritten = rewritten.expect("the instruction is still there") as usize;
            assert_eq!(old.code[at..at + 3], new.code[rewritten..rewritten + 3]);
            assert_eq!(site.line, method.lines.line(site.bci));
            assert!(site.line.is_some());
        }
    }
    let words = done.methods.iter().find(|method| method.name == b"words").expect("it is declared");
    assert_eq!(words.map.original(0), Bci(0));
    assert!(words.map.is_inserted(0));
}

#[test]
fn new_offsets_of_annotations_and_tables_name_the_same_instructions() {
    let done = hooked(OLD);
    let (before, after) = (view(OLD), view(&done.bytes));
    let mut annotated = 0;
    for ((method, old), new) in done.methods.iter().zip(&before.code).zip(&after.code) {
        for ((name, then), (_, now)) in old.attributes.iter().zip(&new.attributes) {
            match name.as_str() {
                "LineNumberTable" => {
                    let entries = then[2..].chunks(4).zip(now[2..].chunks(4));
                    for (then, now) in entries {
                        let at = u32::from(now[0]) << 8 | u32::from(now[1]);
                        assert_eq!(method.map.original(at).0, u16::from(then[0]) << 8 | u16::from(then[1]));
                    }
                }
                "RuntimeVisibleTypeAnnotations" => {
                    // `new @Mark(1) Sample` and the cast `(@Mark(2) ...)`: target type, then the
                    // offset.
                    for target in [0x44, 0x47] {
                        if then[2] == target {
                            annotated += 1;
                            let at = u32::from(now[3]) << 8 | u32::from(now[4]);
                            assert!(!method.map.is_inserted(at));
                            assert_eq!(method.map.original(at).0, u16::from(then[3]) << 8 | u16::from(then[4]));
                        }
                    }
                }
                _ => {}
            }
        }
    }
    assert_eq!(annotated, 2);
}

#[test]
fn an_allocation_is_a_site_when_that_is_asked_for() {
    let options = RewriteOptions { publish_allocations: true, ..RewriteOptions::default() };
    let done = instrument(OLD, &mut SequentialIds::default(), &Rules, &options).expect("it is well formed");
    let arrays = done.methods.iter().find(|method| method.name == b"arrays").expect("it is declared");
    let allocations = done.sites_of(arrays).iter().filter(|site| site.kind == SiteKind::Allocation);
    let owners: Vec<_> = allocations.map(|site| String::from_utf8_lossy(&site.owner).into_owned()).collect();
    assert_eq!(owners, ["[[I", "[Ljava/lang/String;"]);
}

#[test]
fn ids_that_run_out_leave_the_method_as_it_was() {
    let mut ids = SequentialIds { sites: 3, ..SequentialIds::default() };
    let done = instrument(OLD, &mut ids, &Rules, &RewriteOptions::default()).expect("it is well formed");
    let skipped = done.methods.iter().filter(|method| matches!(method.outcome, HookOutcome::Skipped(_)));
    assert!(skipped.count() > 3);
    assert!(identity(&done.bytes).is_ok());
}

#[test]
fn a_summary_names_what_is_declared() {
    let summary = summary(OLD).expect("it is well formed");
    assert_eq!((summary.name, summary.super_name), (&b"Sample"[..], Some(&b"java/util/ArrayList"[..])));
    assert!(summary.has_clinit && summary.interfaces.is_empty());
    assert!(summary.methods.iter().any(|method| method.name == b"leaf" && method.desc == b"(II)I"));
}

#[test]
fn a_guard_goes_on_the_named_methods_only() {
    assert_eq!(guard(OLD, &[(b"nothing", b"()V")]), Ok(None));
    let guarded = guard(OLD, &[(b"leaf", b"(II)I")]).expect("it is well formed").expect("leaf is declared").bytes;
    let (before, after) = (view(OLD), view(&guarded));
    let changed = before.code.iter().zip(&after.code).filter(|(old, new)| old.code != new.code).count();
    assert_eq!(changed, 1);
    let leaf = after.code.iter().find(|code| code.code.len() < 100 && code.handlers.len() == 1);
    let text = leaf.map(|leaf| common::listing::listing(&leaf.code[..15], &after.pool).join("; "));
    let save = "0: invokestatic T.currentThread()T; 3: dup; 4: astore 3; 5: invokestatic Shadow.resolveResume(T)V; \
         8: aload 3; 9: getfield T.ctxJ; 12: lstore 4; 14: aload 3";
    assert_eq!(text.as_deref(), Some(save));
}

#[test]
fn a_call_is_inserted_before_the_named_calls_and_leaves_the_rest_alone() {
    let at = |at| Insertion { method: Some((b"leaf", b"(II)I")), at, argument: Argument::Local(1), hook: b"hook" };
    assert_eq!(insert(OLD, &[], &[at(InsertionPoint::Call(b"nothing"))]), Ok(None));
    let inserted =
        insert(OLD, &[(b"$f", b"I")], &[at(InsertionPoint::Start)]).expect("it is well formed").expect("leaf is there");
    let inserted = inserted.bytes;
    let (before, after) = (view(OLD), view(&inserted));
    let changed: Vec<_> = before.code.iter().zip(&after.code).filter(|(old, new)| old.code != new.code).collect();
    let [(old, new)] = changed[..] else { panic!("{} methods changed", changed.len()) };
    assert_eq!((&new.code[..3], &new.code[5..]), (&[25, 1, 184][..], &old.code[..]));
    assert_eq!(identity(&inserted), Ok(inserted));
}

#[test]
fn hooks_on_top_of_what_was_inserted_speak_of_the_class_as_it_came() {
    let declared: Vec<_> = hooked(OLD).methods.iter().map(|method| (method.name, method.desc)).collect();
    let calls = [b"hook".as_slice(), b"other"].map(|hook| Insertion {
        method: None,
        at: InsertionPoint::Start,
        argument: Argument::None,
        hook,
    });
    let called: Vec<_> = hooked(OLD).sites.iter().map(|site| site.name).collect();
    let named = called.iter().map(|name| Insertion {
        method: None,
        at: InsertionPoint::Call(name),
        argument: Argument::None,
        hook: b"hook",
    });
    let calls: Vec<_> = calls.into_iter().chain(named).collect();
    let inserted = insert(OLD, &[], &calls).expect("it is well formed").expect("there are methods");
    let guarded = guard(&inserted.bytes, &declared).expect("it is well formed").expect("there are methods");
    let class = inserted.then(guarded);
    let mut through = hooked(&class.bytes);
    class.lead_back(&mut through);
    let own = |name: &[u8]| !matches!(name, b"hook" | b"other" | b"resolveResume" | b"currentThread");
    let plainly = hooked(OLD);
    for (plain, other) in plainly.methods.iter().zip(&through.methods) {
        let (sites, others) = (plainly.sites_of(plain), through.sites_of(other));
        let places = |sites: &[PublishedSite<'_>]| -> Vec<_> {
            sites.iter().filter(|site| own(site.name)).map(|site| (site.bci, site.line, site.name.to_vec())).collect()
        };
        assert_eq!(places(sites), places(others));
        for site in sites.iter().chain(others).filter(|site| own(site.name)) {
            assert_eq!(plain.lines.line(site.bci), other.lines.line(site.bci));
        }
    }
}

#[test]
fn the_thread_state_is_added_once() {
    let once = add_thread_state(OLD).expect("it is well formed").bytes;
    assert_eq!(add_thread_state(&once).map(|class| class.bytes).as_deref(), Ok(&once[..]));
    let count = |bytes: &[u8]| String::from_utf8_lossy(bytes).matches("$lucce$").count();
    assert_eq!((count(OLD), count(&once)), (0, 12));
    assert_eq!(identity(&once), Ok(once));
}

#[test]
fn smoke_damaged_classes_never_panic() {
    let rounds = std::env::var("LUCCE_SMOKE").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(1000);
    let mut random = Random::new(0x9E37_79B9_7F4A_7C15);
    for round in 0..rounds {
        let mut bytes = if round % 2 == 0 { OLD } else { NEW }.to_vec();
        for _ in 0..=random.index(4) {
            let at = random.index(bytes.len());
            match random.index(12) {
                0 => bytes.truncate(at.max(1)),
                1 => drop(bytes.splice(at..at, [0, 1])),
                2..4 => bytes[at] = 0xFF,
                4..7 => bytes[at] = bytes[at].wrapping_add(1),
                _ => bytes[at] = random.index(256) as u8,
            }
        }
        common::property::check(&bytes);
    }
}
