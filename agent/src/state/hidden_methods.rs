//! Methods of the JDK that the JVM leaves out of its own traces, and which get no hooks for that.
//!
//! Invariant: a method is noted before it can run. Source: `OUT_ANNOTATIONS` in
//! `agent/src/rewrite/jdk.rs`.

use rustc_hash::FxHashSet;

use crate::state::names::{Named, is_hidden};
use crate::support::lock::Shared;
use crate::support::text;

/// Methods that stay out because of an annotation, by class, name and descriptor.
#[derive(Default)]
pub struct HiddenMethods(Shared<FxHashSet<Full>>);

/// Class, name and descriptor.
type Full = (Box<str>, Box<str>, Box<str>);

impl HiddenMethods {
    /// A method stays out.
    pub fn add(&self, class: &str, name: &[u8], desc: &[u8]) {
        let own = |bytes| text::ours(bytes).into();
        self.0.write().insert((class.into(), own(name), own(desc)));
    }

    /// Does the JVM leave the method out of its own traces?
    pub fn contains(&self, method: &Named) -> bool {
        is_hidden(&method.class)
            || self.0.read().contains(&(
                method.class.as_str().into(),
                method.method.as_str().into(),
                method.desc.as_str().into(),
            ))
    }
}
