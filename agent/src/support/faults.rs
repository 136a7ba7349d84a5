//! `fault=<mechanism>` of test builds: which mechanism of exactness is switched off, so that its
//! test can be seen to fail.

use lucce_classfile::Faults;

/// Faults of the agent itself; the others are the rewriter's ([`Faults::NAMES`]).
pub const OWN: &[&str] = &[
    "look",
    "demotion",
    "proof",
    "base",
    "redefined",
    "stubs",
    "changed",
    "hidden_loader",
    "upcall",
    "dropped",
    "stopped",
    "continuation",
    "moved",
    "unshown",
    "handed_on",
    "numbers",
    "panic",
];

/// The rewriter's part of the faults.
pub fn of(names: &[String]) -> Faults {
    let mut faults: Faults = Default::default();
    for name in names {
        // The agent's own faults are no business of the rewriter; unknown names were refused when
        // the options were read.
        let _ = faults.leave_out(name);
    }
    faults
}
