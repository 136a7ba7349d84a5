//! Class files for which the JVM infers the types: nothing of the hooks may make it compare those of the program.

mod common;

use common::listing::flat;
use common::{Body, Class, hooked, view};

const STATIC: u16 = 9;
const FENCE: &str = "push 0; istore 0; push 0; istore 1; ";

fn text(class: Class) -> String {
    let view = view(&hooked(&class.bytes()).bytes);
    flat(&view.code[0].code, &view.pool)
}

/// aload_0; invokespecial; aconst_null; astore_1 (or nop); invokestatic; return.
fn constructor(stored: u8) -> String {
    let mut class = Class::new(49);
    let init = class.member(10, "java/lang/Object", "<init>", "()V").to_be_bytes();
    let call = class.member(10, "Other", "run", "()V").to_be_bytes();
    let code = [&[42, 183][..], &init, &[1, stored, 184], &call, &[177]].concat();
    class.method(1, "<init>", "(LA;)V", Body { max_stack: 1, max_locals: 2, code, ..Body::default() });
    text(class)
}

#[test]
fn a_constructor_has_a_fence_before_both_handlers() {
    let text = constructor(76);
    let (before, own) = text.split_once("aload 0; aload 2; ").expect("the method's own code");
    let (_, fence) = before.split_once(FENCE).unwrap_or_else(|| panic!("no fence: {text}"));
    assert!(fence.starts_with("push 0; ifeq "), "{text}");
    assert_eq!(fence.matches("aconst_null; goto_w").count(), 2, "{text}");
    assert_eq!(own.matches("athrow").count(), 2, "{text}");
    // Where no reference is stored there is nothing to compare.
    assert!(!constructor(87).contains(FENCE));
}
