//! Methods that may be inactive: how they are entered, what they publish, and where they look
//! again.

mod common;

use common::listing::flat;
use common::{Body, Class, hooked, view};
use lucce_classfile::method_id_of;
use lucce_words::MethodId;

const STATIC: u16 = 9;

/// A class with one static method of this name and descriptor that calls `Other.run()` between
/// these instructions.
fn around_a_call(major: u16, (name, desc): (&str, &str), max_locals: u16, before: &[u8], behind: &[u8]) -> Class {
    let mut class = Class::new(major);
    let member = class.member(10, "Other", "run", "()V");
    let [high, low] = member.to_be_bytes();
    let code = [before, &[184, high, low], behind].concat();
    class.method(STATIC, name, desc, Body { max_stack: 1, max_locals, code, ..Body::default() });
    class
}

/// `static void <name>(int)`, calling another class in a loop: 0 iload_0; 1 ifeq 10; 4
/// invokestatic; 7 goto 0; 10 return.
fn looping(name: &str) -> Class {
    around_a_call(49, (name, "(I)V"), 1, &[26, 153, 0, 9], &[167, 0xFF, 0xF9, 177])
}

#[test]
fn a_method_that_may_sleep_looks_at_its_entry_and_at_each_round() {
    let done = hooked(&looping("lazy").bytes());
    let view = view(&done.bytes);
    let text = flat(&view.code[0].code, &view.pool);
    let (before, body) = text.split_once("A.enter(TI)J").expect("an entry that looks");
    assert!(!before.contains("A."), "{text}");
    // The round's part stands before the jump back; the test is what the loop begins with.
    let (body, round) = body.split_once("lload 2; lconst_0; lcmp; ifne").expect("a look at the word");
    assert!(body.contains("iload 0; ifeq") && body.contains("putfield T.siteI; invokestatic Other.run()V"), "{text}");
    let (_, behind) = round.split_once("A.pollBackEdge(TI)J").expect("a round that looks");
    assert!(behind.contains("goto"), "{text}");
    assert_eq!(method_id_of(&view.code[0].code), Some(MethodId(1)));
    // No activation of it is sure to have a word, but it knows where it has begun.
    let method = &done.methods[0];
    assert!(method.is_lazy && (0..200).all(|at| !method.map.has_word(at)));
    assert!(!method.map.past_entry(0) && (0..200).any(|at| method.map.past_entry(at)));
}

#[test]
fn a_method_that_reads_its_word_never_sleeps() {
    let mut class = looping("lazy");
    let member = class.member(10, "org/lucce/Lucce", "context", "()J");
    let [high, low] = member.to_be_bytes();
    let code = vec![184, high, low, 88, 177];
    class.method(STATIC, "lazy", "()V", Body { max_stack: 2, max_locals: 0, code, ..Body::default() });
    let done = hooked(&class.bytes());
    let view = view(&done.bytes);
    assert!(done.methods[0].is_lazy && !done.methods[1].is_lazy);
    assert!(flat(&view.code[1].code, &view.pool).contains("H.enter(TI)J"));
}

/// `do Other.run(); while (i != 0);`: 0 invokestatic; 3 iload_0; 4 ifne 0; 7 return.
#[test]
fn a_loop_that_tests_at_its_bottom_looks_at_its_top() {
    let class = around_a_call(49, ("lazy", "(I)V"), 1, &[], &[26, 154, 0xFF, 0xFC, 177]);
    let done = hooked(&class.bytes());
    let view = view(&done.bytes);
    let text = flat(&view.code[0].code, &view.pool);
    let (round, body) = text.split_once("A.pollBackEdge(TI)J").expect("a round that looks");
    assert!(round.contains("lload 2; lconst_0; lcmp; ifne") && body.contains("invokestatic Other.run()V"), "{text}");
}

/// Where a jump leads back to a late entry, no loop begins: 0 iload_0; 1 ifeq 8; 4 invokestatic; 7
/// return; 8 iload_1; 9 ifne 4; 12 return.
#[test]
fn a_late_entry_that_is_jumped_back_to_is_no_round() {
    let behind = [177, 27, 154, 0xFF, 0xFB, 177];
    let class = around_a_call(49, ("lazy", "(II)V"), 2, &[26, 153, 0, 7], &behind);
    let done = hooked(&class.bytes());
    let view = view(&done.bytes);
    let text = flat(&view.code[0].code, &view.pool);
    let (before, behind) = text.split_once("A.enter(TI)J").expect("a late entry");
    assert!(before.contains("ifeq") && behind.contains("invokestatic Other.run()V"), "{text}");
    assert!(!text.contains("A.pollBackEdge"), "{text}");
}

/// `for (i = 0; i != 0; i++) for (j = 0; j != 0; <counted>++) Other.run();`: 2 iload_1; 3 ifeq 27;
/// 8 iload_2; 9 ifeq 21; 12 invokestatic; 15 iinc; 18 goto 8; 21 iinc 1; 24 goto 2; 27 return.
fn rounds_of_nested_loops(counted: u8) -> usize {
    let head = [3, 60, 27, 153, 0, 24, 3, 61, 28, 153, 0, 12];
    let behind = [132, counted, 1, 167, 0xFF, 0xF6, 132, 1, 1, 167, 0xFF, 0xEA, 177];
    let class = around_a_call(49, ("lazy", "()V"), 3, &head, &behind);
    let done = hooked(&class.bytes());
    let view = view(&done.bytes);
    flat(&view.code[0].code, &view.pool).matches("A.pollBackEdge").count()
}

#[test]
fn a_loop_that_counts_within_another_leaves_it_to_that_to_look() {
    assert_eq!(rounds_of_nested_loops(2), 1);
    // What is counted here ends nothing.
    assert_eq!(rounds_of_nested_loops(1), 2);
}

/// `static int <name>(int i) { Other.run(); return i; }`: 5 bytes.
fn calling(name: &str) -> Class {
    around_a_call(52, (name, "(I)I"), 1, &[], &[26, 172])
}

/// But for the hook that enters it, and its rounds, it has the code of any other: what is published
/// by one that is inactive has no version.
#[test]
fn one_that_may_sleep_differs_by_the_hook_that_enters_it() {
    let text = |name: &str| {
        let done = hooked(&calling(name).bytes());
        let view = view(&done.bytes);
        assert_eq!(method_id_of(&view.code[0].code), Some(MethodId(1)));
        flat(&view.code[0].code, &view.pool)
    };
    let (lazy, other) = (text("lazy"), text("other"));
    assert!(lazy.contains("invokestatic A.enter(TI)J"), "{lazy}");
    assert_eq!(lazy.replace("A.enter", "H.enter"), other);
}

#[test]
fn a_round_pushes_what_its_walk_found_as_an_entry_does() {
    let done = hooked(&looping("lazy").bytes());
    let view = view(&done.bytes);
    let text = flat(&view.code[0].code, &view.pool);
    let (_, behind) = text.split_once("invokestatic A.pollBackEdge(TI)J; ").expect("a round that looks");
    let pushes =
        behind.starts_with("dup2; lstore 2; lconst_0; lcmp; ifge") && behind.contains("getfield T.slotI; istore 4");
    assert!(pushes, "{text}");
}

/// What stands there may be RESUME, of a callee, and would tell of the activation that has
/// returned.
#[test]
fn one_that_returns_to_whom_it_may_leaves_no_word_and_a_site_of_its_own() {
    let mut class = Class::new(52);
    let member = class.member(10, "Other", "run", "()V");
    let [high, low] = member.to_be_bytes();
    let code = vec![184, high, low, 184, high, low, 177];
    class.method(1, "lazy", "()V", Body { max_stack: 0, max_locals: 1, code, ..Body::default() });
    let done = hooked(&class.bytes());
    let view = view(&done.bytes);
    let text = flat(&view.code[0].code, &view.pool);
    let site = done.sites_of(&done.methods[0])[0].id.0;
    let left = format!("aload 1; lconst_0; putfield T.ctxJ; aload 1; push {site}; putfield T.siteI; return");
    assert!(site > 0 && text.contains(&left), "{text}");
}
