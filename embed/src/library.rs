//! Lucce's library among those that this process has loaded.
//!
//! Invariant: nothing is loaded that is not there, so nobody's code runs; the library whose
//! function was found is never unloaded.
//! Source: dlopen(3); musl's `ldso/dynlink.c` (`load_library`), `dl_iterate_phdr(3)`.

use std::ffi::{CStr, CString, c_int, c_void};
use std::ptr::null_mut;

/// The function of that name of the first library that has it; null for none. Each is asked by the
/// path that it was loaded by: musl knows none by its SONAME.
pub fn function(name: &CStr) -> *mut c_void {
    let mut paths: Vec<CString> = Vec::new();
    // SAFETY: the callback appends to the list, which lives during the call.
    unsafe { libc::dl_iterate_phdr(Some(note), (&raw mut paths).cast()) };
    paths.iter().map(|path| of(path, name)).find(|function| !function.is_null()).unwrap_or(null_mut())
}

/// The function of a library that is loaded; null if it is not, or has none.
fn of(library: &CStr, name: &CStr) -> *mut c_void {
    // SAFETY: zero-terminated names, and a handle that was given just now.
    unsafe {
        let library = libc::dlopen(library.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if library.is_null() {
            return null_mut();
        }
        let function = libc::dlsym(library, name.as_ptr());
        if function.is_null() {
            libc::dlclose(library);
        }
        function
    }
}

unsafe extern "C" fn note(info: *mut libc::dl_phdr_info, _: usize, paths: *mut c_void) -> c_int {
    // SAFETY: the system's own description, whose name lives during the call, and the list of
    // `function`.
    unsafe {
        let path = (*info).dlpi_name;
        if !path.is_null() && *path != 0 {
            (*paths.cast::<Vec<CString>>()).push(CStr::from_ptr(path).to_owned());
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(not(miri))]
    fn a_function_is_found_in_the_library_that_has_it() {
        // Of the C library, which stands for Lucce's here.
        assert!(!function(c"dl_iterate_phdr").is_null());
        assert!(function(c"lucce_get_api").is_null());
    }
}
