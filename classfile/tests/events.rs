//! What event sources ask of the rewriter: instructions that publish, the word among the variables,
//! and timed parks.

mod common;

use common::listing::flat;
use common::{Body, Class, hooked, hooked_with, view};
use lucce_classfile::{HookOutcome, RewriteOptions, SiteKind, time_parks};

const STATIC: u16 = 9;

fn throwing() -> RewriteOptions {
    RewriteOptions { publish_throws: true, ..RewriteOptions::default() }
}

/// `static void m()` with the given code, of one operand slot, and attributes.
fn with(code: &[u8], attributes: Vec<(&'static str, Vec<u8>)>) -> Class {
    let mut class = Class::new(52);
    let body = Body { max_stack: 1, max_locals: 1, code: code.to_vec(), attributes, ..Body::default() };
    class.method(STATIC, "m", "()V", body);
    class
}

#[test]
fn a_throw_and_a_monitor_are_sites_when_that_is_asked_for() {
    // aconst_null; monitorenter; aconst_null; athrow
    let class = with(&[1, 194, 1, 191], Vec::new()).bytes();
    assert_eq!(hooked(&class).methods[0].outcome, HookOutcome::NoHooks);
    let monitors = RewriteOptions { publish_monitors: true, ..RewriteOptions::default() };
    for (options, kind, bci) in [(throwing(), SiteKind::Throw, 3), (monitors, SiteKind::Monitor, 1)] {
        let done = hooked_with(&class, &options);
        let sites: Vec<_> = done.sites_of(&done.methods[0]).iter().map(|site| (site.kind, site.bci.0)).collect();
        assert_eq!(sites, [(kind, bci)]);
    }
}

#[test]
fn the_word_is_listed_among_the_variables_of_a_method_that_has_some() {
    // One variable, over the whole code, in a table that the class names.
    let table = |class: &mut Class| [1, 0, 2, class.utf8("x"), class.utf8("I"), 0].map(u16::to_be_bytes).concat();
    let mut class = Class::new(52);
    let table = table(&mut class);
    let body = Body {
        max_stack: 1,
        max_locals: 1,
        code: vec![1, 191],
        attributes: vec![("LocalVariableTable", table)],
        ..Body::default()
    };
    class.method(STATIC, "m", "()V", body);
    let class = class.bytes();
    let done = hooked_with(&class, &throwing());
    let view = view(&done.bytes);
    let listed = view.code[0].attribute("LocalVariableTable");
    let parts: Vec<u16> = listed.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect();
    assert_eq!((parts[0], parts.len()), (2, 11));
    assert_eq!(parts[5], done.methods[0].word_local);
    let named = |index: u16| view.pool[usize::from(index)].as_str();
    assert_eq!((named(parts[3]), named(parts[4])), ("$lucce$word", "J"));
    // From behind the prologue to the end of the method's own code.
    assert_eq!(u32::from(parts[1] + parts[2]), view.code[0].handlers[0][1].into());
    assert!(done.methods[0].map.is_leaving(u32::from(parts[1] + parts[2])));
    assert!(!done.methods[0].map.is_leaving(u32::from(parts[1] + parts[2]) - 1));
}

#[test]
fn a_park_is_timed_and_what_the_hook_throws_is_swallowed() {
    let mut class = Class::new(52);
    class.method(STATIC, "park", "(Ljava/lang/Object;)V", Body { max_locals: 1, code: vec![177], ..Body::default() });
    class.method(STATIC, "parkNanos", "(J)V", Body { max_locals: 2, code: vec![177], ..Body::default() });
    class.method(STATIC, "unpark", "(Ljava/lang/Thread;)V", Body { max_locals: 1, code: vec![177], ..Body::default() });
    let bytes = class.bytes();
    let timed = time_parks(&bytes).expect("it is well formed").expect("it parks");
    let (before, after) = (view(&bytes), view(&timed.bytes));
    let text = |at: usize| flat(&after.code[at].code, &after.pool);
    let hook = "invokestatic java/lang/LucceLocks.parked(Ljava/lang/Object;J)V";
    let first = format!(
        "aload 0; astore 1; aload 1; invokestatic java/lang/LucceLocks.parking(Ljava/lang/Object;)J; lstore 2; goto 10; aload 1; lload 2; {hook}; \
         return; pop; return; aload 1; lload 2; {hook}; athrow"
    );
    assert_eq!(text(0), first);
    assert_eq!(after.code[0].handlers.len(), 2);
    assert!(
        text(1).starts_with(
            "aconst_null; astore 2; aload 2; invokestatic java/lang/LucceLocks.parking(Ljava/lang/Object;)J; lstore 3"
        ),
        "{}",
        text(1)
    );
    assert_eq!(after.code[2].code, before.code[2].code);
    assert_eq!(time_parks(&with(&[177], Vec::new()).bytes()), Ok(None));
}
