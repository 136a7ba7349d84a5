//! Which call of a constructor initialises `this`: found on the straight line from the start as by
//! the analysis of all ways.
//!
//! Invariant: a jump to the next instruction in front, which leads to that analysis, changes
//! nothing.

mod common;

use common::{Body, Class, hooked, view};
use lucce_classfile::SiteKind;

/// Kind and index of each site, and where ranges of handlers that the hooks add begin: from the
/// first instruction of `code` on.
fn seen(code: &[u8], in_front: &[u8]) -> (Vec<(SiteKind, u16)>, Vec<u16>) {
    let mut class = Class::new(49);
    let other = class.class("Other").to_be_bytes();
    let made = class.member(10, "Other", "<init>", "(LMade;)V").to_be_bytes();
    let init = class.member(10, "java/lang/Object", "<init>", "()V").to_be_bytes();
    let run = class.member(10, "Other", "run", "()V").to_be_bytes();
    // Stand-ins: 250 `new Other`, 251 `Other.<init>`, 252 `super()`, 253 `Other.run`.
    let own = code.iter().flat_map(|byte| match byte {
        250 => vec![187, other[0], other[1]],
        251 => vec![183, made[0], made[1]],
        252 => vec![183, init[0], init[1]],
        253 => vec![184, run[0], run[1]],
        byte => vec![*byte],
    });
    let code = in_front.iter().copied().chain(own).collect();
    class.method(1, "<init>", "(LMade;J)V", Body { max_stack: 6, max_locals: 5, code, ..Body::default() });
    let done = hooked(&class.bytes());
    let shift = in_front.len() as u16;
    let sites = done.sites_of(&done.methods[0]).iter().map(|site| (site.kind, site.bci.0 - shift)).collect();
    let watched = view(&done.bytes).code[0].handlers.clone();
    let start = |range: &[u16; 4]| done.methods[0].map.original(u32::from(range[0])).0.saturating_sub(shift);
    (sites, watched.iter().map(start).collect())
}

#[test]
fn the_call_that_initialises_this_is_the_one_on_this() {
    for (code, at, sites) in [
        (&[42, 252, 253, 177][..], 1, 2),
        // What is created meanwhile has a constructor of its own.
        (&[253, 42, 250, 89, 43, 251, 87, 252, 177], 13, 3),
        (&[42, 250, 89, 1, 251, 87, 32, 88, 252, 253, 177], 12, 3),
        // One of two copies of `this` is dropped.
        (&[42, 89, 87, 252, 253, 177], 3, 2),
        // Ways that are not followed on the straight line.
        (&[42, 42, 95, 87, 252, 253, 177], 4, 2),
        (&[42, 76, 43, 252, 253, 177], 3, 2),
        (&[42, 1, 75, 252, 253, 177], 3, 2),
    ] {
        let (kinds, watched) = seen(code, &[]);
        assert_eq!((kinds.clone(), watched), seen(code, &[167, 0, 3]), "{code:?}");
        let found: Vec<_> = kinds.iter().filter(|site| site.0 == SiteKind::WeakInit).collect();
        assert_eq!((found, kinds.len()), (vec![&(SiteKind::WeakInit, at)], sites), "{code:?}");
    }
}
