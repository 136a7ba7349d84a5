//! The configurations of profiles, and of what they alone are compared with.
//!
//! Invariant: each profile has `profile` alone, so that its cost over what it is compared with is
//! its own: [`super::LUCCE`] for samples by time, [`super::ALL_HOOKS`] for all others, which imply
//! it.

use super::Loaded::Agent;
use super::{Configuration, of};

/// In the order of tables.
pub const ALL: [Configuration; 5] = [
    of("lucce,profile=10ms", Agent("profile=10ms"), None, "the context in which each thread is every 10 ms"),
    of(
        "profile=10007",
        Agent("profile=10007"),
        None,
        "hooks that are always at work, and each 10007th entry of a thread counted",
    ),
    of("profile=2ms/20ms", Agent("profile=2ms/20ms"), None, "the same, and all entries of 2 ms in each 20 ms counted"),
    of("encoder=count", Agent("encoder=count"), None, "hooks that count calls, and know no context"),
    of(
        "profile=all",
        Agent("profile=all"),
        Some((1, 2)),
        "the same, and all entries counted (one fork of two iterations)",
    ),
];
