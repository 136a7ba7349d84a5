//! A frame of a decoded context, as a value.

use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::raw;

/// A frame.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    /// `com.acme.Cache$Entry`.
    pub class: String,
    /// Name.
    pub method: String,
    /// Descriptor.
    pub descriptor: String,
    /// SourceFile.
    pub file: Option<String>,
    /// Line, if the class file says.
    pub line: Option<u32>,
    /// Bytecode index in the class bytes as Lucce was given them.
    pub bci: u32,
}

/// A `lucce_on_frame` that appends to a `Vec<Frame>`.
///
/// # Safety
/// Called by the ABI, with a live frame and `data` pointing to the vector.
pub unsafe extern "C" fn push(frame: *const raw::Frame, data: *mut c_void) -> i32 {
    let pushed = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: this function's contract.
        let (frame, frames) = unsafe { (&*frame, &mut *data.cast::<Vec<Frame>>()) };
        frames.push(Frame {
            class: text(frame.class_name).unwrap_or_default(),
            method: text(frame.method).unwrap_or_default(),
            descriptor: text(frame.descriptor).unwrap_or_default(),
            file: text(frame.file),
            line: u32::try_from(frame.line).ok(),
            bci: frame.bci,
        });
    }));
    i32::from(pushed.is_err())
}

/// The text of a string of the ABI; `None` for null.
pub fn text(text: *const c_char) -> Option<String> {
    // SAFETY: strings of the ABI are zero-terminated and live during the call.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}
