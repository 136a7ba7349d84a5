//! Lucce for native agents: the exact calling context of the current thread as one number, and
//! back. The Rust side of `include/lucce.h`.
//!
//! Invariant: no panic of a consumer or of a frame's visitor crosses into the agent's library; no
//! dependency on any JVM bindings, so that it goes with all of them (`JNIEnv *` and references are
//! plain pointers).
//! Source: `embed/include/lucce.h`, which says for each function what threads and phases it is for.
//!
//! ```no_run
//! # let env = std::ptr::null_mut();
//! let lucce = lucce_embed::Lucce::find().expect("-agentpath:liblucce.so stands before this agent");
//! // SAFETY: `env` is the JNI environment that the callback was given.
//! if let Some(captured) = unsafe { lucce.capture(env) } {
//!     for frame in lucce.decode(captured).unwrap_or_default() {
//!         println!("{}.{} at {}", frame.class, frame.method, frame.bci);
//!     }
//! }
//! ```

pub mod raw;

mod consumer;
mod error;
mod frame;
mod hot;
mod library;

use std::ffi::{CStr, CString, c_void};
use std::num::NonZeroU64;

pub use consumer::{Consumer, Event, Registration};
pub use error::Error;
pub use frame::Frame;
pub use hot::Hot;
pub use raw::{Env, Reference};

/// A captured context. Equal contexts of a run have equal numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Captured(pub NonZeroU64);

/// A context word, as [`Lucce::context`] gives it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ContextWord(pub u64);

/// The instruction that goes with a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Site(pub i32);

/// The table of functions of the Lucce that this JVM has loaded. Valid for the life of the process.
#[derive(Clone, Copy, Debug)]
pub struct Lucce(&'static raw::Api);

impl Lucce {
    /// Finds it. `None` without Lucce, where that is older than this crate, and before the JVM has
    /// loaded it: it stands before this agent on the command line, or this is called from VMInit
    /// on.
    pub fn find() -> Option<Self> {
        let symbol = library::function(c"lucce_get_api");
        if symbol.is_null() {
            return None;
        }
        // SAFETY: the symbol has this type in every version of the library.
        let get: unsafe extern "C" fn(u32) -> *const raw::Api = unsafe { std::mem::transmute(symbol) };
        // SAFETY: may be called at any time; the table lives as long as the library.
        let api = unsafe { get(raw::VERSION).as_ref() }?;
        (api.size as usize >= size_of::<raw::Api>()).then_some(Self(api))
    }

    /// The functions of a table that the caller has.
    pub const fn of(api: &'static raw::Api) -> Self {
        Self(api)
    }

    /// The table itself.
    pub fn raw(self) -> &'static raw::Api {
        self.0
    }

    /// The id of this run, as the log's header has it; `None` if Lucce is not started.
    pub fn run(self) -> Option<NonZeroU64> {
        // SAFETY: no arguments; any thread.
        NonZeroU64::new(unsafe { (self.0.run)() })
    }

    /// The word that a thread (null: the current one) has published last, and the site it was about
    /// to run; see `lucce.h` for what they are worth.
    ///
    /// # Errors
    /// [`Error::Outside`], [`Error::Lost`] or why there is no answer.
    ///
    /// # Safety
    /// `env` is a JNI environment or null, `thread` a live reference to a `java.lang.Thread` or
    /// null.
    pub unsafe fn context(self, env: Env, thread: Reference) -> Result<(ContextWord, Site), Error> {
        let (mut word, mut site) = (ContextWord::default(), Site::default());
        // SAFETY: the caller's promise, and out parameters that live.
        Error::check(unsafe { (self.0.context)(env, thread, &mut word.0, &mut site.0) })?;
        Ok((word, site))
    }

    /// The exact context of the current thread; `None` outside of instrumented code, or if it is
    /// lost.
    ///
    /// # Safety
    /// `env` is a JNI environment or null.
    pub unsafe fn capture(self, env: Env) -> Option<Captured> {
        // SAFETY: the caller's promise.
        NonZeroU64::new(unsafe { (self.0.capture)(env) }).map(Captured)
    }

    /// The frames of a captured context, innermost first. Any thread, any time.
    ///
    /// # Errors
    /// [`Error::Unknown`] for a number of another run.
    pub fn decode(self, captured: Captured) -> Result<Vec<Frame>, Error> {
        let mut frames = Vec::new();
        // SAFETY: `push` gets what it expects.
        Error::check(unsafe { (self.0.decode)(captured.0.get(), Some(frame::push), (&raw mut frames).cast()) })?;
        Ok(frames)
    }

    /// The frames of a word at its site, and whether they reach the thread's base.
    ///
    /// # Errors
    /// [`Error::Unknown`] for a site of another run.
    pub fn decode_word(self, word: ContextWord, site: Site) -> Result<(Vec<Frame>, bool), Error> {
        let mut frames = Vec::new();
        // SAFETY: `push` gets what it expects.
        let code = unsafe { (self.0.decode_word)(word.0, site.0, Some(frame::push), (&raw mut frames).cast()) };
        match Error::check(code) {
            Err(Error::Partial) => Ok((frames, false)),
            Err(error) => Err(error),
            Ok(()) => Ok((frames, true)),
        }
    }

    /// Logs an event. Without `captured` in the context of the current thread; `type_name` as in
    /// [`Event`].
    ///
    /// # Errors
    /// Why it is not in the log.
    ///
    /// # Safety
    /// `env` is a JNI environment or null.
    pub unsafe fn log(
        self,
        env: Env,
        kind: &str,
        value: i64,
        captured: Option<Captured>,
        type_name: Option<&str>,
    ) -> Result<(), Error> {
        let text = |text: &str| CString::new(text).map_err(|_| Error::Argument);
        let (kind, type_name) = (text(kind)?, type_name.map(text).transpose()?);
        let event = raw::NewEvent {
            size: size_of::<raw::NewEvent>() as u32,
            pad: 0,
            kind: kind.as_ptr(),
            value,
            captured: captured.map_or(0, |captured| captured.0.get()),
            type_name: type_name.as_ref().map_or(std::ptr::null(), |name| name.as_ptr()),
        };
        // SAFETY: the caller's promise, and a struct that lives.
        Error::check(unsafe { (self.0.log)(env, &event) })
    }

    /// Registers a consumer of events.
    ///
    /// # Errors
    /// [`Error::NotStarted`], [`Error::Over`], [`Error::Full`].
    pub fn consume(self, consumer: impl Consumer) -> Result<Registration, Error> {
        Registration::new(self, consumer)
    }

    /// With `profile`: the contexts with this share of all entries, or perhaps with it, the hottest
    /// first. `None`: the share that the agent's options say. Any thread, any time.
    ///
    /// # Errors
    /// [`Error::Unknown`] where nothing is sampled.
    pub fn hot(self, share: Option<f64>) -> Result<Vec<Hot>, Error> {
        let mut all = Vec::new();
        // SAFETY: `push` gets what it expects.
        Error::check(unsafe { (self.0.hot)(share.unwrap_or(-1.0), Some(hot::push), (&raw mut all).cast()) })?;
        Ok(all)
    }

    /// The agent's counts by name.
    ///
    /// # Errors
    /// [`Error::NotStarted`].
    pub fn statistics(self) -> Result<Vec<(String, u64)>, Error> {
        unsafe extern "C" fn push(name: *const std::ffi::c_char, value: u64, data: *mut c_void) {
            // SAFETY: a zero-terminated name, and the vector below.
            let (name, counts) = unsafe { (CStr::from_ptr(name), &mut *data.cast::<Vec<(String, u64)>>()) };
            counts.push((name.to_string_lossy().into_owned(), value));
        }
        let mut counts: Vec<(String, u64)> = Vec::new();
        // SAFETY: `push` gets what it expects.
        Error::check(unsafe { (self.0.statistics)(Some(push), (&raw mut counts).cast()) })?;
        Ok(counts)
    }
}
