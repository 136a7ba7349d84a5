//! What a trained map changes: frames that are larger than they are by nature, and call sites that
//! are wrapped.
//!
//! Invariant: a method or site without an entry keeps its natural size.
//! Source: "Inferred Call Path Profiling", sections 5.1 and 5.2.

use std::collections::HashMap;

use super::Map;

/// By how much each method's frame and each call is enlarged, by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sizes(HashMap<String, Method>);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Method {
    resized: u32,
    /// By bytecode index.
    wrapped: Vec<(u16, u32)>,
}

impl Sizes {
    /// Those of a map.
    pub(super) fn of(map: &Map) -> Self {
        let mut sizes = Self::default();
        let key = |method: &super::MapMethod| key(&method.class, &method.name, &method.desc);
        for method in map.methods.iter().filter(|method| method.resized != 0) {
            sizes.0.entry(key(method)).or_default().resized = method.resized;
        }
        for site in map.sites.iter().filter(|site| site.wrapped != 0) {
            if let Some(method) = map.methods.get(site.method as usize) {
                sizes.0.entry(key(method)).or_default().wrapped.push((site.bci, site.wrapped));
            }
        }
        sizes
    }

    /// Is nothing changed?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// By how much the frame of a method is enlarged.
    pub fn resized(&self, class: &str, name: &str, desc: &str) -> u32 {
        self.method(class, name, desc).map_or(0, |method| method.resized)
    }

    /// By how much a call is wrapped.
    pub fn wrapped(&self, class: &str, name: &str, desc: &str, bci: u16) -> u32 {
        let wrapped = self.method(class, name, desc).map_or(&[][..], |method| &method.wrapped);
        wrapped.iter().find(|site| site.0 == bci).map_or(0, |site| site.1)
    }

    fn method(&self, class: &str, name: &str, desc: &str) -> Option<&Method> {
        if self.is_empty() { None } else { self.0.get(&key(class, name, desc)) }
    }
}

/// A method's names in one. A name of a method has no dot.
fn key(class: &str, name: &str, desc: &str) -> String {
    [class, ".", name, desc].concat()
}
