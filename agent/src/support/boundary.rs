//! The one way in: every callback and native of the agent runs inside [`guarded`].
//!
//! Invariant: no panic crosses into the JVM. A panic is counted and answered with the caller's
//! fallback, which is always a value that keeps the application right (a LOST word, an untouched
//! class). The first one is said at once, and the log has it at its end.
//! Source: `std::panic`.

use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

static PANICS: AtomicU64 = AtomicU64::new(0);

/// What the first panic said, and where in the source.
static FIRST: OnceLock<String> = OnceLock::new();

/// What the agent was called for when it panicked first.
static PLACE: OnceLock<&str> = OnceLock::new();

/// Has panics said as lines of the agent, those of its own threads included. Other libraries have a
/// hook of their own.
pub fn watch() {
    set_hook(Box::new(|panic| {
        if FIRST.set(described(panic)).is_ok()
            && let Some(text) = FIRST.get()
        {
            say!("internal error: {text}; contexts may be lost, the application is not affected");
        }
    }));
}

fn described(panic: &PanicHookInfo<'_>) -> String {
    let said = panic.payload_as_str().unwrap_or("a panic");
    // One line each, as all that the agent says.
    let said = said.replace('\n', " ");
    panic.location().map_or_else(|| said.clone(), |place| format!("{said} ({}:{})", place.file(), place.line()))
}

/// Runs `body`; a panic gives `fallback` in its place.
pub fn guarded<T>(place: &'static str, fallback: T, body: impl FnOnce() -> T) -> T {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(value) => value,
        Err(_) => {
            PLACE.get_or_init(|| place);
            PANICS.fetch_add(1, Ordering::Relaxed);
            fallback
        }
    }
}

/// How many panics were caught in this run.
pub fn panics() -> u64 {
    PANICS.load(Ordering::Relaxed)
}

/// The first panic of this run: where the agent was called, what was said, and where in the source.
pub fn first() -> Option<String> {
    let text = FIRST.get()?;
    Some(
        PLACE
            .get()
            .map_or_else(|| format!("internal error: {text}"), |place| format!("internal error in {place}: {text}")),
    )
}
