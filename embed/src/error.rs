//! What functions of the table return when it is not all well.

use std::fmt;

/// An error code of the ABI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// Lucce is not loaded, not loaded yet, or inert.
    NotStarted,
    /// After VMDeath, or after the kill switch was used.
    Over,
    /// A null pointer, an empty or overlong name, a struct that is too small.
    Argument,
    /// `env` is not the current thread's.
    Thread,
    /// No instrumented code on the stack, or nothing published there.
    Outside,
    /// The context could not be kept.
    Lost,
    /// No captured number of this run, no such consumer.
    Unknown,
    /// The frames end above the thread's base.
    Partial,
    /// The log's queue is full.
    Dropped,
    /// The consumer is removed but still running in another thread.
    Busy,
    /// Too many consumers.
    Full,
    /// An error inside Lucce.
    Internal,
}

impl Error {
    const ALL: [Self; 12] = [
        Self::NotStarted,
        Self::Over,
        Self::Argument,
        Self::Thread,
        Self::Outside,
        Self::Lost,
        Self::Unknown,
        Self::Partial,
        Self::Dropped,
        Self::Busy,
        Self::Full,
        Self::Internal,
    ];

    /// Its code in `lucce.h`.
    pub fn code(self) -> i32 {
        Self::ALL.iter().position(|&error| error == self).map_or(0, |at| at as i32 + 1)
    }

    /// The result that a code stands for; codes unheard of are errors inside Lucce.
    ///
    /// # Errors
    /// For every code but 0.
    pub fn check(code: i32) -> Result<(), Self> {
        match code {
            0 => Ok(()),
            _ => {
                Err(usize::try_from(code - 1).ok().and_then(|at| Self::ALL.get(at).copied()).unwrap_or(Self::Internal))
            }
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::NotStarted => "Lucce is not started",
            Self::Over => "the JVM has ended, or Lucce was killed",
            Self::Argument => "a wrong argument",
            Self::Thread => "the environment is not the current thread's",
            Self::Outside => "outside of instrumented code",
            Self::Lost => "the context is lost",
            Self::Unknown => "no such number",
            Self::Partial => "the frames end above the thread's base",
            Self::Dropped => "the log's queue is full",
            Self::Busy => "still running in another thread",
            Self::Full => "too many consumers",
            Self::Internal => "an error inside Lucce",
        })
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_errors_are_each_others_inverse() {
        assert_eq!(Error::check(0), Ok(()));
        for error in Error::ALL {
            assert_eq!(Error::check(error.code()), Err(error));
        }
        assert_eq!([Error::check(13), Error::check(-1)], [Err(Error::Internal); 2]);
    }
}
