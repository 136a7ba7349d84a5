//! Where an activation stands, on either side of a comparison, and what makes the comparison cheap.
//!
//! Invariant: a frame of the real stack and a decoded activation agree if method, bytecode index
//! and line are equal. That they did is remembered for (frame's method, location, site), none of
//! which changes until a class is redefined.

use std::cell::RefCell;
use std::slice::Iter;

use jvmti_bindings::sys::jni::jmethodID;
use lucce_words::{MethodId, SiteId};
use rustc_hash::FxHashMap;

use crate::stack::frames::{Frame, StackView, Walk};
use crate::state::classes::Classes;

/// One frame of either side, for comparison and print.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct StackPlace {
    /// The method.
    pub method: MethodId,
    /// Original bytecode index; `None` for the innermost frame of an entry, which has not begun.
    pub bci: Option<u16>,
    /// The line, if the class file says.
    pub line: Option<u32>,
}

/// What is known of a frame of the real stack.
#[derive(Clone, Copy)]
struct LocatedFrame {
    /// The rewriting that it runs, if its code has hooks.
    method: Option<MethodId>,
    /// Where it stands; `None` too if that cannot be said.
    place: Option<StackPlace>,
    /// A site of the same place; UNKNOWN until one was compared.
    agreed: SiteId,
}

thread_local! {
    /// Places of sites, which never change, and of the frames' code, which does when a class is
    /// redefined.
    static SITES: RefCell<FxHashMap<SiteId, StackPlace>> = RefCell::default();
    static FRAMES: RefCell<FxHashMap<(usize, i64), LocatedFrame>> = RefCell::default();
}

/// A real stack, innermost first.
pub enum Stack<'a> {
    /// Walked as the comparison goes. Not once a class was redefined: what such a frame runs takes
    /// a second walk to say.
    Walking(Walk),
    /// Walked already.
    Walked(Iter<'a, Frame>),
}

impl Stack<'_> {
    /// Is the next frame with hooks one of `method`, and at `site` if there is one?
    pub fn next_is(&mut self, view: StackView<'_>, method: MethodId, site: Option<SiteId>) -> bool {
        let Some((key, known)) = self.instrumented(view) else { return false };
        match site {
            None => known.method == Some(method),
            Some(site) if known.agreed == site => true,
            Some(site) => {
                let agrees = known.place == Some(place_of_site(&view.agent.classes, method, Some(site)));
                if agrees {
                    FRAMES.with_borrow_mut(|frames| {
                        if let Some(known) = frames.get_mut(&key) {
                            known.agreed = site;
                        }
                    });
                }
                agrees
            }
        }
    }

    /// Is there no frame with hooks left?
    pub fn is_at_base(&mut self, view: StackView<'_>) -> bool {
        self.instrumented(view).is_none()
    }

    fn instrumented(&mut self, view: StackView<'_>) -> Option<((usize, i64), LocatedFrame)> {
        loop {
            let (raw, location, method) = match self {
                Self::Walking(walk) => walk.next().map(|frame| (frame.method, frame.location, None))?,
                Self::Walked(frames) => frames.next().map(|frame| (frame.raw, frame.location, Some(frame.method)))?,
            };
            let known = known(view, raw, location, method);
            if known.method.is_some() {
                return Some(((raw as usize, location), known));
            }
        }
    }
}

fn known(view: StackView<'_>, raw: jmethodID, location: i64, method: Option<Option<MethodId>>) -> LocatedFrame {
    let look = || {
        let method = method.unwrap_or_else(|| view.identity(raw));
        let place = place_of_frame(view, &Frame { raw, method, location, depth: 0 });
        LocatedFrame { method, place, agreed: SiteId::UNKNOWN }
    };
    if view.agent.stack.methods.any_redefined() {
        return look();
    }
    FRAMES.with_borrow_mut(|frames| *frames.entry((raw as usize, location)).or_insert_with(look))
}

/// Where a decoded activation stands: at `site`, or at its entry.
pub fn place_of_site(classes: &Classes, method: MethodId, site: Option<SiteId>) -> StackPlace {
    let Some(site) = site else { return StackPlace { method, bci: None, line: None } };
    SITES.with_borrow_mut(|sites| {
        *sites.entry(site).or_insert_with(|| {
            let entry = classes.catalog.site(site);
            StackPlace {
                method,
                bci: entry.as_ref().map(|entry| entry.bci.0),
                line: entry.and_then(|entry| entry.line).map(u32::from),
            }
        })
    })
}

/// Where a frame of the real stack stands; `None` without hooks.
pub fn place_of_frame(view: StackView<'_>, frame: &Frame) -> Option<StackPlace> {
    let method = frame.method?;
    let entry = view.agent.classes.catalog.method(method)?;
    let bci = entry.original(frame.location).map(|bci| bci.0);
    // The line is the JVM's own, from the rewritten class's table.
    let line = view.named(frame.raw).and_then(|named| named.line(frame.location));
    Some(StackPlace { method, bci, line })
}
