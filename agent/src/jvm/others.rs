//! Whether other agents are in this JVM: any that may change classes, and native ones, to whom
//! events are told.
//!
//! JVMTI does not tell one agent of others. But each is a library with an entry point of a known
//! name: those of native agents, and the JDK's own for Java agents (`libinstrument`). So the
//! libraries of the process are looked through whenever more have been loaded.
//! Invariant: what was found stays true. JDK Flight Recorder, which is part of the JVM, is known by
//! its class ([`note`]).
//! Source: JVMTI, "Agent Start-Up"; `dl_iterate_phdr(3)`.

use std::ffi::{CStr, CString, c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

static FOUND: AtomicBool = AtomicBool::new(false);
static NATIVE: AtomicBool = AtomicBool::new(false);
/// How many libraries had been loaded when they were looked through last.
static LOADED: AtomicU64 = AtomicU64::new(0);

const ENTRIES: [&CStr; 2] = [c"Agent_OnLoad", c"Agent_OnAttach"];
/// The JDK's own, which loads Java agents.
const INSTRUMENT: &[u8] = b"/libinstrument.so";

/// There is one.
pub fn note() {
    FOUND.store(true, Ordering::Relaxed);
}

/// Is there one that may change classes? No JNI or JVMTI call is made.
pub fn exist() -> bool {
    FOUND.load(Ordering::Relaxed) || {
        look();
        FOUND.load(Ordering::Relaxed)
    }
}

/// Is there a native one? Likewise.
pub fn are_native() -> bool {
    look();
    NATIVE.load(Ordering::Relaxed)
}

/// Looks through the libraries, if more have been loaded.
fn look() {
    let loaded = loaded();
    if LOADED.swap(loaded, Ordering::Relaxed) == loaded {
        return;
    }
    let mut names: Vec<CString> = Vec::new();
    // SAFETY: the callback appends to the list, which lives during the call.
    unsafe { libc::dl_iterate_phdr(Some(name), (&raw mut names).cast()) };
    for name in names {
        // SAFETY: a zero-terminated name. Nothing is loaded that is not there, so no initialiser
        // runs.
        let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        if library.is_null() {
            continue;
        }
        // SAFETY: the handle was given just now.
        let entries = ENTRIES.map(|entry| unsafe { libc::dlsym(library, entry.as_ptr()) });
        // SAFETY: as above; the library stays, for others have loaded it.
        unsafe { libc::dlclose(library) };
        if entries.iter().any(|entry| !entry.is_null() && !is_own(*entry)) {
            note();
            if !name.as_bytes().ends_with(INSTRUMENT) {
                NATIVE.store(true, Ordering::Relaxed);
            }
        }
    }
}

/// How many libraries have been loaded since the process began.
pub fn loaded() -> u64 {
    let mut loaded = 0_u64;
    // SAFETY: the callback writes to the number, which lives during the call.
    unsafe { libc::dl_iterate_phdr(Some(count), (&raw mut loaded).cast()) };
    loaded
}

/// Is it of Lucce's own library?
fn is_own(function: *const c_void) -> bool {
    let base = base_of(function);
    base.is_some() && base == base_of((&raw const LOADED).cast())
}

/// Where the library begins that has something at this address.
fn base_of(address: *const c_void) -> Option<usize> {
    // SAFETY: the struct is plain, and dladdr writes it before it is read; it takes any address.
    unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        (libc::dladdr(address, &mut info) != 0).then_some(info.dli_fbase as usize)
    }
}

/// The first library tells it; the others are not asked.
unsafe extern "C" fn count(info: *mut libc::dl_phdr_info, _: usize, loaded: *mut c_void) -> c_int {
    // SAFETY: the system's own description, and the number of `loaded`.
    unsafe { *loaded.cast::<u64>() = (*info).dlpi_adds };
    1
}

unsafe extern "C" fn name(info: *mut libc::dl_phdr_info, _: usize, names: *mut c_void) -> c_int {
    // SAFETY: the system's own description, whose name lives during the call, and the list of
    // `exist`.
    unsafe {
        let name = (*info).dlpi_name;
        if !name.is_null() && *name != 0 {
            (*names.cast::<Vec<CString>>()).push(CStr::from_ptr(name).to_owned());
        }
    }
    0
}
