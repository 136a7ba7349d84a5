//! `LUCCE_WHOLE=1`: tests run all that the usual run takes in turns (CONTRIBUTING, "Which
//! combinations run").

use std::env;

/// Is it a run of all combinations of targets, JVMs, encoders and compilers?
pub fn is_asked_for() -> bool {
    env::var_os("LUCCE_WHOLE").is_some_and(|value| value == "1")
}
