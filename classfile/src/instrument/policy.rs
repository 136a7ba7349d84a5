//! What the caller decides: ids, what only the agent knows, and what to do besides calls.
//!
//! Invariant: with the same answers the same class comes out as the same bytes.
//! Source: docs/design/mechanisms.md, docs/design/emitted-code.md ("JDK leaf calls"),
//! docs/design/lazy-hooks.md, docs/design/jdk-classes.md.

use crate::Faults;
use lucce_words::weights::Scheme;
use lucce_words::{Bci, ClassId, MethodId, SiteId};

/// Where ids come from. `None` means that none are left. Ids of a method that is given up
/// afterwards are not reused.
pub trait Ids {
    /// An id for the class.
    fn class(&mut self) -> Option<ClassId>;
    /// An id for the next method that gets hooks.
    fn method(&mut self) -> Option<MethodId>;
    /// An id for the next site.
    fn site(&mut self) -> Option<SiteId>;
}

/// What only the agent knows.
pub trait Policy {
    /// Is (name, descriptor) interposable (docs/design/mechanisms.md ("Interposable")), so that its
    /// methods need the store of UNKNOWN at normal exit? Asked for instance methods only: no
    /// uninstrumented code stands between a static site and its method.
    fn interposable(&self, name: &[u8], desc: &[u8]) -> bool;
    /// Can initialising `class` (internal name) run no instrumented code? Then nothing is cleared
    /// before it.
    fn inert(&self, class: &[u8]) -> bool;
    /// Can a call of this method enter no instrumented code and raise no event? Then nothing is
    /// published before it. `special`: by `invokespecial`, so exactly this method is entered. Asked
    /// only where no event source publishes.
    fn jdk_leaf(&self, owner: &[u8], name: &[u8], desc: &[u8], special: bool) -> bool {
        let _ = (owner, name, desc, special);
        false
    }
    /// Is this constructor of the superclass, as the class's loader resolves that, one of
    /// [`crate::Instrumented::leaf_constructors`]? It is taken for a leaf then. Not asked where an
    /// event source publishes.
    fn leaf_super(&self, super_class: &[u8], desc: &[u8]) -> bool {
        let _ = (super_class, desc);
        false
    }
    /// Was a method of this name one of [`crate::Instrumented::leaf_methods`] in some class of this
    /// name? Code that took it for a leaf may still run, so what is published when it is entered is
    /// not believed.
    fn was_leaf(&self, class: &[u8], name: &[u8], desc: &[u8]) -> bool {
        let _ = (class, name, desc);
        false
    }
    /// Are the invocations of this method counted? Then it has hooks and is entered at its start,
    /// whatever it does.
    fn counts_entries(&self, class: &[u8], name: &[u8], desc: &[u8]) -> bool {
        let _ = (class, name, desc);
        false
    }
    /// May the JIT compiler run code of its own in place of a method that has an annotation with
    /// this type descriptor? Then nothing is counted in it, nor are its invocations.
    fn replaced(&self, annotation: &[u8]) -> bool {
        let _ = annotation;
        false
    }
    /// Does the JVM call this method at moments that no instruction tells? What is published when
    /// it is entered is not believed.
    fn called_by_jvm(&self, class: &[u8], name: &[u8], desc: &[u8]) -> bool {
        let _ = (class, name, desc);
        false
    }
    /// May the JDK call this instance method of a class with this superclass below
    /// [`Policy::jdk_leaf`] calls? What is published then is that of an earlier call, so it is not
    /// believed.
    fn may_jdk_leaf_call(&self, super_class: &[u8], name: &[u8], desc: &[u8]) -> bool {
        let _ = (super_class, name, desc);
        false
    }
    /// May this method be inactive ([`MethodOutcome::is_lazy`](crate::MethodOutcome::is_lazy)), if
    /// nothing in it reads its word?
    fn is_lazy(&self, class: &[u8], name: &[u8]) -> bool {
        let _ = (class, name);
        false
    }
    /// By how much is this method's natural weight enlarged? Asked with [`Scheme::Natural`] alone.
    fn resized(&self, class: &[u8], name: &[u8], desc: &[u8]) -> u32 {
        let _ = (class, name, desc);
        0
    }
    /// What does this instruction add to what its method publishes? Asked with [`Scheme::Natural`]
    /// alone.
    fn wrapped(&self, class: &[u8], name: &[u8], desc: &[u8], bci: Bci) -> u32 {
        let _ = (class, name, desc, bci);
        0
    }
    /// Is a method left as it is because of an annotation with this type descriptor?
    fn stays_out(&self, annotation: &[u8]) -> bool {
        let _ = annotation;
        false
    }
}

/// What to do besides calls.
#[derive(Clone, Copy, Debug, Default)]
pub struct RewriteOptions {
    /// Allocation instructions publish their own site.
    pub publish_allocations: bool,
    /// `athrow` publishes its own site; and whatever else may throw finds the word in its local: no
    /// method is entered late, and debuggers' tables of variables name that local, for JVMTI reads
    /// none that they leave out (GetLocalLong in methods with such a table).
    pub publish_throws: bool,
    /// `monitorenter` publishes its own site.
    pub publish_monitors: bool,
    /// Allocation instructions, and calls of `Object.clone`, are counted behind themselves.
    pub count_allocations: bool,
    /// A further local holds the version of the word, and is published with it: words that leave no
    /// room for a version (Algorithm 1).
    pub version_local: bool,
    /// Words are computed ([`lucce_words::hashed`]), with these weights: no hook is called at an
    /// entry.
    pub hashed: Option<Scheme>,
    /// How many definitions of the class came before this one: hashes of names tell them apart.
    pub definition: u32,
    /// The JVM has the class already. HotSpot merges the two constant pools, and makes `ldc_w` of
    /// each `ldc` whose index has grown. So that the code can be known again, there is no `ldc` in
    /// it, be it the program's.
    pub merged: bool,
    /// Where words are hashed: the agent compares what each method is entered with.
    pub check_entries: bool,
    /// Where words are hashed: each entry may be the turn of a sample.
    pub sample_entries: bool,
    /// Every method has hooks and is entered at its start, whatever it does: each entry is to be
    /// seen.
    pub every_entry: bool,
    /// Mechanisms left out; none but in tests.
    pub faults: Faults,
}

impl RewriteOptions {
    /// May events be raised in code that enters nothing, so that a call of it must publish its site
    /// too?
    pub(crate) fn raises_events(&self) -> bool {
        self.publish_allocations || self.publish_throws || self.publish_monitors
    }
}
