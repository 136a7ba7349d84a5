//! What lv is for: a decoder that looks for the caller in the callee's own version finds another
//! path.
//!
//! Source: Lucce section 5 (lv, De); Theorem 1.

use lucce_encoding::algorithm1::*;
use lucce_encoding::{DecodedFrame, End};
use lucce_words::*;

use crate::figures::{call, graph, method, resume, site};

/// De without lv: the version of the innermost activation stands for those of all its callers.
fn decode_without_lv(history: &History<u64>, mut method: MethodId, mut at: Encoding<u64>) -> Vec<DecodedFrame> {
    let (mut frames, mut called) = (Vec::new(), None);
    while method != MethodId::ROOT {
        frames.push(DecodedFrame { method, site: called });
        let (site, caller, value) = history.previous(method, &at).unwrap();
        (method, called, at.call_id) = (caller, Some(site), at.call_id - value);
    }
    frames
}

/// The frames of a path whose calls are all made at a method's first site.
fn path(letters: &str) -> Vec<DecodedFrame> {
    let mut called = false;
    let frame = |letter: char| {
        let nth = if called { Some(site(letter, 1)) } else { None };
        called = true;
        DecodedFrame { method: method(letter), site: nth }
    };
    letters.chars().rev().map(frame).collect()
}

#[test]
fn without_lv_a_caller_that_was_entered_in_an_older_version_reads_as_another() {
    let mut graph = graph::<u64>();
    call(&mut graph, "AB");
    let caller = call(&mut graph, "XB").pop().unwrap();
    assert_eq!(caller.call_id, 1, "behind the one context of A");
    // While that activation of B runs, another thread gives A a second context: in the versions
    // from now on X comes behind both.
    call(&mut graph, "YA");
    let at = resume(&mut graph, site('B', 1), caller.clone(), "E").pop().unwrap();
    let history = graph.history();
    assert_eq!(history.last_version(method('B'), at.version), Some(caller.version));
    assert!(caller.version < at.version);

    let decoded = history.decode(method('E'), &at);
    let right = path("XBE");
    assert_eq!((decoded.end, decoded.frames), (End::Root, right));
    assert_eq!(decode_without_lv(&history, method('E'), at), path("YABE"), "a path that never ran");
}

#[test]
fn without_lv_what_was_entered_in_one_version_still_decodes() {
    // So the test above is about versions, not about a decoder that is wrong anyway.
    let mut graph = graph::<u64>();
    (0..2).for_each(|_| drop(call(&mut graph, "ABCE")));
    let at = call(&mut graph, "ABCE").pop().unwrap();
    let history = graph.history();
    assert_eq!(decode_without_lv(&history, method('E'), at.clone()), history.decode(method('E'), &at).frames);
}
