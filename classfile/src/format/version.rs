//! The version of a class file, and what the JVM reads in such a file.
//!
//! Invariant: a question about versions is asked here. Source: JVMS 4.1, 4.10;
//! `crate::validate::failover`.

/// `major.minor` of the class file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) major: u16,
    pub(crate) minor: u16,
    /// Does HotSpot infer the types though it has looked for frames
    /// ([`crate::validate::failover`])?
    pub(crate) fails_over: bool,
}

/// The first version with frames, and the only one that does without them where they do not fit.
pub(crate) const FRAMES: u16 = 50;

impl Version {
    /// Does HotSpot read `StackMapTable`?
    pub(crate) fn reads_frames(self) -> bool {
        self.major >= FRAMES
    }

    /// Does HotSpot check the types by frames, rather than infer them?
    pub(crate) fn has_frames(self) -> bool {
        self.reads_frames() && !self.fails_over
    }

    /// May `ldc` push a class (JVMS table 4.4-C)?
    pub(crate) fn has_class_constants(self) -> bool {
        self.major >= 49
    }

    /// Has the Code attribute one-byte limits and a two-byte length (JDK 1.0.1 and before)?
    pub(crate) fn is_pre_release(self) -> bool {
        self.major == 45 && self.minor <= 2
    }
}
