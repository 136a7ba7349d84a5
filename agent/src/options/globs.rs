//! Globs of an option, and which of them have matched anything so far.
//!
//! Invariant: two with the same text are equal, whatever they have matched. A glob that has not
//! matched is tried at every name, so that none is taken for idle because another one came first.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lucce_log::glob_matches;

/// The globs, as they were given.
#[derive(Clone, Default)]
pub struct Globs(Arc<[Glob]>);

/// One of them.
pub struct Glob {
    text: String,
    matched: AtomicBool,
}

impl Globs {
    /// Those of an option's value, separated by colons.
    pub fn read(value: &str) -> Self {
        let glob = |text: &str| Glob { text: text.into(), matched: AtomicBool::new(false) };
        Self(value.split(':').map(glob).collect())
    }

    /// Does one of them match this name?
    pub fn matches(&self, name: &str) -> bool {
        let mut found = false;
        for Glob { text, matched } in &*self.0 {
            let known = matched.load(Ordering::Relaxed);
            if (!found || !known) && glob_matches(text, name) {
                found = true;
                if !known {
                    matched.store(true, Ordering::Relaxed);
                }
            }
        }
        found
    }
}

impl Glob {
    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Has it matched anything?
    pub fn has_matched(&self) -> bool {
        self.matched.load(Ordering::Relaxed)
    }
}

impl Deref for Globs {
    type Target = [Glob];

    fn deref(&self) -> &[Glob] {
        &self.0
    }
}

/// As a list of texts: what is kept from run to run is named by it.
impl fmt::Debug for Globs {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list().entries(self.0.iter().map(Glob::text)).finish()
    }
}

impl PartialEq for Globs {
    fn eq(&self, other: &Self) -> bool {
        self.0.iter().map(Glob::text).eq(other.0.iter().map(Glob::text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_glob_that_would_match_is_known_to_have_matched() {
        let globs = Globs::read("a.*:a.B*:c.*");
        assert!(!globs.matches("d.D") && globs.matches("a.Bc") && globs.matches("a.Bc"));
        let matched: Vec<_> = globs.iter().map(Glob::has_matched).collect();
        assert_eq!((matched, format!("{globs:?}")), (vec![true, true, false], r#"["a.*", "a.B*", "c.*"]"#.into()));
    }
}
