//! Frames for a callback of another agent.
//!
//! Invariant: needs no JVM; frames come innermost first, and where the names of one are gone the
//! rest is not guessed.

use std::ffi::c_void;
use std::ptr::null;

use lucce_embed::Error;
use lucce_embed::raw::{Frame, OnFrame};
use lucce_words::SiteId;

use crate::state::catalog::ClassEntry;
use crate::state::classes::Classes;
use crate::support::text::zero_terminated;

/// Calls `on_frame` for each site until it has seen enough.
pub fn each(classes: &Classes, sites: &[SiteId], on_frame: OnFrame, data: *mut c_void) -> Result<(), Error> {
    for &site in sites.iter().filter(|&&site| site != SiteId::ROOT) {
        let entry = classes.catalog.site(site).ok_or(Error::Partial)?;
        let method = classes.catalog.method(entry.method).ok_or(Error::Partial)?;
        let known = classes.catalog.class(method.class);
        let class = zero_terminated(&method.member.owner().replace('/', "."));
        let (name, descriptor) = (zero_terminated(method.member.name()), zero_terminated(method.member.desc()));
        let file = known.as_ref().and_then(ClassEntry::source).map(zero_terminated);
        let frame = Frame {
            size: size_of::<Frame>() as u32,
            line: entry.line.map_or(-1, i32::from),
            class_name: class.as_ptr(),
            method: name.as_ptr(),
            descriptor: descriptor.as_ptr(),
            file: file.as_ref().map_or(null(), |file| file.as_ptr()),
            bci: entry.bci.0.into(),
            pad: 0,
        };
        // SAFETY: the caller's function, with what it is declared for.
        if unsafe { on_frame(&frame, data) } != 0 {
            break;
        }
    }
    Ok(())
}
