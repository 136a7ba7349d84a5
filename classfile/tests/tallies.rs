//! What is counted: allocations behind their instruction, invocations behind the prologue.
//!
//! Invariant: as docs/design/tallies.md has it; without the option not one byte is other than
//! before.

mod common;

use common::listing::flat;
use common::{Body, Class, hooked, hooked_with, view};
use lucce_classfile::{HookOutcome, RewriteOptions, SiteKind};
use lucce_words::Bci;

const STATIC: u16 = 9;

fn counting() -> RewriteOptions {
    RewriteOptions { count_allocations: true, ..RewriteOptions::default() }
}

/// `static void m()` with this code, counted.
fn counted(mut class: Class, code: &[u8]) -> (String, u16) {
    class.method(STATIC, "m", "()V", Body { max_stack: 3, code: code.to_vec(), ..Body::default() });
    let view = view(&hooked_with(&class.bytes(), &counting()).bytes);
    (flat(&view.code[0].code, &view.pool), view.code[0].max_stack)
}

fn u2(index: u16) -> [u8; 2] {
    index.to_be_bytes()
}

const LOADS: &str = "aload 0; lload 1; push 2";
const ARRAY: &str = "(Ljava/lang/Object;TJI)V";

#[test]
fn a_new_object_is_counted_behind_the_instruction_with_its_class() {
    let mut class = Class::new(52);
    let [high, low] = u2(class.class("Inert"));
    let (text, max_stack) = counted(class, &[187, high, low, 87, 177]);
    let expected = format!("new Inert; push Inert; {LOADS}; invokestatic C.allocated(Ljava/lang/Class;TJI)V; pop; ");
    assert!(text.contains(&expected), "{text}");
    assert!((6..=7).contains(&max_stack), "{max_stack}");
}

#[test]
fn the_site_is_still_cleared_before_a_class_that_may_be_initialised() {
    let mut class = Class::new(52);
    let [high, low] = u2(class.class("Other"));
    let (text, _) = counted(class, &[187, high, low, 87, 177]);
    assert!(text.contains("aload 0; push 0; putfield T.siteI; new Other; push Other; "), "{text}");
}

#[test]
fn class_files_without_class_constants_pass_none() {
    let mut class = Class::new(48);
    let [high, low] = u2(class.class("Inert"));
    let (text, _) = counted(class, &[187, high, low, 87, 177]);
    assert!(text.contains(&format!("new Inert; aconst_null; {LOADS}; invokestatic C.allocated")), "{text}");
}

#[test]
fn arrays_are_passed_themselves() {
    let mut class = Class::new(52);
    let [high, low] = u2(class.class("[[I"));
    let code = [6, 188, 10, 87, 6, 189, high, low, 87, 6, 6, 197, high, low, 2, 87, 177];
    let (text, _) = counted(class, &code);
    for (number, made) in [(2, "newarray 10; dup"), (3, "anewarray [[I; dup"), (4, "multianewarray [[I 2; dup")] {
        let hook = if number == 4 { "arrays" } else { "array" };
        let expected = format!("{made}; aload 0; lload 1; push {number}; invokestatic C.{hook}{ARRAY}; pop; ");
        assert!(text.contains(&expected), "{text}");
    }
}

#[test]
fn clones_are_counted_where_the_call_may_be_that_of_object() {
    let call = |opcode: u8, owner: &str, desc: &str| {
        let mut class = Class::new(52);
        let [high, low] = u2(class.member(10, owner, "clone", desc));
        counted(class, &[1, opcode, high, low, 87, 177]).0
    };
    let object = "()Ljava/lang/Object;";
    let cloned = format!("{LOADS}; invokestatic C.cloned{ARRAY}");
    assert!(call(182, "[I", object).contains(&format!("invokevirtual [I.clone{object}; dup; {cloned}; pop; ")));
    assert!(call(183, "Super", object).contains(&format!("invokespecial Super.clone{object}; dup; {cloned}; pop; ")));
    // A receiver that has a method of its own says so: it is kept for the hook.
    let text = call(182, "Other", object);
    assert!(text.contains(&format!("dup; invokevirtual Other.clone{object}; swap; {cloned}; pop; ")), "{text}");
    assert!(!call(182, "Other", "()LOther;").contains("C.cloned"));
}

#[test]
fn an_invocation_is_counted_behind_the_entry_and_within_the_handler() {
    let mut class = Class::new(52);
    class.method(STATIC, "counted", "()V", Body { code: vec![177], ..Body::default() });
    let done = hooked(&class.bytes());
    let view = view(&done.bytes);
    let text = flat(&view.code[0].code, &view.pool);
    let expected = format!("lushr; lstore 1; {LOADS}; invokestatic C.entered(TJI)V; goto 38; iload 3; ");
    assert!(text.contains(&expected), "{text}");
    let sites: Vec<_> = done.sites_of(&done.methods[0]).iter().map(|site| (site.kind, site.bci)).collect();
    assert_eq!(sites, [(SiteKind::Entry, Bci(0))]);
    let enter = view.code[0].handlers[0][0];
    assert_eq!(view.code[0].code[usize::from(enter)], 42, "the handler watches from `aload 0` on");
    assert!(usize::from(enter) + 10 < view.code[0].code.len());
}

#[test]
fn the_entry_shares_the_site_of_the_first_instruction() {
    let mut class = Class::new(52);
    let [high, low] = u2(class.member(10, "Other", "run", "()V"));
    class.method(STATIC, "counted", "()V", Body { code: vec![184, high, low, 177], ..Body::default() });
    let done = hooked(&class.bytes());
    let sites: Vec<_> = done.sites_of(&done.methods[0]).iter().map(|site| (site.kind, site.bci)).collect();
    assert_eq!(sites, [(SiteKind::Static, Bci(0))]);
}

#[test]
fn a_counted_method_and_one_that_allocates_are_no_leaves() {
    let calling = |callee: &'static str, code: Vec<u8>| {
        let mut class = Class::new(52);
        let [high, low] = u2(class.member(10, "Made", callee, "()V"));
        class.method(STATIC, "m", "()V", Body { code: vec![184, high, low, 177], ..Body::default() });
        class.method(STATIC, callee, "()V", Body { max_stack: 1, code, ..Body::default() });
        class.bytes()
    };
    let done = hooked(&calling("counted", vec![177]));
    assert!(done.methods.iter().all(|method| matches!(method.outcome, HookOutcome::Hooked(_))));
    let allocates = calling("leaf", vec![4, 188, 10, 87, 177]);
    assert_eq!(hooked(&allocates).leaf_methods.len(), 1);
    let done = hooked_with(&allocates, &counting());
    assert!(
        done.leaf_methods.is_empty()
            && done.methods.iter().all(|method| matches!(method.outcome, HookOutcome::Hooked(_)))
    );
}

#[test]
fn a_frame_between_new_and_its_constructor_still_names_the_new() {
    let mut class = Class::new(52);
    let other = class.class("Inert");
    let [high, low] = u2(other);
    let [init_high, init_low] = u2(class.member(10, "Inert", "<init>", "()V"));
    // new Inert; iconst_1; ifeq 7; L: invokespecial <init>; return. The frame has the uninitialised
    // object of index 0 on the stack.
    let code = vec![187, high, low, 4, 153, 0, 3, 183, init_high, init_low, 177];
    let frames = vec![0, 1, 64 + 7, 8, 0, 0];
    let attributes = vec![("StackMapTable", frames)];
    class.method(STATIC, "m", "()V", Body { max_stack: 2, code, attributes, ..Body::default() });
    let view = view(&hooked_with(&class.bytes(), &counting()).bytes);
    let new = view.code[0].code.windows(3).position(|three| three == [187, high, low]).expect("it is still there");
    let [new_high, new_low] = u2(new as u16);
    let table = view.code[0].attribute("StackMapTable");
    // The locals of the frame before, and one value on the stack.
    assert!(table.windows(4).any(|four| four == [64 + 14, 8, new_high, new_low]), "{new}: {table:?}");
}

#[test]
fn every_method_is_entered_at_its_start_where_each_entry_is_to_be_seen() {
    let mut class = Class::new(52);
    for name in ["leaf", "counted"] {
        class.method(STATIC, name, "()V", Body { code: vec![177], ..Body::default() });
    }
    let bytes = class.bytes();
    let texts = |every_entry| {
        let done = hooked_with(&bytes, &RewriteOptions { every_entry, ..RewriteOptions::default() });
        let view = view(&done.bytes);
        [0, 1].map(|at| flat(&view.code[at].code, &view.pool))
    };
    let has = |text: &String| ["H.enter(TI)J", "C.entered"].map(|call| text.contains(call));
    assert_eq!(texts(false).each_ref().map(has), [[false, false], [true, true]]);
    assert_eq!(texts(true).each_ref().map(has), [[true, false], [true, true]]);
}
