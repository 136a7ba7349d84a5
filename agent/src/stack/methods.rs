//! Which rewriting a frame's method is: from the JVM's `jmethodID` to our [`MethodId`].
//!
//! The rewritten code says it itself: its prologue passes the id to `LucceHooks.enter`, so what
//! GetBytecodes returns identifies exactly the code that the frame runs, obsolete versions after a
//! retransformation included. Where no class is rewritten ([`Methods::of_names`]), each method is
//! one of ours, and its names and lines say which ([`learned`]).
//! Invariant: an answer is remembered only for methods of classes that were never redefined, but by
//! the agent itself at VMInit; a `jmethodID` is moved to the new version by a redefinition.

use std::sync::atomic::{AtomicU32, Ordering};

use jvmti_bindings::sys::jni::{jclass, jmethodID};
use lucce_classfile::{method_id_of, opcode_hash};
use lucce_words::{MethodId, signature};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::jvm::env::Env;
use crate::jvm::jvmti::Jvmti;
use crate::jvm::redefined;
use crate::stack::learned::{self, Unshown};
use crate::state::catalog::{Catalog, MethodEntry};
use crate::support::dead::Dead;
use crate::support::lock::{Lock, Shared};

/// More answers than this are not kept where classes come and go, nor more than that anywhere: some
/// 3 MiB. Who asks again is answered again.
const MOST: usize = 1 << 15;
const MOST_EVER: usize = 1 << 17;

/// What a frame's method is to Lucce.
pub type Identity = Option<MethodId>;

/// A time between redefinitions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    redefinitions: u32,
    own: u32,
}

impl Moment {
    /// Was any class redefined by then, or was one being?
    pub fn is_redefined(self) -> bool {
        self.redefinitions != 0 || !self.own.is_multiple_of(2)
    }
}

/// Remembers the identity of methods.
#[derive(Default)]
pub struct Methods {
    known: Shared<FxHashMap<usize, Identity>>,
    /// Signatures of classes that were redefined at least once.
    redefined: Shared<FxHashSet<String>>,
    /// How often that was.
    redefinitions: AtomicU32,
    /// Odd while the agent itself retransforms, at VMInit: nothing is remembered then.
    own: AtomicU32,
    /// Have the boot loader's classes hooks, too?
    boot: bool,
    /// Where no class is rewritten: what the JVM does not show.
    by_names: Option<Unshown>,
    /// Found to be another agent's, and nobody was told yet.
    foreign: Lock<FxHashSet<MethodId>>,
}

impl Methods {
    /// Nothing is known yet. `boot`: have the boot loader's classes hooks, too?
    pub fn new(boot: bool) -> Self {
        Self { boot, ..Self::default() }
    }

    /// The same, where no class is rewritten.
    pub fn of_names(unshown: Unshown) -> Self {
        Self { by_names: Some(unshown), ..Self::default() }
    }

    /// The method that rewritten code of `method` says it is; `None` for code without hooks.
    pub fn identify(&self, env: Env, catalog: &Catalog, method: jmethodID) -> Identity {
        if let Some(identity) = self.remembered(method) {
            return identity;
        }
        let class = env.jvmti.declaring_class(method);
        if class.is_null() {
            return None;
        }
        let identity = self.resolve(env, catalog, class, method);
        env.jni.release(class);
        identity
    }

    /// What is known of a method without asking: its class was not redefined when that was last
    /// asked, or has no hooks in any case.
    pub fn remembered(&self, method: jmethodID) -> Option<Identity> {
        self.known.read().get(&(method as usize)).copied()
    }

    /// The same of many, with one taking of the lock.
    pub fn all_remembered(&self, methods: impl Iterator<Item = jmethodID>) -> Vec<Option<Identity>> {
        let known = self.known.read();
        methods.map(|method| known.get(&(method as usize)).copied()).collect()
    }

    /// The run is over.
    pub fn clear(&self) {
        *self.known.write() = FxHashMap::default();
        if let Some(unshown) = &self.by_names {
            unshown.clear();
        }
    }

    /// How often classes were redefined so far, by others and by the agent.
    pub fn moment(&self) -> Moment {
        Moment { redefinitions: self.redefinitions(), own: self.own.load(Ordering::SeqCst) }
    }

    /// Has no redefinition begun since? What was remembered then, and is now, holds for the time
    /// between: a class is marked, and what is known of it forgotten, before the JVM changes it.
    pub fn is_still(&self, moment: Moment) -> bool {
        moment.own.is_multiple_of(2) && self.moment() == moment
    }

    /// Forgets unloaded methods; and everything, where much was asked about that is not ours and
    /// may be unloaded as well.
    pub fn forget(&self, dead: &Dead) {
        let mut known = self.known.write();
        if known.len() > MOST {
            known.clear();
        }
        known.retain(|_, identity| identity.is_none_or(|method| !dead.has_method(method)));
    }

    /// Was any class redefined?
    pub fn any_redefined(&self) -> bool {
        self.is_own() || self.redefinitions() != 0
    }

    /// How often a class was redefined so far, or was about to be.
    pub fn redefinitions(&self) -> u32 {
        self.redefinitions.load(Ordering::SeqCst)
    }

    /// Was the class with this signature ever redefined?
    pub fn was_redefined(&self, signature: &str) -> bool {
        self.is_redefined(signature)
    }

    /// The agent begins to retransform what was loaded before it was ready.
    pub fn begin_own(&self) {
        redefined::note();
        self.own.fetch_add(1, Ordering::SeqCst);
        self.known.write().clear();
    }

    /// It has ended.
    pub fn end_own(&self) {
        self.own.fetch_add(1, Ordering::SeqCst);
    }

    /// Is the agent itself retransforming?
    pub fn is_own(&self) -> bool {
        !self.own.load(Ordering::SeqCst).is_multiple_of(2)
    }

    /// The class with this signature is being redefined: forget all, and never remember its methods
    /// again.
    pub fn redefining(&self, signature: String) {
        redefined::note();
        self.redefined.write().insert(signature);
        self.redefinitions.fetch_add(1, Ordering::SeqCst);
        self.known.write().clear();
    }

    fn resolve(&self, env: Env, catalog: &Catalog, class: jclass, method: jmethodID) -> Identity {
        let jvmti = env.jvmti;
        let own = self.own.load(Ordering::SeqCst);
        if self.by_names.is_none() && !self.boot && is_boots(env, class) {
            remember(&mut self.known.write(), method as usize, None);
            return None;
        }
        let signature = jvmti.class_signature(class)?;
        let identity = match &self.by_names {
            Some(unshown) => learned::identify(jvmti, catalog, unshown, (class, &signature), method),
            None => self.by_code(jvmti, catalog, &signature, method)?,
        };
        let mut known = self.known.write();
        // A redefinition may have begun meanwhile. It marks the class before it takes this lock to
        // clear the table.
        if !self.is_redefined(&signature) && own.is_multiple_of(2) && own == self.own.load(Ordering::SeqCst) {
            remember(&mut known, method as usize, identity);
        }
        identity
    }

    /// What the code says of itself; `None` where the JVM does not show it.
    fn by_code(&self, jvmti: Jvmti, catalog: &Catalog, signature: &str, method: jmethodID) -> Option<Identity> {
        let code = jvmti.bytecodes(method)?;
        // The shape of a prologue could stand in a program by chance; the names settle it.
        let is_named = |&id: &MethodId| {
            catalog.method(id).zip(jvmti.method_name(method)).is_some_and(|(entry, named)| {
                entry.member.name() == named.name
                    && entry.member.desc() == named.desc
                    && signature::class(signature) == Some(entry.member.owner())
            })
        };
        let named = method_id_of(&code).filter(is_named);
        // And another agent may have changed the code after us: its indices then mean nothing here,
        // and what it inserted publishes nothing.
        let as_emitted = |entry: &MethodEntry| entry.opcode_hash == opcode_hash(&code) && entry.map.fits(&code);
        let identity = named.filter(|&id| catalog.method(id).is_some_and(|entry| as_emitted(&entry)));
        if identity.is_none() {
            // Its own code may stand before our prologue.
            let moved = || (1..code.len()).find_map(|at| method_id_of(&code[at..]).filter(is_named));
            let changed = named.or_else(moved);
            self.foreign.lock().extend(changed);
        }
        Some(identity)
    }

    /// Methods that another agent was found to have changed after us, since the last time.
    pub fn take_foreign(&self) -> FxHashSet<MethodId> {
        std::mem::take(&mut *self.foreign.lock())
    }

    /// Has the JVM shown that the method's code is another agent's, and was nobody told yet?
    pub fn is_foreign(&self, method: MethodId) -> bool {
        self.foreign.lock().contains(&method)
    }

    fn is_redefined(&self, signature: &str) -> bool {
        self.redefined.read().contains(signature)
    }
}

fn remember(known: &mut FxHashMap<usize, Identity>, method: usize, identity: Identity) {
    // All at once: to know which ones are still asked for would cost each question more than
    // answering some again.
    if known.len() >= MOST_EVER {
        known.clear();
    }
    known.insert(method, identity);
}

fn is_boots(Env { jvmti, jni }: Env, class: jclass) -> bool {
    jvmti.class_loader(class).is_none_or(|loader| {
        jni.release(loader);
        loader.is_null()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_bounded() {
        let mut known = FxHashMap::default();
        for method in 0..2 * MOST_EVER + 1 {
            remember(&mut known, method, None);
            assert!(known.len() <= MOST_EVER && known.contains_key(&method));
        }
    }
}
