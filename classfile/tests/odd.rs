//! Methods that no compiler writes, and the JVM takes: they come out whole, or are left with a
//! named reason.

mod common;
#[path = "odd/variables.rs"]
mod variables;

use common::listing::flat;
use common::{Body, Class, Rules, hooked, view, wrong};
use lucce_classfile::{HookOutcome, RewriteOptions, SequentialIds, SkipReason, guard, instrument};
use variables::table_of;

const STATIC: u16 = 9;

/// 0 aload_0; 1 getfield; 4 astore_2; 5 iload_1; 6 ifeq 13; 9 invokestatic; 12 return; 13 return.
#[test]
fn a_field_whose_descriptor_is_none_is_an_error_by_name() {
    for desc in ["L", "La", "", "[", "Q", "II"] {
        let mut class = Class::new(52);
        let [a, b] = class.member(9, "Made", "f", desc).to_be_bytes();
        let [c, d] = class.member(10, "Other", "run", "()V").to_be_bytes();
        let code = vec![42, 180, a, b, 77, 27, 153, 0, 7, 184, c, d, 177, 177];
        let attributes = vec![("StackMapTable", vec![0, 1, 13])];
        let body = Body { max_stack: 1, max_locals: 3, code, attributes, ..Body::default() };
        class.method(STATIC, "m", "(LMade;I)V", body);
        assert_eq!(wrong(&class.bytes()), Some("field"), "{desc}");
    }
}

/// What the JVM refuses does not become right by the hooks' own locals.
#[test]
fn arguments_beyond_the_locals_stay_an_error() {
    for (access, desc, locals) in [(STATIC, "(I)V", 0), (STATIC, "(IJ)V", 2), (1, "()V", 0), (1, "(D)V", 2)] {
        for (more, left) in [(0, Some("max_locals")), (1, None)] {
            let mut class = Class::new(49);
            let [high, low] = class.member(10, "Other", "run", "()V").to_be_bytes();
            let code = vec![184, high, low, 177];
            class.method(access, "m", desc, Body { max_stack: 0, max_locals: locals + more, code, ..Body::default() });
            assert_eq!(wrong(&class.bytes()), left, "{desc} in {locals} and {more}");
        }
    }
}

/// A long at the last index of the pool, so that its second half lies behind the end.
#[test]
fn half_a_long_at_the_end_of_the_pool_stays_an_error() {
    let mut class = Class::new(49);
    let [high, low] = class.member(10, "Other", "run", "()V").to_be_bytes();
    let code = vec![184, high, low, 177];
    class.method(STATIC, "m", "()V", Body { code, ..Body::default() });
    let whole = class.bytes();
    let pool = 10 + view(&whole).pool_bytes.len();
    let count = u16::from_be_bytes([whole[8], whole[9]]);
    for (more, right) in [(1, false), (2, true)] {
        let count = (count + more).to_be_bytes();
        let bytes = [&whole[..8], &count, &whole[10..pool], &[5, 0, 0, 0, 0, 0, 0, 0, 1], &whole[pool..]].concat();
        let done = instrument(&bytes, &mut SequentialIds::default(), &Rules, &RewriteOptions::default());
        let reason = SkipReason::Malformed { what: "constant-pool count", offset: pool as u32 + 9 };
        assert_eq!(done.map(|_| ()), if right { Ok(()) } else { Err(reason) });
    }
}

/// 0 goto 4; 3 athrow; 4 invokestatic; 7 return, which alone is watched, and leads to 3.
#[test]
fn a_handler_that_watches_the_last_return_alone_keeps_its_range() {
    let mut class = Class::new(49);
    let [high, low] = class.member(10, "Other", "run", "()V").to_be_bytes();
    let code = vec![167, 0, 4, 191, 184, high, low, 177];
    let handlers = vec![[7, 8, 3, 0]];
    class.method(STATIC, "m", "()V", Body { max_stack: 1, max_locals: 0, code, handlers, ..Body::default() });
    let done = hooked(&class.bytes());
    assert!(matches!(done.methods[0].outcome, HookOutcome::Hooked(_)));
    let handlers = &view(&done.bytes).code[0].handlers;
    assert!(handlers.iter().all(|[start, end, ..]| start < end), "{handlers:?}");
}

/// An object that a frame names as uninitialised in a local, behind its constructor: no frame says
/// what it is then.
#[test]
fn behind_a_constructor_the_frame_before_it_does_not_tell_a_local() {
    let mut class = Class::new(52);
    // Making one needs no hook.
    let object = class.class("Inert").to_be_bytes();
    let init = class.member(10, "JdkLeaf", "<init>", "()V").to_be_bytes();
    let other = class.member(10, "Other", "run", "()V").to_be_bytes();
    let code = [
        &[187, object[0], object[1], 89, 76, 26, 153, 0, 4, 0][..], // new; dup; astore_1; iload_0; ifeq 10; nop
        &[183, init[0], init[1], 26, 153, 0, 7],                    // 10 invokespecial <init>; iload_0; ifeq 21
        &[184, other[0], other[1], 177, 177],                       // 17 invokestatic; return; 21 return
    ]
    .concat();
    // 10: full frame, [int, uninitialised 0], [uninitialised 0]; 21: full frame, [int, Object], [].
    let mut frames = vec![0, 2, 255, 0, 10, 0, 2, 1, 8, 0, 0, 0, 1, 8, 0, 0];
    frames.extend([255, 0, 10, 0, 2, 1, 7, object[0], object[1], 0, 0]);
    let attributes = vec![("StackMapTable", frames)];
    class.method(STATIC, "m", "(I)V", Body { max_stack: 2, max_locals: 2, code, attributes, ..Body::default() });
    let done = hooked(&class.bytes());
    assert!(matches!(done.methods[0].outcome, HookOutcome::Hooked(_)));
    let view = view(&done.bytes);
    let text = flat(&view.code[0].code, &view.pool);
    let entry = text.find("H.enter(TI)J").expect("an entry");
    assert!(entry < text.find("new").expect("the method's own code"), "entered late: {text}");
}

/// A `jsr` that never comes back: 0 goto 8; 3 pop; 4 invokestatic; 7 return; 8 jsr 3; 11 iconst_0;
/// 12 ireturn.
#[test]
fn a_return_of_another_type_behind_a_subroutine_is_no_exit() {
    let mut class = Class::new(49);
    let [high, low] = class.member(10, "Other", "run", "()V").to_be_bytes();
    let code = vec![167, 0, 8, 87, 184, high, low, 177, 168, 0xFF, 0xFB, 3, 172];
    class.method(STATIC, "m", "()V", Body { max_stack: 1, max_locals: 0, code, ..Body::default() });
    let done = hooked(&class.bytes());
    assert!(matches!(done.methods[0].outcome, HookOutcome::Hooked(_)));
    let code = &view(&done.bytes).code[0].code;
    assert!(code.windows(2).any(|two| two == [3, 172]), "the dead return is gone: {code:?}");
}

/// A subroutine that takes more than it found: 0 iconst_0; 1 jsr 8; 4 invokestatic; 7 return; 8
/// astore_0; 9 pop (or nop); 10 ret 0.
#[test]
fn a_subroutine_that_changes_the_depth_is_left_alone() {
    for (taken, left) in [(87, true), (0, false)] {
        let mut class = Class::new(49);
        let [high, low] = class.member(10, "Other", "run", "()V").to_be_bytes();
        let code = vec![3, 168, 0, 7, 184, high, low, 177, 75, taken, 169, 0];
        class.method(STATIC, "m", "()V", Body { max_stack: 2, max_locals: 1, code, ..Body::default() });
        let outcome = &hooked(&class.bytes()).methods[0].outcome;
        assert_eq!(matches!(outcome, HookOutcome::Skipped(SkipReason::NotFollowed { .. })), left, "{outcome:?}");
    }
}

/// A subroutine at the end, with a far local: 0 jsr 7; 3 invokestatic; 6 return; 7 wide astore 256;
/// 11 wide ret 256.
#[test]
fn a_method_that_ends_in_a_wide_ret_is_hooked() {
    let mut class = Class::new(49);
    let [high, low] = class.member(10, "Other", "run", "()V").to_be_bytes();
    let code = vec![168, 0, 7, 184, high, low, 177, 196, 58, 1, 0, 196, 169, 1, 0];
    class.method(STATIC, "m", "()V", Body { max_stack: 1, max_locals: 257, code, ..Body::default() });
    let outcome = &hooked(&class.bytes()).methods[0].outcome;
    assert!(matches!(outcome, HookOutcome::Hooked(_)), "{outcome:?}");
}

/// 0 invokestatic; 3 return (or nop); 4 nop: only what is reached must not fall off, if no frames
/// say what the rest would be.
#[test]
fn dead_code_may_fall_off_where_types_are_inferred() {
    for (major, name, third, left) in [
        (49, "m", 177, None),
        (49, "m", 0, Some("code falls off its end")),
        (49, "<init>", 177, None),
        (49, "<init>", 0, Some("code falls off its end")),
        (52, "m", 177, Some("code falls off its end")),
    ] {
        let mut class = Class::new(major);
        let [a, b] = class.member(10, "java/lang/Object", "<init>", "()V").to_be_bytes();
        let [c, d] = class.member(10, "Other", "run", "()V").to_be_bytes();
        let constructor = name == "<init>";
        let start = if constructor { vec![42, 183, a, b] } else { Vec::new() };
        let code = [&start[..], &[184, c, d, third, 0]].concat();
        let access = if constructor { 1 } else { STATIC };
        class.method(access, name, "()V", Body { max_stack: 1, max_locals: 1, code, ..Body::default() });
        assert_eq!(wrong(&class.bytes()), left, "{major} {name} {third}");
    }
}

/// The JVM takes no such method, and the hooks' own locals would make it one that it takes.
#[test]
fn a_local_that_the_method_does_not_have_leaves_it_alone() {
    for (name, access, start) in [("m", STATIC, false), ("<init>", 1, true)] {
        for (store, locals) in [(&[1, 75][..], 1), (&[9, 64], 3), (&[3, 54, 7], 8), (&[196, 132, 1, 2, 0, 1], 259)] {
            for left in [false, true] {
                let mut class = Class::new(49);
                let [a, b] = class.member(10, "java/lang/Object", "<init>", "()V").to_be_bytes();
                let [c, d] = class.member(10, "Other", "run", "()V").to_be_bytes();
                let begin = if start { vec![42, 183, a, b] } else { Vec::new() };
                let code = [&begin, store, &[184, c, d, 177]].concat();
                let max_locals = locals - u16::from(left);
                class.method(access, name, "()V", Body { max_stack: 2, max_locals, code, ..Body::default() });
                let expected = left.then_some("local");
                assert_eq!(wrong(&class.bytes()), expected, "{name} {store:?}");
            }
        }
    }
}

/// Entries that the hooks append would make it an index that names something: the class is left as
/// a whole, whatever its other methods are like.
#[test]
fn an_index_that_the_pool_does_not_have_leaves_the_class_alone() {
    const NONE: u8 = 99;
    let frame = |class| vec![("StackMapTable", vec![0, 1, 255, 0, 5, 0, 0, 0, 1, 7, 0, class])];
    let variable = |name, desc| vec![("LocalVariableTable", table_of(&[[0, 6, name, desc, 0]]))];
    let (plain, none) = (vec![1, 87], Vec::new());
    for (own, attributes, handlers, expected) in [
        (plain.clone(), none.clone(), vec![[0, 2, 5, 0]], None),
        (vec![18, NONE, 87], none.clone(), Vec::new(), Some("operand")),
        (vec![19, 0, NONE, 87], none.clone(), Vec::new(), Some("operand")),
        (vec![1, 192, 0, NONE, 87], none.clone(), Vec::new(), Some("operand")),
        (vec![178, 0, NONE, 87], none.clone(), Vec::new(), Some("operand")),
        (vec![184, 0, NONE], none.clone(), Vec::new(), Some("operand")),
        (plain.clone(), none, vec![[0, 2, 5, NONE.into()]], Some("exception table entry")),
        (plain.clone(), frame(2), Vec::new(), None),
        (plain.clone(), frame(NONE), Vec::new(), Some("class of a frame")),
        (plain.clone(), variable(1, NONE.into()), Vec::new(), Some("local variable")),
        (plain, variable(NONE.into(), 1), Vec::new(), Some("local variable")),
    ] {
        let framed = attributes.iter().any(|one| one.0 == "StackMapTable");
        let mut class = Class::new(if framed { 52 } else { 49 });
        let call = class.member(10, "Other", "run", "()V").to_be_bytes();
        let calling = [&[184][..], &call, &[177]].concat();
        class.method(STATIC, "fine", "()V", Body { code: calling.clone(), ..Body::default() });
        let code = if framed {
            // nop; return, which nothing leads to.
            [&calling[..], &[0, 177]].concat()
        } else if handlers.is_empty() {
            [own, calling].concat()
        } else {
            // 2 goto 6; 5 pop, which the handler leads to.
            [own, vec![167, 0, 4, 87], calling].concat()
        };
        class.method(STATIC, "m", "()V", Body { max_stack: 1, max_locals: 1, code, handlers, attributes });
        assert_eq!(wrong(&class.bytes()), expected);
    }
    // A method that needs no hooks: 0 nop; 1 return; 2 pop; 3 ldc; 5 pop; 6 return. Only what is
    // appended would make an operand right: the first that is.
    for (name, desc, caught, pushed, expected) in [
        (1, 1, 0, 1, None),
        (1, 1, NONE, 1, Some("exception table entry")),
        (1, NONE, 0, 1, Some("local variable")),
        (NONE, 1, 0, 1, Some("local variable")),
        (1, 1, 0, NONE, Some("operand")),
    ] {
        let build = |pushed| {
            let mut class = Class::new(49);
            let call = class.member(10, "Other", "run", "()V").to_be_bytes();
            let code = [&[184][..], &call, &[177]].concat();
            class.method(STATIC, "fine", "()V", Body { code, ..Body::default() });
            let (code, handlers) = (vec![0, 177, 87, 18, pushed, 87, 177], vec![[0, 1, 2, caught.into()]]);
            let attributes = variable(name.into(), desc.into());
            class.method(STATIC, "m", "()V", Body { max_stack: 1, max_locals: 1, code, handlers, attributes });
            class.bytes()
        };
        let entries = build(1)[9];
        let bytes = build(if pushed == NONE { entries } else { pushed });
        assert_eq!(wrong(&bytes), expected);
        // Nor does it get a guard in another method.
        let guarded = guard(&bytes, &[(b"fine", b"()V")]);
        assert_eq!(guarded.is_ok_and(|guarded| guarded.is_some()), expected.is_none());
    }
}

/// invokestatic; return, or the subroutine from above that changes the depth; and behind it ldc;
/// pop; return, which nothing reaches, but the JVM looks at it.
#[test]
fn an_appended_index_is_none_to_code_that_nobody_looks_at() {
    let build = |subroutine, pushed| {
        let mut class = Class::new(49);
        let [high, low] = class.member(10, "Other", "run", "()V").to_be_bytes();
        let calling = vec![184, high, low, 177];
        class.method(STATIC, "fine", "()V", Body { code: calling.clone(), ..Body::default() });
        let calling = if subroutine { [&[3, 168, 0, 7], &calling[..], &[75, 87, 169, 0]].concat() } else { calling };
        let code = [calling, vec![18, pushed, 87, 177]].concat();
        class.method(STATIC, "m", "()V", Body { max_stack: 2, max_locals: 1, code, ..Body::default() });
        class.bytes()
    };
    for subroutine in [false, true] {
        // Whether an entry that the pool has will do for an `ldc` is the JVM's business.
        let bytes = build(subroutine, 1);
        assert_eq!(wrong(&bytes), None);
        assert_eq!(matches!(hooked(&bytes).methods[1].outcome, HookOutcome::Skipped(_)), subroutine);
        assert_eq!(wrong(&build(subroutine, bytes[9])), Some("operand"));
    }
}

/// 0 invokestatic; 3 return; 4 return, which nothing reaches, with two longs on the stack: as the
/// locals above.
#[test]
fn a_frame_with_a_deeper_stack_than_the_method_has_leaves_it_alone() {
    for (max_stack, expected) in [(4, None), (3, Some("frame's stack"))] {
        let mut class = Class::new(52);
        let [high, low] = class.member(10, "Other", "run", "()V").to_be_bytes();
        let code = vec![184, high, low, 177, 177];
        let attributes = vec![("StackMapTable", vec![0, 1, 255, 0, 4, 0, 0, 0, 2, 4, 4])];
        class.method(STATIC, "m", "()V", Body { max_stack, max_locals: 0, code, attributes, ..Body::default() });
        assert_eq!(wrong(&class.bytes()), expected);
    }
}

/// As deep a stack as there may be, and a loop: its depth looked like that of code which nothing
/// reaches.
#[test]
fn the_deepest_stack_of_all_is_left_alone() {
    let mut class = Class::new(49);
    let mut code = vec![9; 32767];
    code.extend([3, 167, 0, 0]);
    class.method(STATIC, "m", "()V", Body { max_stack: 65535, max_locals: 0, code, ..Body::default() });
    let call = class.member(10, "Other", "run", "()V").to_be_bytes();
    let code = vec![184, call[0], call[1], 177];
    class.method(STATIC, "other", "()V", Body { max_stack: 0, max_locals: 0, code, ..Body::default() });
    let done = hooked(&class.bytes());
    assert!(!matches!(done.methods[0].outcome, HookOutcome::Hooked(_)), "{:?}", done.methods[0].outcome);
    assert!(matches!(done.methods[1].outcome, HookOutcome::Hooked(_)));
}

/// A frame for each of very many instructions, with very many locals: gigabytes, if each names all
/// of them.
#[test]
fn frames_that_would_fill_the_memory_are_left_as_they_are() {
    let mut class = Class::new(52);
    let call = class.member(10, "Other", "run", "()V").to_be_bytes();
    let mut code = vec![0; 30_000];
    code.extend([184, call[0], call[1], 177]);
    let mut frames = 20_000_u16.to_be_bytes().to_vec();
    // One local more, and one less, in turn: those with the locals of the frame before need not
    // name them.
    frames.extend([252, 0, 0, 0, 250, 0, 0].repeat(10_000));
    let attributes = vec![("StackMapTable", frames)];
    class.method(STATIC, "m", "()V", Body { max_stack: 0, max_locals: 65_000, code, attributes, ..Body::default() });
    let done = hooked(&class.bytes());
    let outcome = &done.methods[0].outcome;
    assert!(matches!(outcome, HookOutcome::Skipped(SkipReason::FramesTooLarge { .. })), "{outcome:?}");
}

/// Several LineNumberTables, which the JVM reads as one: what must be said anew for them all is
/// said in the first.
#[test]
fn of_several_line_tables_the_first_has_the_corrections() {
    let mut class = Class::new(49);
    let [high, low] = class.member(10, "Other", "run", "()V").to_be_bytes();
    let code = vec![184, high, low, 184, high, low, 177];
    // Two lines for index 3, twice.
    let table = |line: u8| ("LineNumberTable", vec![0, 2, 0, 3, 0, line, 0, 3, 0, line + 1]);
    let attributes = vec![table(10), table(20), table(30)];
    class.method(STATIC, "m", "()V", Body { code, attributes, ..Body::default() });
    let view = view(&hooked(&class.bytes()).bytes);
    let counts: Vec<_> = view.code[0].attributes.iter().map(|table| (table.1[1], table.1.len())).collect();
    assert!(counts[0].0 > 2 && counts[1..] == [(2, 10), (2, 10)], "{counts:?}");
}
