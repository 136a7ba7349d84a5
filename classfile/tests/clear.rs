//! Where the published site is cleared, and where it may be left out.

mod common;

use common::listing::flat;
use common::{Body, Class, hooked, view};

const STATIC: u16 = 9;

/// The hooks and instructions of `static void m()` with this code, between prologue and exit.
fn middle(class: Class) -> String {
    let view = view(&hooked(&class.bytes()).bytes);
    let text = flat(&view.code[0].code, &view.pool);
    let start = text.find("istore 3; ").map_or(0, |at| at + 10);
    let start = text[start..].find("lushr; lstore 1; ").map_or(start, |at| start + at + 17);
    let end = text.find("; iload 3; iflt").unwrap_or(text.len());
    text[start..end].replace("aload 0; push 0; putfield T.siteI", "CLEAR")
}

fn method(mut class: Class, code: &[&[u8]]) -> String {
    class.method(STATIC, "m", "()V", Body { max_stack: 2, code: code.concat(), ..Body::default() });
    middle(class)
}

#[test]
fn the_site_is_cleared_for_a_class_once_in_a_straight_line() {
    let mut class = Class::new(52);
    let a = class.class("A").to_be_bytes();
    let field = class.member(9, "A", "f", "I").to_be_bytes();
    let text = method(class, &[&[187], &a, &[87, 187], &a, &[87, 178], &field, &[87, 179 - 1], &field, &[87, 177]]);
    assert_eq!(text, "CLEAR; new A; pop; new A; pop; CLEAR; getstatic A.fI; pop; getstatic A.fI; pop");
}

#[test]
fn a_label_ends_the_straight_line() {
    let mut class = Class::new(49);
    let a = class.class("A").to_be_bytes();
    let text = method(class, &[&[187], &a, &[87, 3, 153, 0, 3, 187], &a, &[87, 177]]);
    assert_eq!(text.matches("CLEAR").count(), 2, "{text}");
}

#[test]
fn inert_classes_and_the_own_one_need_no_clearing() {
    let mut class = Class::new(52);
    let inert = class.class("Inert").to_be_bytes();
    let own = class.class("Made").to_be_bytes();
    let parent = class.class("java/lang/Object").to_be_bytes();
    let a = class.class("A").to_be_bytes();
    let text = method(class, &[&[187], &inert, &[87, 187], &own, &[87, 187], &parent, &[87, 187], &a, &[87, 177]]);
    assert_eq!(text.matches("CLEAR").count(), 1, "{text}");
    assert!(text.contains("CLEAR; new A"));
}

#[test]
fn an_inherited_field_may_belong_to_an_interface_that_is_not_initialised() {
    let mut class = Class::new(52);
    let field = class.member(9, "Made", "inherited", "I").to_be_bytes();
    let text = method(class, &[&[178], &field, &[87, 177]]);
    assert_eq!(text, "CLEAR; getstatic Made.inheritedI; pop");
}

#[test]
fn an_own_field_needs_no_clearing_unless_an_interface_declares_it() {
    let own_field = |access| {
        let mut class = Class::new(52);
        class.access = access;
        class.field(25, "own", "I");
        let field = class.member(9, "Made", "own", "I").to_be_bytes();
        method(class, &[&[178], &field, &[87, 177]])
    };
    assert!(!own_field(0x21).contains("CLEAR"));
    assert_eq!(own_field(0x601), "CLEAR; getstatic Made.ownI; pop");
}

#[test]
fn a_method_type_constant_clears_and_a_class_constant_does_not() {
    let mut class = Class::new(52);
    let kind = class.method_type("()V").to_be_bytes();
    let a = class.class("A").to_be_bytes();
    let text = method(class, &[&[19], &kind, &[87, 19], &a, &[87, 177]]);
    assert_eq!(text, "CLEAR; push tag 16; pop; push A; pop");
}
