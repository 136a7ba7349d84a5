//! Methods and classes at the limits of the format.

mod common;

use common::listing::{flat, listing};
use common::{Body, Class, Rules, hooked, view};
use lucce_classfile::{
    HookOutcome, RewriteOptions, SequentialIds, SkipReason, guard, identity, instrument, method_id_of,
};
use lucce_words::MethodId;

const STATIC: u16 = 9;

/// `calls` calls, then `rest`.
fn calling(class: &mut Class, calls: usize, rest: &[u8]) -> Vec<u8> {
    let call = class.member(10, "Other", "run", "()V").to_be_bytes();
    let mut code: Vec<u8> = (0..calls).flat_map(|_| [184, call[0], call[1]]).collect();
    code.extend(rest);
    code
}

#[test]
fn a_method_that_would_be_too_large_is_left_and_the_rest_is_done() {
    let mut class = Class::new(49);
    let code = calling(&mut class, 9000, &[177]);
    class.method(STATIC, "large", "()V", Body { code: code.clone(), ..Body::default() });
    let small = calling(&mut class, 1, &[177]);
    class.method(STATIC, "small", "()V", Body { code: small, ..Body::default() });
    let done = hooked(&class.bytes());
    assert!(matches!(done.methods[0].outcome, HookOutcome::Skipped(SkipReason::MethodTooLarge { .. })));
    assert_eq!(done.methods[1].outcome, HookOutcome::Hooked(MethodId(2)));
    assert_eq!(view(&done.bytes).code[0].code, code);
}

#[test]
fn a_method_that_would_cross_the_compile_limit_gets_compact_hooks() {
    for (calls, huge) in [(100, false), (600, false), (900, true)] {
        let mut class = Class::new(49);
        let code = calling(&mut class, calls, &[177]);
        class.method(STATIC, "many", "()V", Body { code, ..Body::default() });
        let done = hooked(&class.bytes());
        let view = view(&done.bytes);
        let text = flat(&view.code[0].code, &view.pool);
        assert_eq!(text.contains("invokestatic H.publish(TJI)V"), calls > 100, "{calls}");
        assert_eq!(matches!(done.methods[0].outcome, HookOutcome::HookedHuge(_)), huge, "{calls}");
    }
}

/// `push 0; ifeq END; goto A; A: calls; END: return`, or with the targets changed over if not
/// `conditional`: the calls grow so much that the jump to the end loses its reach.
fn far(major: u16, calls: usize, conditional: bool) -> Vec<u8> {
    let mut class = Class::new(major);
    let mut code = vec![3, 153, 0, 6, 167, 0, 3];
    let start = code.len();
    code.extend(calling(&mut class, calls, &[177]));
    let end = (start + 3 * calls) as u16;
    let from = if conditional { 1 } else { 4 };
    code[from + 1..from + 3].copy_from_slice(&(end - from as u16).to_be_bytes());
    let mut attributes = Vec::new();
    if major >= 50 {
        let mut frames = vec![0, 2, 7, 251];
        frames.extend((end - 8).to_be_bytes());
        attributes.push(("StackMapTable", frames));
    }
    class.method(STATIC, "far", "()V", Body { max_stack: 1, code, attributes, ..Body::default() });
    class.bytes()
}

#[test]
fn a_goto_widens_when_its_target_moves_away() {
    for major in [49, 52] {
        let view = view(&hooked(&far(major, 3000, false)).bytes);
        let lines = listing(&view.code[0].code, &view.pool);
        let wide = lines.iter().find(|line| line.contains("goto_w")).expect("it was widened");
        let target = wide.rsplit(' ').next().unwrap_or("");
        // At the target the return has become the exit, which begins with a load of SLOT.
        assert!(
            lines
                .iter()
                .any(|line| line.starts_with(&format!("{target}: goto"))
                    || line.starts_with(&format!("{target}: iload"))),
            "{wide}"
        );
    }
}

#[test]
fn a_conditional_jump_goes_over_a_trampoline() {
    for major in [49, 52] {
        let view = view(&hooked(&far(major, 3000, true)).bytes);
        let lines = listing(&view.code[0].code, &view.pool);
        let branch = lines.iter().find(|line| line.contains("ifeq")).expect("the jump is there");
        let target = branch.rsplit(' ').next().unwrap_or("");
        let bridge = lines.iter().find(|line| line.starts_with(&format!("{target}: ")));
        assert!(bridge.is_some_and(|line| line.contains("goto_w")), "{branch} leads to {bridge:?}");
        if major == 52 {
            let frames = view.code[0].attribute("StackMapTable");
            // Prologue, trampoline, two of the method's own, exit twice, handler twice.
            assert_eq!(u16::from_be_bytes([frames[0], frames[1]]), 8);
        }
    }
}

#[test]
fn a_trampoline_between_instructions_is_led_round() {
    let mut class = Class::new(49);
    let mut code = vec![3, 153, 0x23, 0x2B];
    code.extend(calling(&mut class, 3000, &[177]));
    class.method(STATIC, "far", "()V", Body { max_stack: 1, code, ..Body::default() });
    let view = view(&hooked(&class.bytes()).bytes);
    let lines = listing(&view.code[0].code, &view.pool);
    let branch = lines.iter().position(|line| line.contains("ifeq")).expect("the jump is there");
    let at = |line: usize| lines[line].split(':').next().unwrap_or("").to_owned();
    let to = |line: usize| lines[line].rsplit(' ').next().unwrap_or("").to_owned();
    let bridge = (0..lines.len()).find(|line| at(*line) == to(branch)).expect("it leads somewhere");
    assert!(lines[bridge].contains("goto_w"), "{}", lines[bridge]);
    assert_eq!((lines[bridge - 1].contains("goto "), to(bridge - 1)), (true, at(bridge + 1)));
}

#[test]
fn a_conditional_jump_without_help_in_reach_names_the_reason() {
    let mut class = Class::new(52);
    let mut code = vec![3, 153, 0x23, 0x2B];
    code.extend(calling(&mut class, 3000, &[177]));
    let attributes = vec![("StackMapTable", vec![0, 1, 251, 0x23, 0x2C])];
    class.method(STATIC, "far", "()V", Body { max_stack: 1, code, attributes, ..Body::default() });
    let done = hooked(&class.bytes());
    assert_eq!(done.methods[0].outcome, HookOutcome::Skipped(SkipReason::JumpOverflow { bci: 1 }));
}

/// A store that ends a handler's range, and the handler reads what was there: behind it no `goto`
/// may stand in that range. 6000 times iload_0; ifeq NEXT; return; NEXT: then 20 nop; invokestatic;
/// iload_0; ifne 0; iconst_0; istore_1; L: return; H: pop; aload_1; pop; return, and [0, L) leads
/// to H.
#[test]
fn no_trampoline_stands_behind_a_store_that_ends_a_range() {
    for store in [&[60][..], &[54, 1], &[196, 54, 0, 1]] {
        let mut class = Class::new(52);
        let mut code = [26, 153, 0, 4, 177].repeat(6000);
        code.extend([0; 20]);
        code.extend(calling(&mut class, 1, &[26]));
        let back = (code.len() as u16).wrapping_neg().to_be_bytes();
        code.extend([154, back[0], back[1], 3]);
        code.extend(store);
        let end = code.len() as u16;
        code.extend([177, 87, 43, 87, 177]);
        let (string, thrown) = (class.class("java/lang/String"), class.class("java/lang/Throwable"));
        // Same at 0 and at each NEXT; [int, int], [] at L; [int, String], [Throwable] at H.
        let mut frames = [6003_u16.to_be_bytes().as_slice(), &[0], &[4].repeat(6000), &[255]].concat();
        frames.extend((end - 30_001).to_be_bytes());
        frames.extend([0, 2, 1, 1, 0, 0, 255, 0, 0, 0, 2, 1, 7]);
        frames.extend(string.to_be_bytes());
        frames.extend([0, 1, 7]);
        frames.extend(thrown.to_be_bytes());
        let attributes = vec![("StackMapTable", frames)];
        let handlers = vec![[0, end, end + 1, 0]];
        let body = Body { max_stack: 1, max_locals: 2, code, handlers, attributes };
        class.method(STATIC, "m", "(ILjava/lang/String;)V", body);
        let bytes = class.bytes();
        let guarded = guard(&bytes, &[(b"m", b"(ILjava/lang/String;)V")]).expect("it is well formed");
        for bytes in [hooked(&bytes).bytes.to_vec(), guarded.expect("m is declared").bytes] {
            let view = view(&bytes);
            let lines = listing(&view.code[0].code, &view.pool);
            let branch = lines.iter().find(|line| line.contains("ifne")).expect("the jump is there");
            let target = branch.rsplit(' ').next().unwrap_or("");
            let bridge = lines.iter().find(|line| line.starts_with(&format!("{target}: ")));
            assert!(bridge.is_some_and(|line| line.contains("goto_w")), "{branch} leads to {bridge:?}");
            let end = format!("{}: ", view.code[0].handlers[0][1]);
            let behind = lines.iter().position(|line| line.starts_with(&end)).expect("the range ends somewhere");
            assert!(lines[behind - 1].contains("istore"), "{:?}", &lines[behind - 4..=behind]);
        }
    }
}

#[test]
fn a_nearly_full_pool_pushes_ids_without_constants() {
    let mut class = Class::new(52);
    let code = calling(&mut class, 2, &[177]);
    class.method(STATIC, "run", "()V", Body { code, ..Body::default() });
    class.fill(300);
    let bytes = class.bytes();
    for id in [70_000, 0x0001_8000, 0x7FFF_FFFF, 0x0000_FFFF] {
        let mut ids = SequentialIds { method: id, site: id, ..SequentialIds::default() };
        let done = instrument(&bytes, &mut ids, &Rules, &RewriteOptions::default()).expect("it is well formed");
        let view = view(&done.bytes);
        assert_eq!(method_id_of(&view.code[0].code), Some(MethodId(id)));
        assert!(flat(&view.code[0].code, &view.pool).contains("push 16; ishl; "));
    }
}

#[test]
fn a_full_pool_leaves_the_class_as_it_was() {
    let mut class = Class::new(52);
    let code = calling(&mut class, 1, &[177]);
    class.method(STATIC, "run", "()V", Body { code, ..Body::default() });
    class.fill(8);
    let bytes = class.bytes();
    let done = hooked(&bytes);
    assert_eq!(done.methods[0].outcome, HookOutcome::Skipped(SkipReason::ConstantPoolFull));
    assert_eq!(done.bytes, bytes);
}

#[test]
fn locals_beyond_255_take_the_wide_form() {
    for (locals, form) in [(251, "istore 254"), (254, "wide istore 0 257"), (65531, "wide istore 0 65534")] {
        let mut class = Class::new(52);
        let code = calling(&mut class, 1, &[177]);
        class.method(STATIC, "run", "()V", Body { max_locals: locals, code, ..Body::default() });
        let done = hooked(&class.bytes());
        let view = view(&done.bytes);
        let text = flat(&view.code[0].code, &view.pool);
        assert!(text.contains(form), "{text}");
        assert_eq!(method_id_of(&view.code[0].code), Some(MethodId(1)));
    }
    let mut class = Class::new(52);
    let code = calling(&mut class, 1, &[177]);
    class.method(STATIC, "run", "()V", Body { max_locals: 65532, code, ..Body::default() });
    let outcome = hooked(&class.bytes()).methods[0].outcome;
    assert_eq!(outcome, HookOutcome::Skipped(SkipReason::TooManyLocals { locals: 65536 }));
}

#[test]
fn an_overwritten_receiver_is_kept_for_the_handler_before_super() {
    let mut class = Class::new(52);
    let init = class.member(10, "java/lang/Object", "<init>", "()V").to_be_bytes();
    let code = vec![42, 1, 75, 183, init[0], init[1], 177];
    class.method(1, "<init>", "()V", Body { max_stack: 2, max_locals: 1, code, ..Body::default() });
    let view = view(&hooked(&class.bytes()).bytes);
    assert!(flat(&view.code[0].code, &view.pool).contains("; lushr; lstore 2; aload 0; astore 5; "));
    // The frame of the handler: a long (the word), an int, `this` uninitialised, and the exception
    // on the stack.
    let frames = view.code[0].attribute("StackMapTable");
    assert!(frames.windows(5).any(|window| window == [4, 1, 6, 0, 1]), "{frames:?}");
}

#[test]
fn an_unknown_version_is_left_alone() {
    let class = Class::new(70);
    assert_eq!(identity(&class.bytes()), Err(SkipReason::UnsupportedVersion { major: 70 }));
}
