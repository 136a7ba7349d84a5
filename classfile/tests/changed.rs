//! What another agent has changed of a class: found whatever its pool looks like, and guarded.

mod common;

use common::listing::flat;
use common::{Body, Class, view};
use lucce_classfile::{MethodSummary, changed, guard_changed};

/// A class with a constructor and `static void m()`, which call these methods of `A`; `shifted`:
/// with another entry in front of its pool.
fn class(constructor: &[&str], method: &[&str], shifted: bool, added: bool) -> Vec<u8> {
    let mut class = Class::new(49);
    if shifted {
        class.class("Shifts");
    }
    let mut code = |begin: &[u8], called: &[&str]| {
        let mut code = begin.to_vec();
        for name in called {
            code.push(184);
            code.extend(class.member(10, "A", name, "()V").to_be_bytes());
        }
        code.push(177);
        code
    };
    let (constructor, method, more) = (code(&[], constructor), code(&[], method), code(&[], &["f"]));
    class.method(1, "<init>", "()V", Body { max_stack: 1, code: constructor, ..Body::default() });
    class.method(9, "m", "()V", Body { max_stack: 1, code: method, ..Body::default() });
    if added {
        class.method(1, "added", "()V", Body { max_stack: 1, code: more, ..Body::default() });
    }
    class.bytes()
}

fn names<'a>(methods: &[MethodSummary<'a>]) -> Vec<&'a str> {
    methods.iter().map(|method| std::str::from_utf8(method.name).unwrap()).collect()
}

#[test]
fn a_class_whose_pool_was_renumbered_calls_what_it_did() {
    let (before, after) = (class(&["f"], &["f", "g"], false, false), class(&["f"], &["f", "g"], true, false));
    assert_ne!(before, after);
    assert_eq!(changed(&before, &after), Ok(Vec::new()));
}

#[test]
fn a_method_that_calls_more_or_in_another_order_or_was_added_has_changed() {
    let before = class(&["f"], &["f", "g"], false, false);
    let seen = |after: &[u8]| names(&changed(&before, after).unwrap()).join(" ");
    assert_eq!(seen(&class(&["f", "f"], &["f", "g"], true, false)), "<init>");
    assert_eq!(seen(&class(&["f"], &["g", "f"], true, false)), "m");
    assert_eq!(seen(&class(&["f"], &["f", "g"], true, true)), "added");
}

#[test]
fn a_method_gets_a_guard_and_a_constructor_clears() {
    let (before, after) = (class(&[], &[], false, false), class(&["f"], &["f"], false, false));
    let guarded = guard_changed(&after, &changed(&before, &after).unwrap(), false).unwrap();
    let view = view(&guarded);
    let listed: Vec<_> = view.code.iter().map(|code| flat(&code.code, &view.pool)).collect();
    assert!(listed[0].starts_with("invokestatic java/lang/LucceOrigins.clear"), "{listed:?}");
    assert!(listed[1].contains("Shadow.resolveResume") && listed[1].contains("athrow"), "{listed:?}");
    let only = guard_changed(&after, &changed(&before, &after).unwrap(), true).unwrap();
    assert!(!format!("{only:?}").is_empty() && !String::from_utf8_lossy(&only).contains("resolveResume"));
}
