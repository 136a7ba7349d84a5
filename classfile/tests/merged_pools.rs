//! Ids that no immediate of two bytes holds, and classes that are redefined.
//!
//! Invariant: the code pushes the very id. Where HotSpot will merge the pools, no instruction's
//! length depends on an index: it lengthens each `ldc` whose index grows, and the code would no
//! longer be the one that is known again.
//! Source: docs/design/emitted-code.md; HotSpot `VM_RedefineClasses::rewrite_cp_refs_in_method`.

mod common;

use common::listing::flat;
use common::{Body, Class, Rules, View, view};
use lucce_classfile::{HookOutcome, Instrumented, RewriteOptions, SequentialIds, instrument, opcode_hash};
use lucce_words::MethodId;
use lucce_words::weights::Scheme;

const STATIC: u16 = 9;
/// The first ids: short ones, those on both sides of each limit of an immediate, and long ones.
const FIRST: [u32; 7] = [2, 0x7FFE, 0x8000, 0xFFFE, 0x1_0000, 0x1_8000, 0xFF_FFF0];

/// A class with constants of its own and all that pushes an id: calls, calls of `super(...)`, exits
/// of methods that may be inactive, counts, and questions for the own site.
fn class(filled: bool) -> Vec<u8> {
    let mut class = Class::new(52);
    class.super_name = "java/lang/Other";
    let made = class.class("Inert").to_be_bytes();
    if filled {
        class.fill(6000);
    }
    let mut call = |owner, name, desc| class.member(10, owner, name, desc).to_be_bytes();
    let (run, site) = (call("Other", "run", "()V"), call("org/lucce/Lucce", "site", "()I"));
    let constructor = call("java/lang/Other", "<init>", "()V");
    // The program's own constant.
    let own = [18, made[1], 87];
    let calls = |rest: &[u8]| [&[184][..], &run, &own, &[184], &run, &own, rest].concat();
    for name in ["plain", "lazy", "counted"] {
        class.method(STATIC, name, "()V", Body { max_stack: 1, code: calls(&[177]), ..Body::default() });
    }
    let code = [&[184][..], &site, &[172]].concat();
    class.method(STATIC, "asks", "()I", Body { max_stack: 1, code, ..Body::default() });
    let code = [&[187][..], &made, &[87, 6, 188, 10, 87, 177]].concat();
    class.method(STATIC, "makes", "()V", Body { max_stack: 1, code, ..Body::default() });
    let code = [&[42, 183][..], &constructor, &calls(&[177])].concat();
    class.method(1, "<init>", "()V", Body { max_stack: 1, max_locals: 1, code, ..Body::default() });
    class.bytes()
}

fn rewritten(filled: bool, first: u32, options: &RewriteOptions) -> (Instrumented<'static>, View) {
    let mut ids = SequentialIds { method: first, site: first, ..SequentialIds::default() };
    let done = instrument(Vec::leak(class(filled)), &mut ids, &Rules, options).expect("the class is well formed");
    let view = view(&done.bytes);
    (done, view)
}

fn every_code(merged: bool) -> Vec<RewriteOptions> {
    let numbered = || RewriteOptions { merged, ..RewriteOptions::default() };
    let hashed =
        |scheme| RewriteOptions { hashed: Some(scheme), check_entries: true, count_allocations: true, ..numbered() };
    vec![
        RewriteOptions { count_allocations: true, ..numbered() },
        RewriteOptions { version_local: true, publish_allocations: true, ..numbered() },
        hashed(Scheme::Ids),
        hashed(Scheme::Natural),
        hashed(Scheme::Names),
        hashed(Scheme::Mixed),
    ]
}

#[test]
fn code_of_a_redefinition_is_the_same_wherever_its_pool_has_a_constant() {
    for options in every_code(true) {
        for first in FIRST {
            let [(small, few), (large, many)] = [false, true].map(|filled| rewritten(filled, first, &options));
            for (number, (one, other)) in few.code.iter().zip(&many.code).enumerate() {
                let texts = [(one, &few), (other, &many)].map(|(code, view)| flat(&code.code, &view.pool));
                assert_eq!(texts[0], texts[1], "{first} {options:?}");
                assert_eq!(one.code.len(), other.code.len(), "{first} {options:?}: {}", texts[0]);
                let [small, large] = [&small, &large].map(|class| &class.methods[number]);
                assert_eq!([small.opcode_hash, large.opcode_hash], [opcode_hash(&one.code); 2], "{first} {options:?}");
                assert!(small.map.fits(&one.code) && small.map.fits(&other.code), "{first} {options:?}");
            }
        }
    }
}

/// What a JIT compiler puts in line goes by bytes.
#[test]
fn code_of_a_first_definition_is_as_short_as_it_can_be() {
    let [first, again] = [false, true].map(|merged| {
        let (_, view) = rewritten(false, 0x8000, &every_code(merged)[0]);
        view.code[0].code.len()
    });
    // Two calls, and two constants of the program.
    assert_eq!(first + 4, again);
}

#[test]
fn each_site_is_pushed_as_it_is() {
    for options in every_code(false).into_iter().chain(every_code(true)).filter(|options| options.hashed.is_none()) {
        for first in FIRST {
            let (done, view) = rewritten(false, first, &options);
            for (method, code) in done.methods.iter().zip(&view.code) {
                let HookOutcome::Hooked(MethodId(id)) = method.outcome else { panic!("{first}: {:?}", method.outcome) };
                let text = flat(&code.code, &view.pool) + ";";
                let pushed = |id: u32| text.contains(&format!("push {id};"));
                assert!(id > i16::MAX as u32 || pushed(id), "{text}");
                for site in done.sites_of(method) {
                    assert!(pushed(site.id.0), "{} of {first}: {text}", site.id.0);
                }
            }
        }
    }
}
