//! Each switch of the feature `faults` takes exactly its mechanism out.

#![cfg(feature = "faults")]

mod common;

use common::listing::flat;
use common::{Body, Class, Rules, view};
use lucce_classfile::{Faults, Instrumented, RewriteOptions, SequentialIds, SiteKind, instrument};

/// A class with a constructor, `interposable()V`, `<clinit>`, and an allocation before and behind a
/// call.
fn made() -> Vec<u8> {
    let mut class = Class::new(52);
    let init = class.member(10, "java/lang/Object", "<init>", "()V").to_be_bytes();
    let call = class.member(10, "Other", "run", "()V").to_be_bytes();
    let (a, b) = (class.class("A").to_be_bytes(), class.class("B").to_be_bytes());
    let body = |code: Vec<u8>| Body { max_stack: 2, max_locals: 1, code, ..Body::default() };
    class.method(1, "<init>", "()V", body([&[42, 183][..], &init, &[184], &call, &[177]].concat()));
    let code = [&[187][..], &a, &[87, 184], &call, &[187], &b, &[87, 177]].concat();
    class.method(1, "interposable", "()V", body(code.clone()));
    class.method(8, "<clinit>", "()V", body(code));
    class.bytes()
}

fn without(fault: &str) -> Instrumented<'static> {
    let mut faults = Faults::default();
    assert!(fault.is_empty() || faults.leave_out(fault), "{fault}");
    let options = RewriteOptions { faults, ..RewriteOptions::default() };
    instrument(made().leak(), &mut SequentialIds::default(), &Rules, &options).expect("it is well formed")
}

fn texts(done: &Instrumented<'_>) -> Vec<String> {
    let view = view(&done.bytes);
    view.code.iter().map(|code| flat(&code.code, &view.pool)).collect()
}

fn count(fault: &str, method: usize, text: &str) -> usize {
    texts(&without(fault))[method].matches(text).count()
}

const UNKNOWN: &str = "push 0; putfield T.siteI";
const RESTORE: &str = "putfield T.topI";

#[test]
fn every_switch_changes_the_code_it_names() {
    let (constructor, interposable, clinit) = (0, 1, 2);
    assert_eq!(count("", interposable, UNKNOWN), 4);
    assert_eq!(count("clear", interposable, UNKNOWN), 2);
    assert_eq!(count("clear_at_start", interposable, UNKNOWN), 3);
    assert_eq!(count("interposable_exit", interposable, UNKNOWN), 3);
    assert_eq!(count("exceptional_store", interposable, UNKNOWN), 3);
    assert_eq!((count("", interposable, RESTORE), count("restore_at_exit", interposable, RESTORE)), (2, 0));
    assert_eq!((count("", clinit, "enterUntrusted"), count("untrusted", clinit, "enterUntrusted")), (1, 0));
    assert_eq!(count("", constructor, UNKNOWN), 3);
    for fault in ["constructor_exit_store", "handler_before_super", "handler_after_super"] {
        assert_eq!(count(fault, constructor, UNKNOWN), 2, "{fault}");
    }
    assert_eq!((count("", constructor, "ior"), count("constructor_unknown_at_super", constructor, "ior")), (1, 0));
    let watched = |fault| view(&without(fault).bytes).code[interposable].handlers[0];
    let [_, end, handler, _] = watched("");
    assert!(end == handler && watched("exit_watched")[1] < handler);
    let kind = |faults| {
        let done = without(faults);
        done.sites_of(&done.methods[constructor])[0].kind
    };
    assert_eq!(kind(""), SiteKind::WeakInit);
    assert_eq!(kind("weak_init"), SiteKind::Special);
}

#[test]
fn every_name_is_a_switch_and_nothing_else_is() {
    for name in Faults::NAMES {
        assert!(Faults::default().leave_out(name), "{name}");
        assert_eq!(texts(&without(name)).len(), 3);
    }
    assert!(!Faults::default().leave_out("everything"));
}
