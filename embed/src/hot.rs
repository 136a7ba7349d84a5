//! A hot context, as a value.

use std::ffi::c_void;
use std::num::NonZeroU64;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::{Captured, raw};

/// A context that has a share of all sampled entries, or perhaps has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hot {
    /// Has it the share for sure? Otherwise it may have less.
    pub is_hot: bool,
    /// The context; `None` where its classes were unloaded.
    pub captured: Option<Captured>,
    /// Its samples are not less.
    pub samples: u64,
    /// Nor are they more.
    pub most_samples: u64,
    /// Its share of all entries is not less, with a probability of 95 %; of the samples, with
    /// bursts.
    pub low: f64,
    /// Nor is it more.
    pub high: f64,
}

/// A `lucce_on_hot` that appends to a `Vec<Hot>`.
///
/// # Safety
/// Called by the ABI, with a live context and `data` pointing to the vector.
pub unsafe extern "C" fn push(hot: *const raw::Hot, data: *mut c_void) -> i32 {
    let pushed = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: this function's contract.
        let (hot, all) = unsafe { (&*hot, &mut *data.cast::<Vec<Hot>>()) };
        let &raw::Hot { is_hot, captured, samples, most_samples, low, high, .. } = hot;
        let captured = NonZeroU64::new(captured).map(Captured);
        all.push(Hot { is_hot: is_hot != 0, captured, samples, most_samples, low, high });
    }));
    i32::from(pushed.is_err())
}
