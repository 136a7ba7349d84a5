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

/// 0 iload_1; 1 ifeq 8; 4 invokestatic; 7 return; 8 return, and a second method; `table` is what stands in its StackMapTable.
fn two(table: Option<Vec<u8>>, second: &[u8]) -> (String, bool) {
    let mut class = Class::new(50);
    let call = class.member(10, "Other", "run", "()V").to_be_bytes();
    let code = [&[27, 153, 0, 7, 184][..], &call, &[177, 177]].concat();
    let attributes = table.map(|table| ("StackMapTable", table)).into_iter().collect();
    class.method(STATIC, "m", "(LA;I)V", Body { max_stack: 1, max_locals: 2, code, attributes, ..Body::default() });
    class.method(STATIC, "n", "()V", Body { max_stack: 1, max_locals: 0, code: second.to_vec(), ..Body::default() });
    let view = view(&hooked(&class.bytes()).bytes);
    let more = |table: &(String, Vec<u8>)| table.0 == "StackMapTable" && table.1[1] > 1;
    let frames = view.code[0].attributes.iter().any(more);
    (flat(&view.code[0].code, &view.pool), frames)
}

#[test]
fn a_class_of_version_50_with_a_jump_and_no_frames_is_one_without_frames() {
    let fence = "push 0; istore 0; ";
    for (table, second, inferred) in [
        (Some(vec![0, 1, 8]), &[177][..], false),
        (None, &[177], true),
        // iconst_0; ifeq 4; return
        (Some(vec![0, 1, 8]), &[3, 153, 0, 3, 177], true),
    ] {
        let (text, frames) = two(table.clone(), second);
        assert_eq!((text.contains(fence), frames), (inferred, !inferred), "{table:?} {second:?}: {text}");
    }
}
