//! Interposable signatures and inert classes: what uninstrumented code could do between a site and
//! a method that seem to fit.
//!
//! A (name, descriptor) is interposable when an uninstrumented class has an instance method of it,
//! final ones included, or when an application method of it is native or could not be rewritten.
//! Learned from class bytes (or, for hidden classes, at ClassPrepare), that is before the class can
//! run. Source: docs/design/mechanisms.md ("Interposable", "Clear").

use lucce_classfile::Summary;
use lucce_words::MethodId;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::support::dead::Dead;
use crate::support::lock::Shared;
use crate::support::text;

/// JVMS 4.6.
const ACC_PRIVATE: u16 = 0x0002;
const ACC_STATIC: u16 = 0x0008;

/// Name and descriptor as one key, in text of ours; a descriptor begins with '(' and a name holds
/// none.
pub type Signature = Box<[u8]>;

/// What was learned.
#[derive(Default)]
pub struct Interposable {
    interposable: Shared<FxHashSet<Signature>>,
    /// Methods without the exit store, by signature: to be demoted if it becomes interposable.
    unguarded: Shared<FxHashMap<Signature, Vec<MethodId>>>,
    /// Boot classes by name: their superclass if their own initialisation runs no code, `None` if
    /// it does.
    plain_boot: Shared<FxHashMap<Signature, Option<Signature>>>,
    /// Boot classes that were initialised when the application began.
    initialised: Shared<FxHashSet<Signature>>,
}

impl Interposable {
    /// Learns the signatures of an uninstrumented class. The ones that are new.
    pub fn learn(&self, class: &Summary<'_>) -> Vec<Signature> {
        let methods = class.methods.iter().filter(|method| is_overridable(method.name, method.access));
        self.add(methods.map(|method| (method.name, method.desc)))
    }

    /// Learns single signatures, by name and descriptor. The ones that are new.
    pub fn add<'m>(&self, methods: impl Iterator<Item = (&'m [u8], &'m [u8])>) -> Vec<Signature> {
        let mut methods = methods.peekable();
        let mut fresh = Vec::new();
        if methods.peek().is_none() {
            return fresh;
        }
        let mut interposable = self.interposable.write();
        for (name, desc) in methods {
            signature(name, desc, |key| {
                if !interposable.contains(key) {
                    interposable.insert(key.into());
                    fresh.push(key.into());
                }
            });
        }
        fresh
    }

    /// Is (name, descriptor) interposable?
    pub fn is_interposable(&self, name: &[u8], desc: &[u8]) -> bool {
        signature(name, desc, |key| self.interposable.read().contains(key))
    }

    /// Methods were rewritten without the exit store: their names and descriptors. Those of their
    /// signatures that are interposable by now.
    pub fn unguarded<'m>(&self, methods: impl Iterator<Item = (&'m [u8], &'m [u8], MethodId)>) -> Vec<Signature> {
        let mut methods = methods.peekable();
        let mut late = Vec::new();
        if methods.peek().is_none() {
            return late;
        }
        // Who makes a signature interposable looks for its methods behind that: one of the two sees
        // the other.
        let mut unguarded = self.unguarded.write();
        let interposable = self.interposable.read();
        for (name, desc, method) in methods {
            signature(name, desc, |key| {
                if interposable.contains(key) {
                    late.push(key.into());
                }
                match unguarded.get_mut(key) {
                    Some(known) => known.push(method),
                    None => drop(unguarded.insert(key.into(), vec![method])),
                }
            });
        }
        late
    }

    /// Forgets unloaded methods. What their classes have made interposable stays so.
    pub fn forget(&self, dead: &Dead) {
        self.unguarded.write().retain(|_, methods| {
            methods.retain(|&method| !dead.has_method(method));
            methods.shrink_to(2 * methods.len());
            !methods.is_empty()
        });
    }

    /// The methods of a signature that has become interposable.
    pub fn exposed_by(&self, signature: &[u8]) -> Vec<MethodId> {
        let mut unguarded = self.unguarded.write();
        unguarded.remove(signature).unwrap_or_default()
    }

    /// Learns how a boot class initialises.
    pub fn learn_boot(&self, class: &Summary<'_>) {
        // An interface with default methods is initialised with its implementer; treat any
        // interface list as code that may run.
        let plain = !class.has_clinit && class.interfaces.is_empty();
        let parent = class.super_name.unwrap_or_default().into();
        let entry = plain.then_some(parent);
        self.plain_boot.write().insert(class.name.into(), entry);
    }

    /// A boot class is initialised already.
    pub fn initialised(&self, name: &[u8]) {
        self.initialised.write().insert(name.into());
    }

    /// Can initialising `class` run no instrumented code?
    pub fn is_inert(&self, class: &[u8]) -> bool {
        // Only names below `java/` mean the boot class whatever loader resolves them
        // (ClassLoader.preDefineClass).
        if !class.starts_with(b"java/") {
            return false;
        }
        if self.initialised.read().contains(class) {
            return true;
        }
        let plain = self.plain_boot.read();
        let mut name = class;
        // Bounded: a class file may claim a cyclic hierarchy before it is linked.
        for _ in 0..64 {
            match plain.get(name) {
                Some(Some(parent)) if parent.is_empty() => return true,
                Some(Some(parent)) => name = parent,
                _ => return false,
            }
        }
        false
    }

    /// How many signatures are interposable.
    pub fn len(&self) -> usize {
        self.interposable.read().len()
    }
}

/// Can a virtual call reach a method of this name and these flags?
pub fn is_overridable(name: &[u8], access: u16) -> bool {
    access & (ACC_PRIVATE | ACC_STATIC) == 0 && name.first() != Some(&b'<')
}

/// Shows the [`Signature`] of a method whose name and descriptor are text of the JVM or of ours.
fn signature<R>(name: &[u8], desc: &[u8], show: impl FnOnce(&[u8]) -> R) -> R {
    let (name, desc) = (text::ours(name), text::ours(desc));
    let (head, len) = (name.len(), name.len() + desc.len());
    let mut short = [0; 256];
    match short.get_mut(..len) {
        Some(key) => {
            key[..head].copy_from_slice(name.as_bytes());
            key[head..].copy_from_slice(desc.as_bytes());
            show(key)
        }
        None => show([name, desc].concat().as_bytes()),
    }
}
