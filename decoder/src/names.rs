//! Classes, methods and sites of a log, and the look-ups that a frame needs.
//!
//! Invariant: an id stands for what its first record said.
//! Source: docs/FORMAT.md, "Records".

use std::collections::HashMap;
use std::sync::Arc;

use lucce_log::WalkedFrame;
use lucce_words::{Bci, ClassId, EdgeId, MethodId, SiteId, signature};

use crate::WalkId;
use crate::shared::Shared;

/// One definition of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassInfo {
    /// As people write it: `java.util.Map$Entry`.
    pub name: Arc<str>,
    /// Its SourceFile.
    pub source: Option<Arc<str>>,
    /// A number for its class loader, 0 for the boot loader.
    pub loader: u32,
}

/// A method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodInfo {
    /// Its class.
    pub class: ClassId,
    /// Its name.
    pub name: Arc<str>,
    /// Its descriptor.
    pub desc: Arc<str>,
    /// JVMS table 4.6-A.
    pub access: u16,
    /// Longer than 8000 bytes once it was instrumented: the JVM does not compile it.
    pub huge: bool,
}

impl MethodInfo {
    /// Is it native? Such a method has one place, where its frames stand.
    pub fn is_native(&self) -> bool {
        self.access & 0x0100 != 0
    }
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
    /// The first site of the log that reads the same (class name, method, index, line): a class
    /// that was loaded twice or retransformed.
    pub(crate) same: SiteId,
}

/// A frame that was read from the real stack.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Walked {
    /// As people write it.
    pub class: Arc<str>,
    /// Name.
    pub method: Arc<str>,
    /// Descriptor.
    pub desc: Arc<str>,
    /// Line.
    pub line: Option<u32>,
}

/// What a site reads as: class, method and descriptor by number, index and line.
type Reading = (u32, u32, u32, Bci, Option<u16>);
/// The same of a walked frame.
type WalkedReading = (u32, u32, u32, Option<u32>);

/// All that has a name.
#[derive(Debug, Default)]
pub struct Names {
    pub(crate) classes: HashMap<ClassId, ClassInfo>,
    pub(crate) methods: HashMap<MethodId, MethodInfo>,
    pub(crate) sites: HashMap<SiteId, SiteInfo>,
    pub(crate) edges: HashMap<(SiteId, MethodId), EdgeId>,
    pub(crate) via: HashMap<EdgeId, Vec<Arc<str>>>,
    walked: Vec<Vec<Walked>>,
    walked_ids: HashMap<Vec<WalkedReading>, WalkId>,
    /// Lists that were met before, by address; kept, so that no other comes to lie there.
    walked_met: HashMap<usize, (Arc<[WalkedFrame]>, WalkId)>,
    shared: Shared,
    /// Class names as people write them, by the number of the internal name.
    readable: HashMap<u32, Arc<str>>,
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
    pub fn via(&self, site: SiteId, callee: MethodId) -> &[Arc<str>] {
        self.edges.get(&(site, callee)).and_then(|edge| self.via.get(edge)).map_or(&[], Vec::as_slice)
    }

    /// The frames of a list.
    pub fn walked(&self, id: WalkId) -> &[Walked] {
        let at = (id.0 as usize).checked_sub(1);
        at.and_then(|at| self.walked.get(at)).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn add_walked(&mut self, frames: Arc<[WalkedFrame]>) -> WalkId {
        if frames.is_empty() {
            return WalkId(0);
        }
        let address = frames.as_ptr().addr();
        if let Some(&(_, id)) = self.walked_met.get(&address) {
            return id;
        }
        let shared = &mut self.shared;
        let mut reading = |frame: &WalkedFrame| {
            let WalkedFrame { class, method, desc, line } = frame;
            (shared.number(class), shared.number(method), shared.number(desc), *line)
        };
        let readings: Vec<WalkedReading> = frames.iter().map(&mut reading).collect();
        let id = match self.walked_ids.get(&readings) {
            Some(&id) => id,
            None => {
                let shown: Vec<Walked> = frames.iter().map(|frame| self.show(frame)).collect();
                self.walked.push(shown);
                let id = WalkId(self.walked.len() as u32);
                self.walked_ids.insert(readings, id);
                id
            }
        };
        self.walked_met.insert(address, (frames, id));
        id
    }

    fn show(&mut self, frame: &WalkedFrame) -> Walked {
        let WalkedFrame { class, method, desc, line } = frame;
        Walked { class: self.readable(class), method: Arc::clone(method), desc: Arc::clone(desc), line: *line }
    }

    /// A class name as people write it.
    pub(crate) fn readable(&mut self, internal: &Arc<str>) -> Arc<str> {
        let number = self.shared.number(internal);
        Arc::clone(self.readable.entry(number).or_insert_with(|| dotted(internal).into()))
    }

    /// Takes over everything that has an id in the whole run.
    pub(crate) fn adopt(&mut self, other: Self) {
        let Self { classes, methods, sites, edges, via, .. } = other;
        (self.classes, self.methods, self.sites, self.edges, self.via) = (classes, methods, sites, edges, via);
    }

    /// Finds the sites that read the same.
    pub(crate) fn unify(&mut self) {
        (self.walked_ids, self.walked_met, self.readable) = Default::default();
        let mut shared = std::mem::take(&mut self.shared);
        let mut first: HashMap<Reading, SiteId> = HashMap::new();
        let mut ids: Vec<SiteId> = self.sites.keys().copied().collect();
        ids.sort_unstable();
        for id in ids {
            let Some((site, method, class)) = self.place(id) else { continue };
            let [class, name, desc] = [&class.name, &method.name, &method.desc].map(|name| shared.number(name));
            let reading = (class, name, desc, site.bci, site.line);
            let same = *first.entry(reading).or_insert(id);
            if let Some(site) = self.sites.get_mut(&id) {
                site.same = same;
            }
        }
    }
}

/// A class name as people write it: dots for slashes, and an array's descriptor spelled out (`[B`
/// is `byte[]`).
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
        _ => dotted(signature::internal_name(element)),
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
