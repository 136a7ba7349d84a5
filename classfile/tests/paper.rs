//! The hooks of the paper's own algorithm: one Entered for each activation, one Calling for each
//! call.
//!
//! Invariant: Entered stands before everything else, so each activation passes it once; Calling
//! stands directly before its call, within the straight line that ends there, so each call passes
//! one.
//! Source: Lucce sections 4 and 5 (two locals, Entered, Calling); docs/design/emitted-code.md
//! (`encoder=algorithm1`).

mod common;

use common::listing::listing;
use common::{Body, Class, hooked_with, view};
use lucce_classfile::RewriteOptions;

/// `static void many(int)`: three calls, one of them on both ways, and a way back to the first of
/// them.
fn many() -> Vec<u8> {
    let mut class = Class::new(49);
    let [one, other] = ["one", "other"].map(|name| class.member(10, "Other", name, "()V").to_be_bytes());
    let call = |[high, low]: [u8; 2]| [184, high, low];
    let code = [
        &call(one)[..],
        // iload 0; iflt to the last call
        &[21, 0, 155, 0, 6],
        &call(other),
        &call(one),
        // iload 0; ifge to the first call
        &[21, 0, 156, 255, 240],
        &[177],
    ];
    class.method(1 | 8, "many", "(I)V", Body { max_stack: 1, max_locals: 1, code: code.concat(), ..Body::default() });
    class.bytes()
}

#[test]
fn each_activation_has_one_entered_and_each_call_one_calling() {
    let done = hooked_with(&many(), &RewriteOptions { version_local: true, ..RewriteOptions::default() });
    let view = view(&done.bytes);
    let lines = listing(&view.code[0].code, &view.pool);
    let texts: Vec<_> = lines.iter().map(|line| line.split_once(": ").map_or("", |parts| parts.1)).collect();
    let places = |start: &str| (0..texts.len()).filter(|&at| texts[at].starts_with(start)).collect::<Vec<_>>();

    // Entered: before the first branch, and nothing leads back before it.
    let entered = places("invokestatic H.enter(");
    let branches: Vec<_> =
        (0..texts.len()).filter(|&at| texts[at].starts_with("if") || texts[at].starts_with("goto")).collect();
    assert!(entered.len() == 1 && entered[0] < branches[0], "{lines:#?}");
    let bci = |line: &str| line.split(':').next().and_then(|bci| bci.parse::<usize>().ok()).expect("an index");
    let targets = branches.iter().filter_map(|&at| texts[at].split(' ').next_back()?.parse::<usize>().ok());
    assert!(targets.min().is_some_and(|least| least > bci(&lines[entered[0]])), "{lines:#?}");

    // Calling: version, word and site, directly before each call, and nowhere else.
    let calls = places("invokestatic Other.");
    assert_eq!(calls.len(), 3, "{lines:#?}");
    let calling = [
        "aload",
        "iload",
        "putfield T.versionI",
        "aload",
        "lload",
        "putfield T.ctxJ",
        "aload",
        "push",
        "putfield T.siteI",
    ];
    for &call in &calls {
        let before = &texts[call - calling.len()..call];
        assert!(before.iter().zip(calling).all(|(text, start)| text.starts_with(start)), "{lines:#?}");
    }
    assert_eq!((places("putfield T.ctxJ").len(), places("putfield T.versionI").len()), (3, 3), "{lines:#?}");
    // A jump leads before the hook of its call, not behind it.
    let targets = branches.iter().filter_map(|&at| texts[at].split(' ').next_back()?.parse::<usize>().ok());
    let within = |target: usize| {
        calls.iter().any(|&call| {
            let [first, last] = [calling.len() - 1, 0].map(|back| bci(&lines[call - back]));
            target > first && target <= last && target != bci(&lines[call - calling.len()])
        })
    };
    assert!(targets.into_iter().all(|target| !within(target)), "{lines:#?}");
}
