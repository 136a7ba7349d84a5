//! A test's agent: asks every function of Lucce's ABI, in and out of its place, and captures at
//! events that strike anywhere.
//!
//! Its option is a list of `entry`, `exit`, `exception`, `step`: where in the classes of `hazards`
//! it captures; under `verify` Lucce compares each capture with the JVM's own walk. With `asleep`
//! it asks at exceptions for words, too, and takes it that the methods there sleep; with `hashed`,
//! that words are hashed. What else it finds out is printed at VMDeath, a line each:
//! `abi: <what>: ok`, or what was wrong.
//! Source: `embed/include/lucce.h`.

#[path = "abi/consumers.rs"]
mod consumers;

use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_void};
use std::fmt::Debug;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use consumers::{Counting, Once};
use jvmti_bindings::sys::jni::{JNIEnv, JavaVM, jboolean, jint, jmethodID, jobject, jvalue};
use jvmti_bindings::sys::jvmti::{
    JVMTI_ENABLE, JVMTI_EVENT_EXCEPTION, JVMTI_EVENT_GARBAGE_COLLECTION_FINISH, JVMTI_EVENT_METHOD_ENTRY,
    JVMTI_EVENT_METHOD_EXIT, JVMTI_EVENT_SINGLE_STEP, JVMTI_EVENT_VM_DEATH, JVMTI_EVENT_VM_INIT, JVMTI_VERSION_11,
    jlocation, jvmtiCapabilities, jvmtiEnv, jvmtiEvent, jvmtiEventCallbacks,
};
use lucce_embed::raw::{self, Env};
use lucce_embed::{Captured, Error, Hot, Lucce, Registration};

static LUCCE: OnceLock<Lucce> = OnceLock::new();
static OPTIONS: OnceLock<String> = OnceLock::new();
static FOUND: Mutex<Vec<String>> = Mutex::new(Vec::new());
static MEANT: Mutex<Option<HashMap<usize, bool>>> = Mutex::new(None);
static CAPTURES: AtomicU64 = AtomicU64::new(0);
/// The environment of the thread that VMInit ran on, for those that must refuse it.
static MAIN_ENV: AtomicUsize = AtomicUsize::new(0);
/// A reference to the thread of VMInit, which is the one of `main`.
static MAIN: AtomicUsize = AtomicUsize::new(0);
static COLLECTED: AtomicBool = AtomicBool::new(false);
static REMOVED: OnceLock<Registration> = OnceLock::new();

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn has_option(name: &str) -> bool {
    OPTIONS.get().is_some_and(|options| options.contains(name))
}

/// Notes what came out; once for each name, the first wrong answer if there is one.
fn expect<T: Debug + PartialEq>(what: &str, found: T, wanted: T) {
    let line = if found == wanted {
        format!("abi: {what}: ok")
    } else {
        format!("abi: {what}: found {found:?}, wanted {wanted:?}")
    };
    let mut lines = locked(&FOUND);
    if !lines.contains(&line) {
        lines.push(line);
    }
}

static LAST: Mutex<Option<Captured>> = Mutex::new(None);

/// Is the method one of the package `hazards`?
///
/// # Safety
/// Called in a callback with its environments.
unsafe fn meant(jvmti: *mut jvmtiEnv, env: *mut JNIEnv, method: jmethodID) -> bool {
    if let Some(&known) = locked(&MEANT).get_or_insert_default().get(&(method as usize)) {
        return known;
    }
    // SAFETY: the callback's environments; memory is given back.
    let meant = unsafe {
        let functions = &*(*jvmti).functions;
        let (mut class, mut signature) = (null_mut(), null_mut::<c_char>());
        functions.GetMethodDeclaringClass.map(|get| get(jvmti, method, &mut class));
        functions.GetClassSignature.map(|get| get(jvmti, class, &mut signature, null_mut()));
        ((**env).DeleteLocalRef)(env, class);
        let meant = !signature.is_null() && CStr::from_ptr(signature).to_bytes().starts_with(b"Lhazards/Struck");
        functions.Deallocate.map(|free| free(jvmti, signature.cast()));
        meant
    };
    locked(&MEANT).get_or_insert_default().insert(method as usize, meant);
    meant
}

/// # Safety
/// Called in a callback with its environments.
unsafe fn struck(jvmti: *mut jvmtiEnv, env: *mut JNIEnv, method: jmethodID) {
    // SAFETY: as this function's own contract.
    if let Some(lucce) = LUCCE.get().filter(|_| unsafe { meant(jvmti, env, method) }) {
        // SAFETY: the callback's environment.
        if let Some(captured) = unsafe { lucce.capture(env.cast()) } {
            CAPTURES.fetch_add(1, Ordering::Relaxed);
            *locked(&LAST) = Some(captured);
        }
    }
}

unsafe extern "system" fn on_place(
    jvmti: *mut jvmtiEnv,
    env: *mut JNIEnv,
    _: jobject,
    method: jmethodID,
    _: jlocation,
) {
    // SAFETY: the callback's own.
    unsafe { struck(jvmti, env, method) }
}

unsafe extern "system" fn on_entry(jvmti: *mut jvmtiEnv, env: *mut JNIEnv, _: jobject, method: jmethodID) {
    // SAFETY: the callback's own.
    unsafe { struck(jvmti, env, method) }
}

unsafe extern "system" fn on_exit(
    jvmti: *mut jvmtiEnv,
    env: *mut JNIEnv,
    _: jobject,
    method: jmethodID,
    _: jboolean,
    _: jvalue,
) {
    // SAFETY: the callback's own.
    unsafe { struck(jvmti, env, method) }
}

unsafe extern "system" fn on_exception(
    jvmti: *mut jvmtiEnv,
    env: *mut JNIEnv,
    _: jobject,
    method: jmethodID,
    _: jlocation,
    exception: jobject,
    _: jmethodID,
    _: jlocation,
) {
    let Some(&lucce) = LUCCE.get() else { return };
    // SAFETY: the callback's own.
    unsafe {
        if !meant(jvmti, env, method) {
            return;
        }
        struck(jvmti, env, method);
        // A pending exception stays one.
        let jni = *env;
        ((*jni).Throw)(env, exception);
        let captured = lucce.capture(env.cast());
        expect("a capture with an exception pending", captured.is_some(), true);
        let pending = ((*jni).ExceptionOccurred)(env);
        ((*jni).ExceptionClear)(env);
        expect("the exception is pending still", ((*jni).IsSameObject)(env, pending, exception) != 0, true);
        ((*jni).DeleteLocalRef)(env, pending);
        let Some(captured) = captured else { return };
        expect("log here", lucce.log(env.cast(), "probe", 42, None, Some("probes/Probe")), Ok(()));
        expect("log there", lucce.log(env.cast(), "probe", 43, Some(captured), Some("probes/Probe")), Ok(()));
        // The name of a kind of Lucce's own: an object has no such size.
        expect("log by another's name", lucce.log(env.cast(), "alloc", 43, Some(captured), None), Ok(()));
        if has_option("asleep") {
            asleep(lucce, env, captured);
        }
        if has_option("hashed") {
            hashed(lucce, env, captured);
        }
        arguments(lucce, env, captured, exception);
        elsewhere(lucce, env as usize, captured);
    }
}

/// Words below methods that sleep, which publish nothing.
///
/// # Safety
/// Called in a callback with its environment.
unsafe fn asleep(lucce: Lucce, env: *mut JNIEnv, captured: Captured) {
    let (own, main) = (env.cast(), MAIN.load(Ordering::Relaxed) as jobject);
    // SAFETY: the callback's environment, a reference that is never released, and none.
    let (here, of_main) = unsafe { (lucce.context(own, null_mut()), lucce.context(own, main)) };
    let told = here.and_then(|(word, site)| lucce.decode_word(word, site));
    let frames = lucce.decode(captured).unwrap_or_default();
    let agrees = |(told, whole): &(Vec<_>, bool)| {
        !told.is_empty() && frames.starts_with(told) && (!whole || told.len() == frames.len())
    };
    expect("a word of the current thread", told.as_ref().is_ok_and(agrees), true);
    // Until the other thread runs, which main waits for, main is the current one.
    if let Err(error) = of_main {
        expect("nothing of another thread", error, Error::Outside);
    }
}

/// Hashed words: of the current thread, and of one that waits where it has captured before.
///
/// # Safety
/// Called in a callback with its environment.
unsafe fn hashed(lucce: Lucce, env: *mut JNIEnv, captured: Captured) {
    let (own, main) = (env.cast(), MAIN.load(Ordering::Relaxed) as jobject);
    // SAFETY: the callback's environment, a reference that is never released, and none.
    let (here, of_main) = unsafe { (lucce.context(own, null_mut()), lucce.context(own, main)) };
    let told = |context: Result<_, Error>| context.and_then(|(word, site)| lucce.decode_word(word, site));
    let whole = lucce.decode(captured).map(|frames| (frames, true));
    expect("a hashed word of the current thread", told(here) == whole, true);
    if MAIN_ENV.load(Ordering::Relaxed) != env as usize {
        let names = |(frames, whole): (Vec<lucce_embed::Frame>, bool)| {
            (frames.into_iter().map(|frame| frame.method).collect::<Vec<_>>(), whole)
        };
        expect(
            "a hashed word of another thread",
            told(of_main).map(names),
            Ok((vec!["held".to_owned(), "main".to_owned()], true)),
        );
    }
}

/// What is refused.
///
/// # Safety
/// Called in a callback with its environment.
unsafe fn arguments(lucce: Lucce, env: *mut JNIEnv, captured: Captured, no_thread: jobject) {
    let api = lucce.raw();
    let (own, code) = (env.cast::<c_void>(), Error::check);
    // SAFETY: what is wrong with the arguments is what is refused before it is used.
    unsafe {
        expect("a null environment", code((api.context)(null_mut(), null_mut(), &mut 0, &mut 0)), Err(Error::Argument));
        expect("a wild environment", (api.capture)(8 as Env), 0);
        expect("no place for the word", code((api.context)(own, null_mut(), null_mut(), &mut 0)), Err(Error::Argument));
        expect("no thread", code((api.context)(own, no_thread, &mut 0, &mut 0)), Err(Error::Argument));
        expect("no callback", code((api.decode)(captured.0.get(), None, null_mut())), Err(Error::Argument));
        for number in [0, u64::from(u32::MAX), u64::MAX] {
            let ignore = frame_ignored as raw::OnFrame;
            expect("an unknown number", code((api.decode)(number, Some(ignore), null_mut())), Err(Error::Unknown));
        }
        expect(
            "an unknown site",
            lucce.decode_word(lucce_embed::ContextWord(7), lucce_embed::Site(-5)).err(),
            Some(Error::Unknown),
        );
        expect("no event", code((api.log)(own, std::ptr::null())), Err(Error::Argument));
        let mut event = raw::NewEvent {
            size: size_of::<raw::NewEvent>() as u32 - 1,
            pad: 0,
            kind: c"x".as_ptr(),
            value: 0,
            captured: 0,
            type_name: std::ptr::null(),
        };
        expect("an event too small", code((api.log)(own, &event)), Err(Error::Argument));
        event.size += 1;
        event.kind = c"".as_ptr();
        expect("an empty kind", code((api.log)(own, &event)), Err(Error::Argument));
        event.kind = c"x".as_ptr();
        event.captured = u64::MAX;
        expect("an event of an unknown context", code((api.log)(own, &event)), Err(Error::Unknown));
        expect("no consumer", code((api.add_consumer)(std::ptr::null(), &mut 0)), Err(Error::Argument));
        expect("an unknown consumer", code((api.remove_consumer)(999)), Err(Error::Unknown));
        expect("no count", code((api.statistics)(None, null_mut())), Err(Error::Argument));
        expect("no hot context", code((api.hot)(0.5, None, null_mut())), Err(Error::Argument));
    }
    let counted = lucce.statistics().unwrap_or_default();
    expect("captures are counted", counted.iter().any(|(name, value)| name == "abi.captures" && *value > 0), true);
}

unsafe extern "C" fn frame_ignored(_: *const raw::Frame, _: *mut c_void) -> i32 {
    0
}

/// On a thread that the JVM does not know.
fn elsewhere(lucce: Lucce, env: usize, captured: Captured) {
    let here = lucce.decode(captured);
    expect("a decoded context has frames", here.as_ref().is_ok_and(|frames| !frames.is_empty()), true);
    let other = std::thread::spawn(move || {
        // SAFETY: a foreign environment is refused before it is used.
        let refused = unsafe { lucce.log(env as Env, "stolen", 1, Some(captured), None) };
        // SAFETY: as above.
        (lucce.decode(captured), refused, unsafe { lucce.capture(env as Env) })
    });
    match lucce.hot(Some(0.0)) {
        Err(error) => expect("hot contexts need a profile", (error, has_option("profiled")), (Error::Unknown, false)),
        Ok(all) => {
            let decodes = |hot: &Hot| hot.captured.is_some_and(|captured| lucce.decode(captured).is_ok());
            expect("hot contexts are decoded", !all.is_empty() && all.iter().all(decodes), true);
            let within = |hot: &Hot| hot.samples <= hot.most_samples && hot.low <= hot.high && hot.is_hot;
            expect("all entries are sampled", all.iter().all(within), true);
        }
    }
    if let Ok((there, refused, stolen)) = other.join() {
        expect("decode without the JVM", there, here);
        expect("another thread's environment", refused, Err(Error::Thread));
        expect("no capture with it", stolen, None);
    }
}

unsafe extern "system" fn on_collected(_: *mut jvmtiEnv) {
    let (Some(lucce), Ok(last)) = (LUCCE.get(), LAST.try_lock()) else { return };
    // SAFETY: the environment of another thread is refused before it is used.
    expect("no capture in a collection", unsafe { lucce.capture(MAIN_ENV.load(Ordering::Relaxed) as Env) }, None);
    if let Some(captured) = *last {
        expect("decode in a collection", lucce.decode(captured).is_ok(), true);
        COLLECTED.store(true, Ordering::Relaxed);
    }
}

unsafe extern "system" fn on_init(jvmti: *mut jvmtiEnv, env: *mut JNIEnv, thread: jobject) {
    MAIN_ENV.store(env as usize, Ordering::Relaxed);
    // SAFETY: the callback's own.
    MAIN.store(unsafe { ((**env).NewGlobalRef)(env, thread) } as usize, Ordering::Relaxed);
    let Some(lucce) = LUCCE.get().copied().or_else(Lucce::find) else { return };
    let _ = LUCCE.set(lucce);
    expect("the run has an id", lucce.run().is_some(), true);
    // SAFETY: the callback's environment.
    unsafe {
        expect("nothing is instrumented yet", lucce.capture(env.cast()), None);
        expect("no context yet", lucce.context(env.cast(), thread), Err(Error::Outside));
        expect("no event without a context", lucce.log(env.cast(), "early", 1, None, None), Err(Error::Outside));
        for (name, event) in [
            ("entry", JVMTI_EVENT_METHOD_ENTRY),
            ("exit", JVMTI_EVENT_METHOD_EXIT),
            ("exception", JVMTI_EVENT_EXCEPTION),
            ("step", JVMTI_EVENT_SINGLE_STEP),
        ] {
            if has_option(name) {
                enable(jvmti, event);
            }
        }
    }
}

unsafe extern "system" fn on_death(_: *mut jvmtiEnv, env: *mut JNIEnv) {
    let Some(&lucce) = LUCCE.get() else { return };
    let last = *locked(&LAST);
    // SAFETY: the callback's environment.
    unsafe {
        expect("no event after the end", lucce.log(env.cast(), "late", 1, last, None), Err(Error::Over));
        expect("no capture after the end", lucce.capture(env.cast()), None);
    }
    expect("decode after the end", last.is_some_and(|last| lucce.decode(last).is_ok()), true);
    expect("no consumer after the end", lucce.consume(Once).err(), Some(Error::Over));
    expect("a collection was met", COLLECTED.load(Ordering::Relaxed), true);
    println!("abi: {} captures", CAPTURES.load(Ordering::Relaxed));
    locked(&FOUND).iter().for_each(|line| println!("{line}"));
}

/// # Safety
/// `jvmti` is an environment of this JVM.
unsafe fn enable(jvmti: *mut jvmtiEnv, event: jvmtiEvent) {
    // SAFETY: the function's contract.
    unsafe { (*(*jvmti).functions).SetEventNotificationMode.map(|set| set(jvmti, JVMTI_ENABLE, event, null_mut())) };
}

/// # Safety
/// Called by the JVM.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Agent_OnLoad(vm: *mut JavaVM, options: *const c_char, _: *mut c_void) -> jint {
    // SAFETY: a zero-terminated string or null.
    let options = if options.is_null() { "".into() } else { unsafe { CStr::from_ptr(options) }.to_string_lossy() };
    let _ = OPTIONS.set(options.into_owned());
    let mut env = null_mut();
    // SAFETY: the JVM's own pointer.
    if unsafe { ((**vm).GetEnv)(vm, &mut env, JVMTI_VERSION_11) } != 0 {
        return -1;
    }
    if let Some(lucce) = Lucce::find() {
        let _ = LUCCE.set(lucce);
        let counting = Counting { struck: AtomicU64::new(0), probes: AtomicU64::new(0) };
        expect("a consumer from Agent_OnLoad on", lucce.consume(counting).map(|_| ()), Ok(()));
        match lucce.consume(Once) {
            Ok(once) => drop(REMOVED.set(once)),
            Err(error) => expect("a second consumer", Err(error), Ok(())),
        }
    }
    let jvmti: *mut jvmtiEnv = env.cast();
    let mut capabilities = jvmtiCapabilities::default();
    capabilities.set_can_generate_method_entry_events(true);
    capabilities.set_can_generate_method_exit_events(true);
    capabilities.set_can_generate_exception_events(true);
    capabilities.set_can_generate_single_step_events(true);
    capabilities.set_can_generate_garbage_collection_events(true);
    let mut callbacks = jvmtiEventCallbacks::default();
    callbacks.VMInit = Some(on_init);
    callbacks.VMDeath = Some(on_death);
    callbacks.MethodEntry = Some(on_entry);
    callbacks.MethodExit = Some(on_exit);
    callbacks.Exception = Some(on_exception);
    callbacks.SingleStep = Some(on_place);
    callbacks.GarbageCollectionFinish = Some(on_collected);
    // SAFETY: a fresh environment; the structs live during the calls.
    unsafe {
        let functions = &*(*jvmti).functions;
        functions.AddCapabilities.map(|add| add(jvmti, &capabilities));
        functions.SetEventCallbacks.map(|set| set(jvmti, &callbacks, size_of_val(&callbacks) as jint));
        for event in [JVMTI_EVENT_VM_INIT, JVMTI_EVENT_VM_DEATH, JVMTI_EVENT_GARBAGE_COLLECTION_FINISH] {
            enable(jvmti, event);
        }
    }
    0
}
