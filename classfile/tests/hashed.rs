//! The code that is emitted where words are hashed, instruction by instruction.
//!
//! Invariant: no hook is called but by what the JVM calls; the last handler says whose code it is.
//! Source: docs/design/hashed-words.md.

mod common;

use common::listing::flat;
use common::{Body, Class, hooked_with, view};
use lucce_classfile::{RewriteOptions, method_id_of};
use lucce_words::MethodId;
use lucce_words::hashed::constructor;
use lucce_words::weights::Scheme;

const OPTIONS: fn() -> RewriteOptions = || RewriteOptions { hashed: Some(Scheme::Ids), ..RewriteOptions::default() };
const MIX: &str = "dup2; push 32; lushr; lxor; push -7046029254386353131; lmul; lstore 4";
const RESTORE: &str = "aload 1; lload 2; putfield T.ctxJ";

/// `<name>()V` that calls `Other.run()`.
fn caller(access: u16, name: &str) -> Vec<u8> {
    let mut class = Class::new(52);
    let [high, low] = class.member(10, "Other", "run", "()V").to_be_bytes();
    let code = vec![184, high, low, 177];
    class.method(access, name, "()V", Body { max_locals: 1, code, ..Body::default() });
    class.bytes()
}

#[test]
fn an_ordinary_method_reads_mixes_adds_and_puts_back() {
    let view = view(&hooked_with(&caller(1, "plain"), &OPTIONS()).bytes);
    let code = &view.code[0];
    let prologue = format!("invokestatic T.currentThread()T; dup; astore 1; getfield T.ctxJ; dup2; lstore 2; {MIX}");
    let call = "aload 1; lload 4; push 2; i2l; ladd; putfield T.ctxJ; invokestatic Other.run()V";
    let handler = format!("{RESTORE}; push 0; pop; push 1; pop; athrow");
    assert_eq!(flat(&code.code, &view.pool), [&prologue, call, RESTORE, "return", &handler].join("; "));
    assert_eq!(method_id_of(&code.code), Some(MethodId(1)));
    assert_eq!(code.max_locals, 6);
}

#[test]
fn the_hooks_are_told_what_a_method_was_entered_with_where_entries_are_checked_or_sampled() {
    let told = |check_entries, sample_entries| {
        let options = RewriteOptions { check_entries, sample_entries, ..OPTIONS() };
        let view = view(&hooked_with(&caller(1, "plain"), &options).bytes);
        let text = flat(&view.code[0].code, &view.pool);
        let calls = text.match_indices("aload 1; push 1; lload 4; invokestatic H.");
        calls.map(|(at, found)| text[at + found.len()..].split(';').next().unwrap_or("").to_owned()).collect::<Vec<_>>()
    };
    let (check, sample) = ("checkHashed(TIJ)V", "enteredHashed(TIJ)V");
    assert_eq!([told(false, false), told(false, true)], [Vec::<String>::new(), vec![sample.into()]]);
    assert_eq!(told(true, true), [check, sample]);
}

/// `static void m(int)`: returns at once for 0, else calls. `again` leads from the call to the
/// first return, too.
fn early(again: bool) -> Vec<u8> {
    let mut class = Class::new(49);
    let [high, low] = class.member(10, "Other", "run", "()V").to_be_bytes();
    // 0 iload_0; 1 ifne 5; 4 return; 5 invokestatic; 8 goto 4 (or return)
    let last: &[u8] = if again { &[167, 0xFF, 0xFC] } else { &[177] };
    let code = [&[26, 154, 0, 4, 177, 184, high, low][..], last].concat();
    class.method(9, "m", "(I)V", Body { max_stack: 1, max_locals: 1, code, ..Body::default() });
    class.bytes()
}

#[test]
fn a_return_that_no_call_leads_to_puts_nothing_back() {
    let code = |again| {
        let view = view(&hooked_with(&early(again), &OPTIONS()).bytes);
        flat(&view.code[0].code, &view.pool)
    };
    let (early, shared) = (code(false), code(true));
    assert!(early.contains("; return; aload 1"), "{early}");
    assert_eq!(early.matches(&format!("{RESTORE}; return")).count(), 1, "{early}");
    assert!(shared.contains(&format!("{RESTORE}; return; aload 1")), "{shared}");
}

#[test]
fn what_the_jvm_calls_asks_for_its_base_and_puts_back_what_it_found() {
    let view = view(&hooked_with(&caller(9, "<clinit>"), &OPTIONS()).bytes);
    let text = flat(&view.code[0].code, &view.pool);
    let prologue =
        "getfield T.ctxJ; lstore 2; aload 1; push 1; invokestatic H.enterUntrusted(TI)J; dup2; push 32; lushr";
    assert!(text.contains(prologue) && text.contains(RESTORE), "{text}");
}

#[test]
fn a_constructor_takes_its_constant_off_and_its_callers_add_it() {
    let mut class = Class::new(52);
    let [high, low] = class.member(10, "java/lang/Other", "<init>", "()V").to_be_bytes();
    class.super_name = "java/lang/Other";
    let code = vec![42, 183, high, low, 177];
    class.method(1, "<init>", "()V", Body { max_stack: 1, max_locals: 1, code, ..Body::default() });
    let view = view(&hooked_with(&class.bytes(), &OPTIONS()).bytes);
    let text = flat(&view.code[0].code, &view.pool);
    let own = constructor(b"Made", b"()V");
    let other = 2 + constructor(b"java/lang/Other", b"()V");
    assert!(text.contains(&format!("getfield T.ctxJ; dup2; lstore 2; push {own}; i2l; lsub; dup2")), "{text}");
    assert!(text.contains(&format!("lload 4; push {other}; i2l; ladd; putfield T.ctxJ; invokespecial")), "{text}");
}

#[test]
fn ids_of_any_size_stand_in_the_handler_and_nothing_else_is_taken_for_them() {
    use lucce_classfile::{SequentialIds, instrument};
    let bytes = caller(1, "plain");
    for id in [1, 0x7FFF, 0x8000, 0xFFFF, 0x1_0000, 0xFF_FFFF] {
        let mut ids = SequentialIds { method: id, ..SequentialIds::default() };
        let done = instrument(&bytes, &mut ids, &common::Rules, &OPTIONS()).expect("it can be rewritten");
        let code = &view(&done.bytes).code[0].code;
        assert_eq!(method_id_of(code), Some(MethodId(id)));
        assert_eq!(method_id_of(&code[..code.len() - 1]), None);
    }
}

#[test]
fn a_size_is_added_once_and_its_sites_add_nothing() {
    let options = RewriteOptions { hashed: Some(Scheme::Natural), ..RewriteOptions::default() };
    let view = view(&hooked_with(&caller(1, "plain"), &options).bytes);
    let text = flat(&view.code[0].code, &view.pool);
    let prologue = "getfield T.ctxJ; dup2; lstore 2; push 16; i2l; ladd; lstore 4";
    let call = "aload 1; lload 4; putfield T.ctxJ; invokestatic Other.run()V";
    assert!(text.contains(prologue) && text.contains(call), "{text}");
}

#[test]
fn hashes_of_names_are_added_with_and_without_mixing_and_tell_definitions_apart() {
    let mut weights = Vec::new();
    for (scheme, definition) in [(Scheme::Names, 0), (Scheme::Mixed, 0), (Scheme::Mixed, 1)] {
        let options = RewriteOptions { hashed: Some(scheme), definition, ..RewriteOptions::default() };
        let done = hooked_with(&caller(1, "plain"), &options);
        let view = view(&done.bytes);
        let text = flat(&view.code[0].code, &view.pool);
        assert_eq!(text.contains("lushr; lxor"), scheme == Scheme::Mixed, "{text}");
        let weight = text.split("; ladd; lstore 4").next().and_then(|before| before.rsplit("push ").next());
        weights.push(weight.expect("a weight").parse::<i64>().expect("a number") as u64);
    }
    let weight = lucce_words::weights::of_method(b"Made", b"plain", b"()V");
    assert_eq!(weights[..2], [weight; 2]);
    assert_ne!(weights[2], weight);
}
