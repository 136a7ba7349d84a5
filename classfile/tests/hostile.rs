//! Small class files that would take very much memory: they are left with a named reason, or cost
//! no more than others.
//!
//! Invariant: all that these tests need at once stays below [`MOST`].

mod common;

use common::{Body, Class, hooked};
use lucce_classfile::{HookOutcome, SkipReason};

const STATIC: u16 = 9;
const LOCALS: u16 = 60_000;
/// KiB of memory.
const MOST: usize = 160 << 10;

/// Of the first method; panics if the process has ever held more than [`MOST`].
fn outcome(class: Class) -> HookOutcome {
    let outcome = hooked(&class.bytes()).methods[0].outcome;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.strip_suffix("kB")?.trim().parse().ok());
    assert!(peak.is_none_or(|peak: usize| peak < MOST), "{peak:?} KiB, {outcome:?}");
    outcome
}

fn call(class: &mut Class) -> [u8; 3] {
    let [high, low] = class.member(10, "Other", "run", "()V").to_be_bytes();
    [184, high, low]
}

/// A full frame of as many locals, none of which holds anything.
fn full(delta: u16, locals: u16) -> Vec<u8> {
    let ([a, b], [c, d]) = (delta.to_be_bytes(), locals.to_be_bytes());
    [&[255, a, b, c, d][..], &vec![0; usize::from(locals)], &[0, 0]].concat()
}

/// Code of the first method, `static void <name>()`, with frames of very many locals.
fn framed(mut class: Class, name: &str, code: Vec<u8>, count: u16, frames: &[u8]) -> HookOutcome {
    let attributes = vec![("StackMapTable", [&count.to_be_bytes()[..], frames].concat())];
    let body = Body { max_stack: 1, max_locals: LOCALS, code, attributes, ..Body::default() };
    class.method(STATIC, name, "()V", body);
    outcome(class)
}

/// 0 iconst_0; 1 ifeq END; 4 goto 7; 7 nop, 1000 times; calls; END: return. Every nop has a frame:
/// the first, the others and that of END.
fn beside_a_trampoline(first: Vec<u8>, others: Vec<u8>) -> HookOutcome {
    let mut class = Class::new(52);
    let call = call(&mut class);
    let end = 7 + 1000 + 3 * 3000;
    let [high, low] = (end - 1_u16).to_be_bytes();
    let mut code = vec![3, 153, high, low, 167, 0, 3];
    code.resize(1007, 0);
    code.extend(call.repeat(3000));
    code.push(177);
    let [high, low] = (end - 1006 - 1_u16).to_be_bytes();
    framed(class, "m", code, 1001, &[first, others, vec![251, high, low]].concat())
}

#[test]
fn frames_beside_a_trampoline_are_not_held_at_once() {
    // One local more, and one less, in turn.
    let others = [252, 0, 0, 0, 250, 0, 0].repeat(500);
    let outcome = beside_a_trampoline(full(7, LOCALS - 1), others[..others.len() - 3].to_vec());
    assert!(matches!(outcome, HookOutcome::Skipped(SkipReason::FramesTooLarge { .. })), "{outcome:?}");
}

#[test]
fn frames_with_the_locals_of_the_one_before_take_no_room() {
    let outcome = beside_a_trampoline(full(7, LOCALS), vec![0; 999]);
    assert!(matches!(outcome, HookOutcome::Hooked(_) | HookOutcome::HookedHuge(_)), "{outcome:?}");
}

/// Loops, each a call: invokestatic; iconst_0; ifne.
#[test]
fn frames_of_rounds_are_not_held_at_once() {
    let mut class = Class::new(52);
    let call = call(&mut class);
    let mut code = [&call[..], &[3, 154, 0xFF, 0xFC]].concat().repeat(650);
    code.push(177);
    let frames = [full(0, LOCALS), vec![6; 649]].concat();
    let outcome = framed(class, "lazy", code, 650, &frames);
    assert!(matches!(outcome, HookOutcome::Skipped(SkipReason::FramesTooLarge { .. })), "{outcome:?}");
}

/// goto 3; aload_0; invokespecial; `middle`, which begins at 7; then 8000 times iconst_0; ifeq to
/// the next instruction; return.
fn labels(middle: &[u8], handlers: Vec<[u16; 4]>, max_stack: u16) -> HookOutcome {
    labels_behind(&[167, 0, 3, 42], middle, handlers, max_stack)
}

/// The same behind what ends with aload_0.
fn labels_behind(before: &[u8], middle: &[u8], handlers: Vec<[u16; 4]>, max_stack: u16) -> HookOutcome {
    let mut class = Class::new(49);
    let [high, low] = class.member(10, "java/lang/Object", "<init>", "()V").to_be_bytes();
    let code = [before, &[183, high, low], middle, &[3, 153, 0, 3].repeat(8000), &[177]].concat();
    class.method(1, "<init>", "()V", Body { max_stack, max_locals: LOCALS, code, handlers, attributes: Vec::new() });
    outcome(class)
}

#[test]
fn a_constructor_of_many_locals_and_labels_costs_what_others_do() {
    // 7 goto 11; 10 athrow
    let outcome = labels(&[167, 0, 4, 191], vec![[11, 32_000, 10, 0]; 500], 1);
    assert!(matches!(outcome, HookOutcome::Hooked(_)), "{outcome:?}");
}

#[test]
fn a_deep_stack_at_many_labels_is_left_alone() {
    let outcome = labels(&[3].repeat(30_000), Vec::new(), 30_001);
    assert!(matches!(outcome, HookOutcome::Skipped(_)), "{outcome:?}");
}

#[test]
fn very_many_handlers_of_many_labels_are_left_alone() {
    let outcome = labels(&[167, 0, 4, 191], vec![[11, 32_000, 10, 0]; 65_000], 1);
    assert!(matches!(outcome, HookOutcome::Skipped(_)), "{outcome:?}");
    // But for a constructor that calls the other one at once, where they cost nothing.
    let outcome = labels_behind(&[42], &[167, 0, 4, 191], vec![[8, 32_000, 7, 0]; 65_000], 1);
    assert!(matches!(outcome, HookOutcome::Hooked(_)), "{outcome:?}");
}
