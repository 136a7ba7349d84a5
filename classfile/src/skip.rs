//! Why a class or a method is left as it was.
//!
//! Invariant: the names are stable (they stand in logs), kebab-case, one for each reason.
//! Source: ARCHITECTURE ("The contract", "No harm").

use std::fmt;

/// A named reason, with the detail that helps to find the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SkipReason {
    /// Not a class file as JVMS chapter 4 describes it; `offset` is a byte offset in the class
    /// file. It concerns the class as a whole also where it is found in a method: the JVM refuses
    /// the class, and what the hooks append to its pool must not make an index right that names
    /// nothing.
    Malformed {
        /// What was expected there.
        what: &'static str,
        /// Byte offset in the class file.
        offset: u32,
    },
    /// Code that the JVM may take, of a kind that no compiler writes and that is not followed.
    NotFollowed {
        /// What is odd about it.
        what: &'static str,
        /// Byte offset in the class file.
        offset: u32,
    },
    /// A table of the method has no room for what the hooks add.
    TableTooLong {
        /// What it holds.
        what: &'static str,
    },
    /// A class-file version outside 45 to 69.
    UnsupportedVersion {
        /// The major version.
        major: u16,
    },
    /// The method would pass 65535 bytes of code.
    MethodTooLarge {
        /// The size it would have.
        bytes: u32,
    },
    /// The constant pool has no room for the hooks' constants.
    ConstantPoolFull,
    /// The hooks' locals do not fit.
    TooManyLocals {
        /// How many locals there would be.
        locals: u32,
    },
    /// The hooks' operands do not fit on the operand stack.
    StackTooDeep {
        /// How deep the stack would be.
        depth: u32,
    },
    /// The stack-map frames would name each of very many locals very often.
    FramesTooLarge {
        /// At least so many bytes of frames there would be.
        bytes: u32,
    },
    /// To follow the operand stack, or `this` in a constructor, along all ways through the method
    /// would take very much time and memory.
    FlowTooLarge {
        /// At least so many slots would be passed on from instruction to instruction.
        slots: u32,
    },
    /// The exception table has no room for the hooks' handlers.
    TooManyHandlers,
    /// A conditional jump lost its reach, and there is no place near it for a longer one.
    JumpOverflow {
        /// Bytecode index of the jump.
        bci: u16,
    },
    /// No class, method or site ids are left.
    IdsExhausted,
    /// The policy wants it so.
    StaysOut,
}

impl SkipReason {
    /// The stable kebab-case name.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Malformed { .. } => "malformed",
            Self::NotFollowed { .. } => "not-followed",
            Self::TableTooLong { .. } => "table-too-long",
            Self::UnsupportedVersion { .. } => "unsupported-version",
            Self::MethodTooLarge { .. } => "method-too-large",
            Self::ConstantPoolFull => "constant-pool-full",
            Self::TooManyLocals { .. } => "too-many-locals",
            Self::StackTooDeep { .. } => "stack-too-deep",
            Self::FramesTooLarge { .. } => "frames-too-large",
            Self::FlowTooLarge { .. } => "flow-too-large",
            Self::TooManyHandlers => "too-many-handlers",
            Self::JumpOverflow { .. } => "jump-overflow",
            Self::IdsExhausted => "ids-exhausted",
            Self::StaysOut => "stays-out",
        }
    }

    pub(crate) fn malformed(what: &'static str, offset: usize) -> Self {
        Self::Malformed { what, offset: offset as u32 }
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())?;
        match self {
            Self::Malformed { what, offset } | Self::NotFollowed { what, offset } => {
                write!(out, " ({what} at offset {offset})")
            }
            Self::TableTooLong { what } => write!(out, " ({what})"),
            Self::UnsupportedVersion { major } => write!(out, " ({major})"),
            Self::MethodTooLarge { bytes } | Self::FramesTooLarge { bytes } => write!(out, " ({bytes} bytes)"),
            Self::TooManyLocals { locals } => write!(out, " ({locals})"),
            Self::StackTooDeep { depth } => write!(out, " ({depth})"),
            Self::FlowTooLarge { slots } => write!(out, " ({slots} slots)"),
            Self::JumpOverflow { bci } => write!(out, " (bci {bci})"),
            Self::ConstantPoolFull | Self::TooManyHandlers | Self::IdsExhausted | Self::StaysOut => Ok(()),
        }
    }
}

impl std::error::Error for SkipReason {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_shows_its_name_first() {
        let reason = SkipReason::malformed("tag", 12);
        assert_eq!(reason.to_string(), "malformed (tag at offset 12)");
        assert_eq!(SkipReason::ConstantPoolFull.to_string(), "constant-pool-full");
        assert!(SkipReason::JumpOverflow { bci: 7 }.to_string().starts_with("jump-overflow"));
    }
}
