//! Class files for which the JVM infers the types: nothing of the hooks may make it compare those
//! of the program.

mod common;

use common::listing::flat;
use common::{Body, Class, hooked, view, wrong};
use lucce_classfile::{guard, identity};

const STATIC: u16 = 9;
const BARRIER: &str = "push 0; istore 0; push 0; istore 1; ";

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
    let (_, barrier) = before.split_once(BARRIER).unwrap_or_else(|| panic!("no barrier: {text}"));
    assert!(barrier.starts_with("push 0; ifeq "), "{text}");
    assert_eq!(barrier.matches("aconst_null; goto_w").count(), 2, "{text}");
    assert_eq!(own.matches("athrow").count(), 2, "{text}");
    // Where no reference is stored there is nothing to compare.
    assert!(!constructor(87).contains(BARRIER));
}

/// 0 iload_1; 1 ifeq 8; 4 invokestatic; 7 return; 8 return, and a second method; `table` is what
/// stands in its StackMapTable.
fn two(table: Option<Vec<u8>>, second: &[u8]) -> (String, bool) {
    let mut class = Class::new(50);
    let call = class.member(10, "Other", "run", "()V").to_be_bytes();
    let code = [&[27, 153, 0, 7, 184][..], &call, &[177, 177]].concat();
    let attributes = table.map(|table| ("StackMapTable", table)).into_iter().collect();
    class.method(STATIC, "m", "(LA;I)V", Body { max_stack: 1, max_locals: 2, code, attributes, ..Body::default() });
    class.method(STATIC, "n", "()V", Body { max_stack: 1, max_locals: 0, code: second.to_vec(), ..Body::default() });
    // As the JVM gets it: what it refuses is left as it came.
    let came = class.bytes();
    let got = if wrong(&came).is_some() { came } else { hooked(&came).bytes };
    let view = view(&got);
    let frames = view.code[0].attributes.iter().any(|table| table.0 == "StackMapTable");
    (flat(&view.code[0].code, &view.pool), frames)
}

#[test]
fn a_class_of_version_50_with_a_jump_and_no_frames_is_one_without_frames() {
    let barrier = "push 0; istore 0; ";
    for (table, second, inferred) in [
        (Some(vec![0, 1, 8]), &[177][..], false),
        (None, &[177], true),
        // iconst_0; ifeq 4; return
        (Some(vec![0, 1, 8]), &[3, 153, 0, 3, 177], true),
    ] {
        let (text, frames) = two(table.clone(), second);
        assert_eq!((text.contains(barrier), frames), (inferred, !inferred), "{table:?} {second:?}: {text}");
    }
}

/// A loader's method with the Guard. Its own code: aload_1; ifnull; aconst_null; checkcast;
/// `astore`; aconst_null; areturn, and from aconst_null on once more with another class; or, if not
/// `twice`, that alone. Gives where its handler's range ends and leads to, too.
fn guarded(major: u16, astore: u8, twice: bool) -> (String, [u16; 2]) {
    let mut class = Class::new(major);
    let mut part = |name| {
        let [high, low] = class.class(name).to_be_bytes();
        [1, 192, high, low, astore, 1, 176]
    };
    let (first, second) = (part("old/Absent"), part("old/Missing"));
    let code = if twice { [&[43, 198, 0, 10][..], &first, &second].concat() } else { second.to_vec() };
    let name = ("loadClass", "(Ljava/lang/String;)Ljava/lang/Class;");
    class.method(1, name.0, name.1, Body { max_stack: 1, max_locals: 3, code, ..Body::default() });
    let guarded = guard(&class.bytes(), &[(name.0.as_bytes(), name.1.as_bytes())]).expect("it is well formed");
    let view = view(&guarded.expect("it is declared").bytes);
    let [_, exit, handler, _] = view.code[0].handlers[0];
    (flat(&view.code[0].code, &view.pool), [exit, handler])
}

#[test]
fn a_guard_has_a_fence_before_exit_and_handler() {
    for (major, astore, twice, needs_barrier) in [
        (49, 77, true, true),
        // A jump, and no frames.
        (50, 77, true, true),
        (52, 77, true, false),
        // One return, and an argument that becomes something else, or does not.
        (49, 76, false, true),
        (49, 77, false, false),
    ] {
        let (text, [exit, handler]) = guarded(major, astore, twice);
        assert_eq!(text.contains(BARRIER), needs_barrier, "{major} {astore} {twice}: {text}");
        let to_exit = format!("push 0; ifeq 63; aconst_null; checkcast java/lang/Class; goto_w {exit}; ");
        let to_handler = format!("aconst_null; goto_w {handler}; a");
        let whole = format!("putfield T.ctxJ; push 0; ifeq 69; {BARRIER}{to_exit}{to_handler}");
        assert_eq!(text.contains(&whole), needs_barrier, "{text}");
    }
}

/// As a tool leaves them that moves code and knows nothing of frames.
#[test]
fn a_class_of_version_50_whose_frames_fit_nothing_is_one_without_frames() {
    let barrier = "push 0; istore 0; ";
    let fits = Some(vec![0, 1, 8]);
    for (table, second, inferred) in [
        // More frames than are needed fit.
        (Some(vec![0, 2, 7, 0]), &[177][..], false),
        (Some(vec![0, 2, 0, 7]), &[177], false),
        // At 7, and 8 has none; within the call; behind the end.
        (Some(vec![0, 1, 7]), &[177], true),
        (Some(vec![0, 2, 5, 2]), &[177], true),
        (Some(vec![0, 1, 5]), &[177], true),
        (Some(vec![0, 2, 8, 0]), &[177], true),
        // No frame at all, in a table and in one of no length.
        (Some(vec![0, 0]), &[177], true),
        (Some(vec![]), &[177], true),
        // The JVM refuses it: a kind of frame that there is not; too short, and too long.
        (Some(vec![0, 2, 8, 200]), &[177], false),
        (Some(vec![0, 2, 8]), &[177], false),
        (Some(vec![0, 1, 7, 0]), &[177], false),
        // return; return. return; nop. goto 0. tableswitch. jsr 4; return; pop; return. wide ret.
        (fits.clone(), &[177, 177], true),
        (fits.clone(), &[177, 0], true),
        (fits.clone(), &[167, 0, 0], true),
        (fits.clone(), &[3, 170, 0, 0, 0, 0, 0, 19, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 19, 177], true),
        (fits.clone(), &[168, 0, 4, 177, 87, 177], true),
        (fits.clone(), &[196, 169, 0, 0], true),
    ] {
        let (text, frames) = two(table.clone(), second);
        assert_eq!((text.contains(barrier), frames), (inferred, !inferred), "{table:?} {second:?}: {text}");
    }
}

/// 0 invokestatic; 3 return; 4 athrow, which watches the call and has a frame or, as `table` says,
/// another instruction has one.
#[test]
fn a_handler_without_a_frame_does_not_fit_either() {
    // full frame: 255, offset, locals (none), stack (java/lang/Throwable).
    for (at, inferred) in [(4, false), (3, true)] {
        let mut class = Class::new(50);
        let call = class.member(10, "Other", "run", "()V").to_be_bytes();
        let [high, low] = class.class("java/lang/Throwable").to_be_bytes();
        let code = [&[184][..], &call, &[177, 191]].concat();
        let attributes = vec![("StackMapTable", vec![0, 1, 255, 0, at, 0, 0, 0, 1, 7, high, low])];
        let handlers = vec![[0, 3, 4, 0]];
        class.method(STATIC, "m", "()V", Body { max_stack: 1, max_locals: 0, code, handlers, attributes });
        let view = view(&hooked(&class.bytes()).bytes);
        let frames = view.code[0].attributes.iter().any(|table| table.0 == "StackMapTable");
        assert_eq!(frames, !inferred, "{at}");
    }
}

#[test]
fn frames_that_fit_nothing_keep_no_guard_away_and_stay_where_nothing_changes() {
    for (at, guarded) in [(8, true), (7, true), (5, true)] {
        let mut class = Class::new(50);
        let call = class.member(10, "Other", "run", "()V").to_be_bytes();
        let code = [&[27, 153, 0, 7, 184][..], &call, &[177, 177]].concat();
        let attributes = vec![("StackMapTable", vec![0, 1, at])];
        class.method(STATIC, "m", "(LA;I)V", Body { max_stack: 1, max_locals: 2, code, attributes, ..Body::default() });
        let bytes = class.bytes();
        let done = guard(&bytes, &[(b"m", b"(LA;I)V")]);
        assert_eq!(done.is_ok_and(|done| done.is_some()), guarded, "{at}");
        assert_eq!(identity(&bytes), Ok(bytes), "{at}");
    }
}

/// Two tables: the JVM refuses the class, and would not if they were left out.
#[test]
fn a_second_table_stays_an_error() {
    let mut class = Class::new(50);
    let call = class.member(10, "Other", "run", "()V").to_be_bytes();
    let code = [&[27, 153, 0, 7, 184][..], &call, &[177, 177]].concat();
    let attributes = vec![("StackMapTable", vec![0, 1, 8]), ("StackMapTable", vec![0, 1, 8])];
    class.method(STATIC, "m", "(LA;I)V", Body { max_stack: 1, max_locals: 2, code, attributes, ..Body::default() });
    class.method(STATIC, "n", "()V", Body { max_stack: 1, code: vec![3, 153, 0, 3, 177], ..Body::default() });
    assert_eq!(wrong(&class.bytes()), Some("second StackMapTable"));
}
