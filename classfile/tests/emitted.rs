//! The emitted code, instruction by instruction, as docs/design/emitted-code.md has it.

mod common;

use common::listing::{flat, listing};
use common::{Body, Class, hooked, hooked_with, view};
use lucce_classfile::{HookOutcome, RewriteOptions, SiteKind, method_id_of};
use lucce_words::{Bci, MethodId};

const STATIC: u16 = 9;

/// `static void <name>()` that calls `Other.run()`.
fn caller(major: u16, name: &str) -> Vec<u8> {
    let mut class = Class::new(major);
    let call = class.member(10, "Other", "run", "()V");
    let code = [[184, (call >> 8) as u8, call as u8].as_slice(), &[177]].concat();
    class.method(1, name, "()V", Body { max_locals: 1, code, ..Body::default() });
    class.bytes()
}

const PROLOGUE: &str = "invokestatic T.currentThread()T; astore 1; push -1; istore 4; aload 1; push 1; \
     invokestatic H.enter(TI)J; dup2; lstore 2; lconst_0; lcmp; ifge 31; aload 1; getfield T.slotI; istore 4; \
     lload 2; push 1; lshl; push 1; lushr; lstore 2";
const CALL: &str = "aload 1; lload 2; putfield T.ctxJ; aload 1; push 2; putfield T.siteI; invokestatic Other.run()V";

#[test]
fn an_ordinary_method_enters_publishes_restores_and_catches() {
    let done = hooked(&caller(52, "plain"));
    let view = view(&done.bytes);
    let exit = "iload 4; iflt 60; aload 1; iload 4; putfield T.topI; aload 1; push -1; putfield T.siteI; return";
    let handler = "aload 1; push 0; putfield T.siteI; iload 4; iflt 82; aload 1; iload 4; putfield T.topI; aload 1; push -1; \
         putfield T.siteI; athrow";
    assert_eq!(flat(&view.code[0].code, &view.pool), [PROLOGUE, CALL, exit, handler].join("; "));
    assert_eq!(view.code[0].handlers, [[31, 61, 61, 0]]);
    assert_eq!((view.code[0].max_stack, view.code[0].max_locals), (4, 5));
    assert_eq!(done.methods[0].outcome, HookOutcome::Hooked(MethodId(1)));
    assert!(!done.methods[0].interposable_exit);
}

#[test]
fn frames_of_a_method_that_keeps_its_arguments_say_what_is_new() {
    let frames = |code: &[u8]| {
        let mut class = Class::new(52);
        let [high, low] = class.member(10, "Other", "run", "()V").to_be_bytes();
        let code = [code, &[184, high, low, 177]].concat();
        class.method(1, "plain", "(J)V", Body { max_stack: 1, max_locals: 3, code, ..Body::default() });
        view(&hooked(&class.bytes()).bytes).code[0].attribute("StackMapTable").to_vec()
    };
    // At the end of the entry, in the exit, and twice in the handler.
    let table = frames(&[]);
    let [0, 4, 254, 0, 34, 7, _, _, 4, 1, 29, 64, 7, a, b, 84, 7, c, d] = table[..] else { panic!("{table:?}") };
    assert_eq!([a, b], [c, d]);
    // aload_0; astore_0: what local 0 holds when something is thrown is not asked.
    let table = frames(&[42, 75]);
    let [0, 4, 254, 0, 34, 7, t, u, 4, 1, 255, 0, 31, 0, 6, 0, 0, 0, 7, v, w, 4, 1, 0, 0, ref handler @ ..] = table[..]
    else {
        panic!("{table:?}")
    };
    assert_eq!(([t, u], handler.len()), ([v, w], 8));
}

#[test]
fn an_interposable_method_clears_on_its_plain_path_only() {
    let done = hooked(&caller(52, "interposable"));
    let view = view(&done.bytes);
    let exit = "; iload 4; iflt 61; aload 1; iload 4; putfield T.topI; aload 1; push -1; putfield T.siteI; return; \
         aload 1; push 0; putfield T.siteI; return; ";
    let text = flat(&view.code[0].code, &view.pool);
    assert!(text.contains(exit), "{text}");
    assert!(done.methods[0].interposable_exit);
}

#[test]
fn an_initialiser_enters_untrusted() {
    let view = view(&hooked(&caller(52, "<clinit>")).bytes);
    let text = flat(&view.code[0].code, &view.pool);
    assert!(text.contains("invokestatic H.enterUntrusted(TI)J"), "{text}");
}

#[test]
fn every_version_gets_the_same_code_and_frames_begin_with_version_50() {
    for major in 45..=69 {
        let mut bytes = caller(major, "plain");
        bytes[5] = 3;
        let plain = hooked(&caller(52, "plain"));
        // Minor version 3 has today's Code attribute; before it, the limits are one byte each.
        let made = if major == 45 { continue } else { hooked(&bytes) };
        let (one, other) = (view(&plain.bytes), view(&made.bytes));
        assert_eq!(flat(&one.code[0].code, &one.pool), flat(&other.code[0].code, &other.pool));
        assert_eq!(other.code[0].attributes.iter().any(|one| one.0 == "StackMapTable"), major >= 50, "{major}");
    }
}

#[test]
fn a_version_local_is_read_behind_the_word_and_published_with_it() {
    let options = RewriteOptions { version_local: true, ..RewriteOptions::default() };
    let view = view(&hooked_with(&caller(52, "plain"), &options).bytes);
    let prologue = "invokestatic T.currentThread()T; astore 1; push -1; istore 5; aload 1; push 1; \
         invokestatic H.enter(TI)J; dup2; lstore 2; aload 1; getfield T.versionI; istore 4; lconst_0; lcmp; ifge 37; \
         aload 1; getfield T.slotI; istore 5; lload 2; push 1; lshl; push 1; lushr; lstore 2";
    let call = ["aload 1; iload 4; putfield T.versionI", CALL].join("; ");
    let text = flat(&view.code[0].code, &view.pool);
    assert!(text.starts_with(&[prologue, &call].join("; ")), "{text}");
    assert_eq!((view.code[0].max_stack, view.code[0].max_locals), (4, 6));
    assert_eq!(method_id_of(&view.code[0].code), Some(MethodId(1)));
}

#[test]
fn the_oldest_code_attributes_are_written_as_they_were_read() {
    let bytes = caller(45, "plain");
    assert_eq!(lucce_classfile::identity(&bytes).as_ref(), Ok(&bytes));
    let view = view(&hooked(&bytes).bytes);
    assert!(flat(&view.code[0].code, &view.pool).starts_with(PROLOGUE));
}

#[test]
fn a_constructor_never_pushes_and_super_is_in_no_handler() {
    let mut class = Class::new(52);
    let init = class.member(10, "java/lang/Object", "<init>", "()V");
    let call = class.member(10, "Other", "run", "()V");
    let code = [
        &[184, (call >> 8) as u8, call as u8, 42, 183, (init >> 8) as u8, init as u8, 184][..],
        &call.to_be_bytes(),
        &[177],
    ];
    class.method(1, "<init>", "()V", Body { max_stack: 1, max_locals: 1, code: code.concat(), ..Body::default() });
    let done = hooked(&class.bytes());
    let view = view(&done.bytes);
    let expected = [
        "invokestatic T.currentThread()T; astore 1; aload 1; push 1; invokestatic H.enter(TI)J; lstore 2; \
         lload 2; push 63; lshr; l2i; istore 4; lload 2; push 1; lshl; push 1; lushr; lstore 2",
        CALL,
        "aload 0; aload 1; lload 2; putfield T.ctxJ; aload 1; iload 4; dup; push 3; ior; iadd; putfield T.siteI; \
         invokespecial java/lang/Object.<init>()V",
        &CALL.replace("push 2", "push 4"),
        "aload 1; push 0; putfield T.siteI; return",
        "aload 1; push 0; putfield T.siteI; athrow; aload 1; push 0; putfield T.siteI; athrow",
    ];
    assert_eq!(flat(&view.code[0].code, &view.pool), expected.join("; "));
    let at = |text: &str| {
        let lines = listing(&view.code[0].code, &view.pool);
        let line = lines.iter().find(|line| line.ends_with(text)).cloned().unwrap_or_default();
        line.split_once(':').and_then(|parts| parts.0.parse::<u16>().ok()).unwrap_or(0)
    };
    let init = at("<init>()V");
    let end = at("return") + 1;
    assert_eq!(view.code[0].handlers, [[23, init, end, 0], [init + 3, end, end + 6, 0]]);
    let kinds: Vec<_> = done.sites_of(&done.methods[0]).iter().map(|site| (site.kind, site.bci)).collect();
    assert_eq!(kinds, [(SiteKind::Static, Bci(0)), (SiteKind::WeakInit, Bci(4)), (SiteKind::Static, Bci(7))]);
    assert!(done.methods[0].interposable_exit);
}

#[test]
fn the_api_calls_become_a_local_and_a_constant() {
    let mut class = Class::new(52);
    let context = class.member(10, "org/lucce/Lucce", "context", "()J");
    let site = class.member(10, "org/lucce/Lucce", "site", "()I");
    let code = [&[184][..], &site.to_be_bytes(), &[87, 184], &context.to_be_bytes(), &[173]].concat();
    class.method(STATIC, "get", "()J", Body { max_stack: 2, code, ..Body::default() });
    let done = hooked(&class.bytes());
    let view = view(&done.bytes);
    let text = flat(&view.code[0].code, &view.pool);
    assert!(text.contains("lstore 1; push 2; pop; lload 1; iload 3; iflt"), "{text}");
    assert_eq!(done.methods[0].sites.len(), 1);
}

#[test]
fn what_lies_below_a_returned_value_is_dropped_before_the_exit() {
    let mut class = Class::new(52);
    let call = class.member(10, "Other", "run", "()V");
    let code = [&[9, 4, 184][..], &call.to_be_bytes(), &[9, 173]].concat();
    class.method(STATIC, "odd", "()J", Body { max_stack: 5, code, ..Body::default() });
    let view = view(&hooked(&class.bytes()).bytes);
    let text = flat(&view.code[0].code, &view.pool);
    assert!(text.contains("lconst_0; lstore 4; pop; pop2; lload 4; iload 3; iflt"), "{text}");
    assert_eq!((view.code[0].max_stack, view.code[0].max_locals), (6, 6));
}

#[test]
fn a_method_that_calls_nothing_is_left_alone() {
    let mut class = Class::new(52);
    class.method(STATIC, "leaf", "()V", Body { code: vec![177], ..Body::default() });
    let bytes = class.bytes();
    let done = hooked(&bytes);
    assert_eq!((done.methods[0].outcome, done.bytes == bytes), (HookOutcome::NoHooks, true));
}
