//! The agent's consumers of events: one that counts, and one that removes itself.

use std::sync::atomic::{AtomicU64, Ordering};

use lucce_embed::raw::Env;
use lucce_embed::{Consumer, Error, Event, Registration};

use super::{LAST, LUCCE, REMOVED, expect, locked};

/// Counts what it is given.
pub struct Counting {
    pub struck: AtomicU64,
    pub probes: AtomicU64,
}

impl Consumer for Counting {
    fn event(&self, env: Env, event: &Event<'_>) {
        let Some(lucce) = LUCCE.get() else { return };
        match event.kind {
            "struck" => {
                self.struck.fetch_add(1, Ordering::Relaxed);
                // SAFETY: the consumer's own environment.
                expect("an event's context is that of a capture", unsafe { lucce.capture(env) }, event.captured);
                // SAFETY: as above.
                let nested = unsafe { lucce.log(env, "nested", 1, event.captured, None) };
                expect("a consumer may log", nested, Ok(()));
            }
            "nested" => expect("a consumer's own events are not given", true, false),
            "probe" => {
                self.probes.fetch_add(1, Ordering::Relaxed);
                expect("an event's type is given", event.type_name, Some("probes/Probe"));
            }
            "program:alloc" => expect("a kind says whose it is", event.value, 43),
            "alloc" => expect("Lucce's own kinds are its own", event.value == 43, false),
            _ => {}
        }
    }

    fn closing(&self, env: Env) {
        let Some(lucce) = LUCCE.get() else { return };
        expect("the program's events were given", self.struck.load(Ordering::Relaxed), 5);
        expect("this agent's events were given", self.probes.load(Ordering::Relaxed) > 0, true);
        let captured = *locked(&LAST);
        // SAFETY: the consumer's own environment.
        expect("closing may log", unsafe { lucce.log(env, "closing", 7, captured, None) }, Ok(()));
    }
}

/// Removes itself at its first event.
pub struct Once;

impl Consumer for Once {
    const CAPTURED: bool = false;

    fn event(&self, _: Env, event: &Event<'_>) {
        expect("without being asked for no context is captured", event.captured, None);
        if let (Some(lucce), Some(id)) = (LUCCE.get(), REMOVED.get().and_then(Registration::id)) {
            // SAFETY: any id may be asked for.
            let remove = |id: u64| Error::check(unsafe { (lucce.raw().remove_consumer)(id) });
            expect("a consumer removes itself", remove(id.get()), Ok(()));
            expect("it is removed once", remove(id.get()), Err(Error::Unknown));
        }
    }
}
