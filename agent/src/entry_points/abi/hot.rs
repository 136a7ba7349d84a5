//! Hot contexts for a callback of another agent.
//!
//! Invariant: needs no JVM; the hottest come first.

use std::ffi::c_void;

use lucce_embed::Error;
use lucce_embed::raw::{Hot, OnHot};
use lucce_profiles::hot::Verdict;

use crate::state::agent::Agent;

/// Calls `on_hot` for each context until it has seen enough.
pub fn each(agent: &Agent, share: f64, on_hot: OnHot, data: *mut c_void) -> Result<(), Error> {
    let profile = agent.events.profile.as_ref().ok_or(Error::Unknown)?;
    for hot in profile.hottest(Some(share)) {
        let share = hot.shares.told();
        let hot = Hot {
            size: size_of::<Hot>() as u32,
            is_hot: (hot.verdict == Verdict::Hot).into(),
            captured: hot.give(&agent.graph).0.into(),
            samples: hot.samples.low,
            most_samples: hot.samples.high,
            low: share.low,
            high: share.high,
        };
        // SAFETY: the caller's function, with what it is declared for.
        if unsafe { on_hot(&hot, data) } != 0 {
            break;
        }
    }
    Ok(())
}
