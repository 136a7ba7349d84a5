//! What the agent keeps to read stacks: which method a `jmethodID` is.
//!
//! Invariant: a `jmethodID` is a method with hooks, which has an id of ours, or is known by its
//! name. Source: docs/design/mechanisms.md.

use crate::options::Options;
use crate::stack::learned::Unshown;
use crate::stack::methods::Methods;
use crate::state::names::Names;
use crate::support::dead::Dead;

/// The methods of frames.
pub struct FrameMethods {
    /// From `jmethodID` to our methods.
    pub methods: Methods,
    /// Names of methods that are not ours.
    pub names: Names,
}

impl FrameMethods {
    /// Nothing is known yet, in a JVM whose JDK is in the folder `home`.
    pub fn of_run(options: &Options, home: Option<&str>) -> Self {
        let methods = if options.has_hooks() {
            Methods::new(options.jdk)
        } else {
            Methods::of_names(Unshown::of(home.filter(|_| !options.fault("unshown"))))
        };
        Self { methods, names: Names::default() }
    }

    /// Forgets methods of unloaded classes, and all names: others may get their `jmethodID`s.
    pub fn forget(&self, dead: &Dead) {
        self.methods.forget(dead);
        self.names.forget();
    }

    /// The run is over.
    pub fn clear(&self) {
        self.methods.clear();
        self.names.clear();
    }
}
