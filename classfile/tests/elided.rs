//! What gets no hooks, or gets them later: JDK leaf calls, leaf methods of the own class, leaf
//! constructors, early returns.

mod common;

use common::listing::flat;
use common::{Body, Class, hooked, hooked_with, view};
use lucce_classfile::{HookOutcome, RewriteOptions, method_id_of};
use lucce_words::MethodId;

const STATIC: u16 = 9;
const VIRTUAL: u16 = 1;

fn call(opcode: u8, member: u16) -> Vec<u8> {
    vec![opcode, (member >> 8) as u8, member as u8]
}

/// A class whose first method, `()V`, calls the given methods one after the other, by
/// `invokestatic`.
fn calling(name: &str, members: &[(&str, &str)]) -> Class {
    let mut class = Class::new(52);
    let mut code = Vec::new();
    for (owner, callee) in members {
        let member = class.member(10, owner, callee, "()V");
        code.extend(call(184, member));
    }
    code.push(177);
    class.method(STATIC, name, "()V", Body { max_locals: 1, code, ..Body::default() });
    class
}

/// Adds a method without instructions of interest.
fn with_leaf(mut class: Class, access: u16, name: &str) -> Class {
    class.method(access, name, "()V", Body { max_locals: 1, code: vec![177], ..Body::default() });
    class
}

#[test]
fn nothing_is_published_before_a_jdk_leaf_call() {
    let done = hooked(&calling("m", &[("JdkLeaf", "abs")]).bytes());
    assert_eq!(done.methods[0].outcome, HookOutcome::NoHooks);
    let done = hooked(&calling("m", &[("JdkLeaf", "abs"), ("Other", "run")]).bytes());
    assert_eq!(done.methods[0].sites.len(), 1);
    assert_eq!(done.sites_of(&done.methods[0])[0].name, b"run");
    let allocations = RewriteOptions { publish_allocations: true, ..RewriteOptions::default() };
    let done = hooked_with(&calling("m", &[("JdkLeaf", "abs")]).bytes(), &allocations);
    assert_eq!(done.methods[0].sites.len(), 1, "an allocation within would be an event of this site");
}

#[test]
fn nothing_is_published_before_a_leaf_method_of_the_own_class() {
    let done = hooked(&with_leaf(calling("m", &[("Made", "leaf")]), STATIC, "leaf").bytes());
    assert_eq!(done.methods[0].outcome, HookOutcome::NoHooks);
    assert_eq!(done.leaf_methods, [(&b"leaf"[..], &b"()V"[..])]);
    let done = hooked(&calling("m", &[("Made", "m")]).bytes());
    assert_eq!(done.methods[0].outcome, HookOutcome::NoHooks, "it calls nothing but itself");
    assert_eq!(done.leaf_methods, [(&b"m"[..], &b"()V"[..])], "and that with nothing published");
    let done = hooked(&with_leaf(Class::new(52), STATIC, "leaf").bytes());
    assert_eq!((done.methods[0].outcome, done.leaf_methods.len()), (HookOutcome::NoHooks, 0), "nobody calls it");
}

#[test]
fn a_method_that_may_be_another_is_no_leaf() {
    // Of an instance, and neither private nor final: a subclass may have another.
    let mut class = Class::new(52);
    let member = class.member(10, "Made", "leaf", "()V");
    let code = [&[42][..], &call(182, member), &[177]].concat();
    class.method(VIRTUAL, "m", "()V", Body { max_stack: 1, max_locals: 1, code, ..Body::default() });
    let done = hooked(&with_leaf(class, VIRTUAL, "leaf").bytes());
    assert_eq!(done.methods[0].sites.len(), 1);
    // Inherited.
    let done = hooked(&calling("m", &[("Made", "missing")]).bytes());
    assert_eq!(done.methods[0].sites.len(), 1);
    // Calls something.
    let mut class = calling("m", &[("Made", "leaf")]);
    let member = class.member(10, "Other", "run", "()V");
    let code = [call(184, member), vec![177]].concat();
    class.method(STATIC, "leaf", "()V", Body { max_locals: 1, code, ..Body::default() });
    let done = hooked(&class.bytes());
    assert_eq!((done.methods[0].sites.len(), done.methods[1].sites.len()), (1, 1));
    assert!(done.leaf_methods.is_empty());
}

/// A class below `above` with a constructor, `()V`, that calls the one of `owner`, and one, `(I)V`,
/// that calls that.
fn constructed(above: &'static str, owner: &str) -> Class {
    let mut class = Class::new(52);
    class.super_name = above;
    for (desc, owner) in [("()V", owner), ("(I)V", "Made")] {
        let member = class.member(10, owner, "<init>", "()V");
        let code = [&[42][..], &call(183, member), &[177]].concat();
        class.method(VIRTUAL, "<init>", desc, Body { max_stack: 1, max_locals: 2, code, ..Body::default() });
    }
    class
}

#[test]
fn a_constructor_above_which_all_are_leaves_has_no_hooks() {
    for above in ["Silent", "JdkLeaf"] {
        let done = hooked(&constructed(above, above).bytes());
        assert_eq!([done.methods[0].outcome, done.methods[1].outcome], [HookOutcome::NoHooks; 2], "below {above}");
        assert!(done.leaf_methods.is_empty(), "nobody enters a constructor with something else published");
        assert_eq!(done.leaf_constructors, [&b"()V"[..], b"(I)V"]);
    }
    let done = hooked(&constructed("Other", "Other").bytes());
    assert_eq!((done.methods[0].sites.len(), done.methods[1].sites.len()), (1, 1));
    assert!(done.leaf_methods.is_empty() && done.leaf_constructors.is_empty());
    let allocations = RewriteOptions { publish_allocations: true, ..RewriteOptions::default() };
    let done = hooked_with(&constructed("Silent", "Silent").bytes(), &allocations);
    assert_eq!((done.methods[0].sites.len(), done.leaf_constructors.len()), (1, 0));
}

/// Is the caller's site cleared right before `super()` in a constructor that calls `Other.run`
/// before or behind it?
fn clears_before_super(above: &'static str, before: bool) -> bool {
    let mut class = Class::new(52);
    class.super_name = above;
    let (init, run) = (class.member(10, above, "<init>", "()V"), class.member(10, "Other", "run", "()V"));
    let (init, run) = ([&[42][..], &call(183, init)].concat(), call(184, run));
    let code = if before { [run, init] } else { [init, run] }.concat();
    let code = [&code[..], &[177]].concat();
    class.method(VIRTUAL, "<init>", "()V", Body { max_stack: 1, max_locals: 1, code, ..Body::default() });
    let view = view(&hooked(&class.bytes()).bytes);
    let text = flat(&view.code[0].code, &view.pool);
    let (first, _) = text.split_once(&format!("invokespecial {above}.<init>()V")).expect("the constructor's own call");
    first.ends_with("aload 0; aload 1; push 0; putfield T.siteI; ")
}

#[test]
fn a_constructor_clears_before_that_of_its_superclass_where_nothing_is_published() {
    assert!(clears_before_super("Silent", false) && clears_before_super("Silent", true));
    assert!(!clears_before_super("JdkLeaf", false), "what its caller has published may stand");
    assert!(clears_before_super("JdkLeaf", true), "what it has published may not, for no handler watches");
}

#[test]
fn what_is_known_of_the_superclass_says_nothing_of_others() {
    // `new Silent()`, where that is no superclass.
    let mut class = Class::new(52);
    let (made, member) = (class.class("Silent"), class.member(10, "Silent", "<init>", "()V"));
    let code = [&[187, (made >> 8) as u8, made as u8][..], &call(183, member), &[177]].concat();
    class.method(STATIC, "m", "()V", Body { max_stack: 1, max_locals: 0, code, ..Body::default() });
    assert_eq!(hooked(&class.bytes()).methods[0].sites.len(), 1);
}

#[test]
fn nobody_is_told_of_constructors_that_no_subclass_can_call() {
    let mut class = constructed("Silent", "Silent");
    let member = class.member(10, "Silent", "<init>", "()V");
    let code = [&[42][..], &call(183, member), &[177]].concat();
    class.method(2, "<init>", "(J)V", Body { max_stack: 1, max_locals: 3, code, ..Body::default() });
    let done = hooked(&class.bytes());
    assert_eq!(done.methods[2].outcome, HookOutcome::NoHooks);
    assert_eq!(done.leaf_constructors, [&b"()V"[..], b"(I)V"]);
}

#[test]
fn a_method_that_was_a_leaf_in_an_earlier_version_enters_untrusted() {
    let view = view(&hooked(&calling("was", &[("Other", "run")]).bytes()).bytes);
    let text = flat(&view.code[0].code, &view.pool);
    assert!(text.contains("invokestatic H.enterUntrusted(TI)J"), "{text}");
}

/// `static void m(int)`: returns at once for 0, else calls. `again` puts the call into a loop.
fn early(again: bool) -> Vec<u8> {
    let mut class = Class::new(49);
    let member = class.member(10, "Other", "run", "()V");
    let last: &[u8] = if again { &[167, 0xFF, 0xF9] } else { &[177] };
    // 0 iload_0; 1 ifeq 10; 4 invokestatic; 7 goto 0 (or return); 10 return
    let padding: &[u8] = if again { &[] } else { &[0, 0] };
    let code = [&[26, 153, 0, 9][..], &call(184, member), last, padding, &[177]].concat();
    class.method(STATIC, "m", "(I)V", Body { max_stack: 1, max_locals: 1, code, ..Body::default() });
    class.bytes()
}

#[test]
fn a_method_is_entered_behind_an_early_return() {
    let done = hooked(&early(false));
    let view = view(&done.bytes);
    let text = flat(&view.code[0].code, &view.pool);
    let (before, behind) = text.split_once("iload 0; ifeq").expect("the method's own branch");
    assert!(before.contains("istore 4; push 1; i2l; lstore 2; "), "{text}");
    assert!(!before.contains("H.enter") && behind.contains("invokestatic H.enter(TI)J"), "{text}");
    assert_eq!(method_id_of(&view.code[0].code), Some(MethodId(1)));
    // Where it may not have been entered, nobody may count on its word.
    let map = &done.methods[0].map;
    let at = |bci: u16| (0..200).find(|&at| map.original(at).0 == bci && !map.is_inserted(at)).expect("an instruction");
    assert!(!map.has_word(at(0)) && map.has_word(at(4)) && !map.has_word(at(9)));
}

#[test]
fn a_loop_is_entered_before_it() {
    let view = view(&hooked(&early(true)).bytes);
    let text = flat(&view.code[0].code, &view.pool);
    let (before, _) = text.split_once("iload 0; ifeq").expect("the method's own branch");
    assert!(before.contains("invokestatic H.enter(TI)J"), "{text}");
}

/// 0 iload_0; 1 ifne 16; 4 return; 5 invokestatic; 8 iinc 0 -1; 11 iload_0; 12 ifne 5; 15 return;
/// 16 goto 5.
#[test]
fn a_shrink_wrapped_entry_behind_the_last_return_is_there() {
    for (major, frames) in [(49, None), (52, Some(vec![0, 2, 5, 10]))] {
        let mut class = Class::new(major);
        let member = class.member(10, "Other", "run", "()V");
        let code =
            [&[26, 154, 0, 15, 177][..], &call(184, member), &[132, 0, 255, 26, 154, 0xFF, 0xF9, 177, 167, 0xFF, 0xF5]];
        let mut attributes = Vec::new();
        if let Some(frames) = frames {
            attributes.push(("StackMapTable", frames));
        }
        let body = Body { max_stack: 1, max_locals: 1, code: code.concat(), attributes, ..Body::default() };
        class.method(STATIC, "m", "(I)V", body);
        let done = hooked(&class.bytes());
        let view = view(&done.bytes);
        let text = flat(&view.code[0].code, &view.pool);
        let (_, behind) = text.split_once("invokestatic Other.run()V; iinc").expect("the method's own call");
        assert!(behind.contains("invokestatic H.enter(TI)J"), "{text}");
        assert_eq!(text.matches("H.enter").count(), 1, "{text}");
        if major == 52 {
            let frames = view.code[0].attribute("StackMapTable");
            // Two of the method's own, the entry's, exit twice, handler twice.
            assert_eq!(u16::from_be_bytes([frames[0], frames[1]]), 7);
        }
    }
}

/// Calls of all of very many methods of the own class, each of which leads nowhere.
#[test]
fn in_a_large_class_every_leaf_method_is_found() {
    let many = 5000;
    let names: Vec<&'static str> = (0..many).map(|number| &*format!("leaf{number}").leak()).collect();
    let mut class = calling("m", &names.iter().map(|name| ("Made", *name)).collect::<Vec<_>>());
    for name in &names {
        class = with_leaf(class, STATIC, name);
    }
    let done = hooked(&class.bytes());
    assert!(done.methods.iter().all(|method| method.outcome == HookOutcome::NoHooks));
    assert_eq!(done.leaf_methods.len(), many);
}
