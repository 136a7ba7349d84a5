//! Consumers of events, as objects.
//!
//! Invariant: a consumer is freed only when the agent has said that it runs nowhere.

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_void};
use std::marker::PhantomData;
use std::num::NonZeroU64;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::raw::{self, Env, Reference};
use crate::{Captured, ContextWord, Error, Lucce, Site};

/// Gets all events of the log; called on the threads that they happen on. `lucce.h` says which
/// kinds there are, and inside of what it is called.
pub trait Consumer: Send + Sync + 'static {
    /// Should events come with their captured context? It takes a lock for each.
    const CAPTURED: bool = true;

    /// Something happened. `env` is the current thread's.
    fn event(&self, env: Env, event: &Event<'_>);

    /// The run ends; the last time that [`Lucce::log`] works.
    fn closing(&self, env: Env) {
        let _ = env;
    }
}

/// An event. References and texts live during the call.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// `alloc`, `exception`, `monitor`, `park`, `cpu`, `leak` and `leak.*`, or a name of the
    /// program's or of an agent; `program:alloc` where that is one of these.
    pub kind: &'a str,
    /// Bytes for `alloc`, nanoseconds for `monitor`, `park` and `cpu`, 1 for `exception`; otherwise
    /// whoever made the event knows.
    pub value: i64,
    /// The word of the innermost instrumented activation, and where it stands.
    pub word: ContextWord,
    /// See `word`.
    pub site: Site,
    /// The context, if it was asked for and is not lost.
    pub captured: Option<Captured>,
    /// Nanoseconds since the start of the run.
    pub time_ns: u64,
    /// The thread.
    pub thread: Reference,
    /// For sampled allocations the class of the object, else null.
    pub class: Reference,
    /// The internal name (`[B` for `byte[]`) of the class that the event is about: of the object,
    /// exception, monitor or blocker, or what the event's maker named.
    pub type_name: Option<&'a str>,
    /// For sampled allocations the object, else null.
    pub object: Reference,
    lives: PhantomData<&'a ()>,
}

/// A consumer that is registered. Dropping this leaves it so for ever.
#[must_use = "a consumer that is never removed needs no registration: forget it with `let _ =`"]
#[derive(Debug)]
pub struct Registration {
    lucce: Lucce,
    id: u64,
    free: unsafe fn(*mut c_void),
    consumer: *mut c_void,
}

// SAFETY: the consumer behind the pointer is Send and Sync.
unsafe impl Send for Registration {}
// SAFETY: as above.
unsafe impl Sync for Registration {}

impl Registration {
    pub(crate) fn new<C: Consumer>(lucce: Lucce, consumer: C) -> Result<Self, Error> {
        let consumer: *mut c_void = Box::into_raw(Box::new(consumer)).cast();
        let described = raw::Consumer {
            size: size_of::<raw::Consumer>() as u32,
            flags: if C::CAPTURED { raw::CAPTURED } else { 0 },
            event: Some(event::<C>),
            closing: Some(closing::<C>),
            data: consumer,
        };
        let mut id = 0;
        // SAFETY: both structs live during the call.
        let code = unsafe { (lucce.raw().add_consumer)(&described, &mut id) };
        let registration = Self { lucce, id, free: free::<C>, consumer };
        if let Err(error) = Error::check(code) {
            // SAFETY: it was not registered, so nobody else has it.
            unsafe { free::<C>(consumer) };
            return Err(error);
        }
        Ok(registration)
    }

    /// Takes the consumer away and frees it, unless it still runs: then it is never freed. Any
    /// thread but one that holds what the consumer waits for; any time.
    ///
    /// # Errors
    /// [`Error::Busy`] if it still runs after a second, and from within the consumer itself, which
    /// goes on.
    pub fn remove(self) -> Result<(), Error> {
        if RUNNING.try_with(|running| running.borrow().contains(&self.consumer)).unwrap_or(false) {
            return Err(Error::Busy);
        }
        // SAFETY: any id may be asked for.
        Error::check(unsafe { (self.lucce.raw().remove_consumer)(self.id) })?;
        // SAFETY: the agent has said that it is not called any more and runs nowhere.
        unsafe { (self.free)(self.consumer) };
        Ok(())
    }

    /// Its number.
    pub fn id(&self) -> Option<NonZeroU64> {
        NonZeroU64::new(self.id)
    }
}

unsafe fn free<C>(consumer: *mut c_void) {
    // SAFETY: made by Box::into_raw with this type, and freed once.
    drop(unsafe { Box::from_raw(consumer.cast::<C>()) });
}

unsafe extern "C" fn event<C: Consumer>(env: Env, event: *const raw::Event, data: *mut c_void) {
    contained(data, || {
        // SAFETY: the ABI passes a live event, and the consumer as it was registered.
        let (event, consumer) = unsafe { (&*event, &*data.cast::<C>()) };
        consumer.event(
            env,
            &Event {
                kind: text(event.kind).unwrap_or_default(),
                value: event.value,
                word: ContextWord(event.word),
                site: Site(event.site),
                captured: NonZeroU64::new(event.captured).map(Captured),
                time_ns: event.time_ns,
                thread: event.thread,
                class: event.r#type,
                type_name: text(event.type_name),
                object: event.object,
                lives: PhantomData,
            },
        );
    });
}

unsafe extern "C" fn closing<C: Consumer>(env: Env, data: *mut c_void) {
    // SAFETY: the consumer as it was registered.
    contained(data, || unsafe { &*data.cast::<C>() }.closing(env));
}

thread_local! {
    /// The consumers that run on this thread.
    static RUNNING: RefCell<Vec<*mut c_void>> = const { RefCell::new(Vec::new()) };
}

/// A panic of a consumer ends here; the panic's hook has told of it.
fn contained(consumer: *mut c_void, body: impl FnOnce()) {
    // A thread that is ending may have lost the list already, and still allocate in the code that
    // detaches it. What is thrown in here would end the process.
    let _ = RUNNING.try_with(|running| running.borrow_mut().push(consumer));
    let _ = catch_unwind(AssertUnwindSafe(body));
    let _ = RUNNING.try_with(|running| running.borrow_mut().pop());
}

fn text<'a>(text: *const c_char) -> Option<&'a str> {
    // SAFETY: strings of the ABI are zero-terminated UTF-8 and live during the call.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_str().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    static CALLED: AtomicBool = AtomicBool::new(false);

    /// What a thread runs behind the destructors of its own.
    struct Detaches;

    impl Drop for Detaches {
        fn drop(&mut self) {
            assert!(RUNNING.try_with(|_| ()).is_err(), "the list is gone by now");
            contained(std::ptr::null_mut(), || CALLED.store(true, Ordering::Relaxed));
        }
    }

    thread_local! {
        static LAST: Detaches = const { Detaches };
    }

    /// It ended the process: there is nobody to catch a panic there.
    #[test]
    fn a_consumer_may_be_called_on_a_thread_that_has_lost_its_own() {
        let thread = std::thread::spawn(|| {
            // Destructors run in the order opposite to that of first uses.
            LAST.with(|_| ());
            contained(std::ptr::null_mut(), || ());
        });
        thread.join().unwrap();
        assert!(CALLED.load(Ordering::Relaxed));
    }
}
