//! Switches that leave single mechanisms out, so that a test can show what each is for.
//!
//! Invariant: without the feature `faults` the struct is empty and every question answers "no".
//! Source: docs/design/mechanisms.md.

macro_rules! faults {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// Mechanisms that are left out; by default none.
        #[cfg(feature = "faults")]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Faults {
            $($(#[$doc])* pub $name: bool,)*
        }

        /// Mechanisms that are left out: none, without the feature `faults`.
        #[cfg(not(feature = "faults"))]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Faults;

        impl Faults {
            /// The names that [`Faults::leave_out`] knows; none without the feature `faults`.
            pub const NAMES: &'static [&'static str] =
                if cfg!(feature = "faults") { &[$(stringify!($name)),*] } else { &[] };

            /// Leaves the named mechanism out; false if there is no such switch.
            pub fn leave_out(&mut self, name: &str) -> bool {
                #[cfg(feature = "faults")]
                match name {
                    $(stringify!($name) => self.$name = true,)*
                    _ => return false,
                }
                let _ = name;
                cfg!(feature = "faults")
            }

            $($(#[$doc])* pub fn $name(&self) -> bool {
                #[cfg(feature = "faults")]
                return self.$name;
                #[cfg(not(feature = "faults"))]
                false
            })*
        }
    };
}

faults! {
    /// Nothing cleared before what may initialise a class.
    clear,
    /// Nothing cleared before the first publish of a method.
    clear_at_start,
    /// No store of UNKNOWN at the normal exit of interposable methods.
    interposable_exit,
    /// No store of UNKNOWN at the exceptional exit of frames that pushed nothing.
    exceptional_store,
    /// No handler watches the exit.
    exit_watched,
    /// Constructors: no handler before `super(...)`.
    handler_before_super,
    /// Constructors: no handler behind `super(...)`.
    handler_after_super,
    /// Constructors: no store of UNKNOWN at normal exit.
    constructor_exit_store,
    /// Constructors: `super(...)` always publishes its site.
    constructor_unknown_at_super,
    /// `super(...)` and `this(...)` are sites like any other.
    weak_init,
    /// A frame that pushed does not restore at its exits.
    restore_at_exit,
    /// `<clinit>`, `loadClass` and what the JDK asks below JDK leaf calls trust what is published.
    untrusted,
    /// No Guard. Read by whoever calls [`crate::edit::guard`].
    guard,
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_fault_is_known_only_with_the_feature() {
        let mut faults = crate::RewriteOptions::default().faults;
        assert!(!faults.clear() && !faults.leave_out("no_such_thing"));
        assert_eq!(faults.leave_out("clear"), cfg!(feature = "faults"));
        assert_eq!(faults.clear(), cfg!(feature = "faults"));
        assert!(!faults.guard());
    }
}
