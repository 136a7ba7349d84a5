//! Classes, methods and sites of a log, and the look-ups that a frame needs.
//!
//! Invariant: an id stands for what its first record said.
//! Source: docs/FORMAT.md, "Records".

use std::collections::HashMap;

use lucce_log::WalkedFrame;
use lucce_words::{Bci, ClassId, EdgeId, MethodId, SiteId};

use crate::WalkId;

/// One definition of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassInfo {
    /// As people write it: `java.util.Map$Entry`.
    pub name: String,
    /// Its SourceFile.
    pub source: Option<String>,
    /// A number for its class loader, 0 for the boot loader.
    pub loader: u32,
}

/// A method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodInfo {
    /// Its class.
    pub class: ClassId,
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub desc: String,
    /// JVMS table 4.6-A.
    pub access: u16,
    /// Longer than 8000 bytes once it was instrumented: the JVM does not compile it.
    pub huge: bool,
}

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SiteInfo {
    /// The method it is in.
    pub method: MethodId,
    /// Its bytecode index.
    pub bci: Bci,
    /// Its line.
    pub line: Option<u16>,
    /// The first site of the log that reads the same (class name, method, index, line): a class that was loaded twice or retransformed.
    pub(crate) same: SiteId,
}

/// A frame that was read from the real stack.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Walked {
    /// As people write it.
    pub class: String,
    /// Name.
    pub method: String,
    /// Descriptor.
    pub desc: String,
    /// Line.
    pub line: Option<u32>,
}

/// What a site reads as.
type Reading = (String, String, String, Bci, Option<u16>);

/// All that has a name.
#[derive(Debug, Default)]
pub struct Names {
    pub(crate) classes: HashMap<ClassId, ClassInfo>,
    pub(crate) methods: HashMap<MethodId, MethodInfo>,
    pub(crate) sites: HashMap<SiteId, SiteInfo>,
    pub(crate) edges: HashMap<(SiteId, MethodId), EdgeId>,
    pub(crate) via: HashMap<EdgeId, Vec<String>>,
    walked: Vec<Vec<Walked>>,
    walked_ids: HashMap<Vec<WalkedFrame>, WalkId>,
}

impl Names {
    /// A class by id.
    pub fn class(&self, id: ClassId) -> Option<&ClassInfo> {
        self.classes.get(&id)
    }

    /// A method by id.
    pub fn method(&self, id: MethodId) -> Option<&MethodInfo> {
        self.methods.get(&id)
    }

    /// A site by id.
    pub fn site(&self, id: SiteId) -> Option<&SiteInfo> {
        self.sites.get(&id)
    }

    /// Site, method and class together; `None` if any of them is lost.
    pub fn place(&self, id: SiteId) -> Option<(&SiteInfo, &MethodInfo, &ClassInfo)> {
        let site = self.site(id)?;
        let method = self.method(site.method)?;
        Some((site, method, self.class(method.class)?))
    }

    /// The frames seen between a site and the method it entered, innermost first.
    pub fn via(&self, site: SiteId, callee: MethodId) -> &[String] {
        self.edges.get(&(site, callee)).and_then(|edge| self.via.get(edge)).map_or(&[], Vec::as_slice)
    }

    /// The frames of a list.
    pub fn walked(&self, id: WalkId) -> &[Walked] {
        let at = (id.0 as usize).checked_sub(1);
        at.and_then(|at| self.walked.get(at)).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn add_walked(&mut self, frames: Vec<WalkedFrame>) -> WalkId {
        if frames.is_empty() {
            return WalkId(0);
        }
        if let Some(&id) = self.walked_ids.get(&frames) {
            return id;
        }
        let readable = |frame: &WalkedFrame| Walked {
            class: dotted(&frame.class),
            method: frame.method.clone(),
            desc: frame.desc.clone(),
            line: frame.line,
        };
        self.walked.push(frames.iter().map(readable).collect());
        let id = WalkId(self.walked.len() as u32);
        self.walked_ids.insert(frames, id);
        id
    }

    /// Takes over everything that has an id in the whole run.
    pub(crate) fn adopt(&mut self, other: Self) {
        let Self { classes, methods, sites, edges, via, .. } = other;
        (self.classes, self.methods, self.sites, self.edges, self.via) = (classes, methods, sites, edges, via);
    }

    /// Finds the sites that read the same.
    pub(crate) fn unify(&mut self) {
        self.walked_ids = HashMap::new();
        let mut first: HashMap<Reading, SiteId> = HashMap::new();
        let mut ids: Vec<SiteId> = self.sites.keys().copied().collect();
        ids.sort_unstable();
        for id in ids {
            let Some((site, method, class)) = self.place(id) else { continue };
            let reading = (class.name.clone(), method.name.clone(), method.desc.clone(), site.bci, site.line);
            let same = *first.entry(reading).or_insert(id);
            if let Some(site) = self.sites.get_mut(&id) {
                site.same = same;
            }
        }
    }
}

/// A class name as people write it: dots for slashes, and an array's descriptor spelled out (`[B` is `byte[]`).
pub fn type_name(internal: &str) -> String {
    let element = internal.trim_start_matches('[');
    let depth = internal.len() - element.len();
    if depth == 0 {
        return dotted(internal);
    }
    let name = match element {
        "B" => "byte".into(),
        "C" => "char".into(),
        "D" => "double".into(),
        "F" => "float".into(),
        "I" => "int".into(),
        "J" => "long".into(),
        "S" => "short".into(),
        "Z" => "boolean".into(),
        _ => dotted(element.strip_prefix('L').and_then(|name| name.strip_suffix(';')).unwrap_or(element)),
    };
    name + &"[]".repeat(depth)
}

/// Dots for slashes.
pub fn dotted(internal: &str) -> String {
    internal.replace('/', ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_spelled_out() {
        for (internal, readable) in [
            ("java/lang/String", "java.lang.String"),
            ("[B", "byte[]"),
            ("[[J", "long[][]"),
            ("[Ljava/util/Map$Entry;", "java.util.Map$Entry[]"),
            ("[", "[]"),
        ] {
            assert_eq!(type_name(internal), readable);
        }
    }
}
