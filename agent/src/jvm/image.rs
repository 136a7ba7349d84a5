//! The JDK's classes as its image has them, whatever agents make of them.
//!
//! Invariant: a class is told only from the image that the JVM itself reads, by the library with
//! which it reads it. Where the JDK has no image, or none of these functions, there is nothing to
//! be had.
//! Source: `jimage.hpp` of OpenJDK (JIMAGE_Open, _PackageToModule, _FindResource, _GetResource),
//! JDK 9 and later.

use std::ffi::{CStr, CString, c_char, c_void};
use std::sync::OnceLock;

/// The version of the format that HotSpot asks for.
const VERSION: &CStr = c"9.0";
/// No class is larger.
const LARGEST: i64 = 1 << 24;

type Open = unsafe extern "C" fn(*const c_char, *mut i32) -> *mut c_void;
type PackageToModule = unsafe extern "C" fn(*mut c_void, *const c_char) -> *const c_char;
type FindResource = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char, *const c_char, *mut i64) -> i64;
type GetResource = unsafe extern "C" fn(*mut c_void, i64, *mut c_char, i64) -> i64;

/// The image of a JDK, opened when first somebody asks.
#[derive(Default)]
pub struct Image {
    home: Option<String>,
    opened: OnceLock<Option<Opened>>,
}

struct Opened {
    image: *mut c_void,
    module_of: PackageToModule,
    find: FindResource,
    get: GetResource,
}

// SAFETY: the image is read-only, and its functions synchronise themselves (`imageFile.cpp`).
unsafe impl Send for Opened {}
// SAFETY: as above.
unsafe impl Sync for Opened {}

impl Image {
    /// That of the JDK in this folder.
    pub fn of(home: Option<&str>) -> Self {
        Self { home: home.map(Into::into), opened: OnceLock::new() }
    }

    /// The class of that name, if the image has it.
    pub fn class(&self, name: &str) -> Option<Vec<u8>> {
        let Opened { image, module_of, find, get } =
            self.opened.get_or_init(|| Opened::of(self.home.as_deref()?)).as_ref()?;
        let package = CString::new(name.rsplit_once('/')?.0).ok()?;
        let file = CString::new(format!("{name}.class")).ok()?;
        // SAFETY: the image is open, and the text ends with a zero.
        let module = unsafe { module_of(*image, package.as_ptr()) };
        if module.is_null() {
            return None;
        }
        let mut size = 0;
        // SAFETY: as above; the module's name is the image's own.
        let place = unsafe { find(*image, module, VERSION.as_ptr(), file.as_ptr(), &mut size) };
        if place == 0 || !(1..LARGEST).contains(&size) {
            return None;
        }
        let mut bytes = vec![0; size as usize];
        // SAFETY: as above; the buffer is as long as it is said to be.
        let read = unsafe { get(*image, place, bytes.as_mut_ptr().cast(), size) };
        (read == size).then_some(bytes)
    }
}

impl Opened {
    fn of(home: &str) -> Option<Self> {
        let library = CString::new(format!("{home}/lib/libjimage.so")).ok()?;
        let file = CString::new(format!("{home}/lib/modules")).ok()?;
        // SAFETY: the library that the JVM has loaded itself; it is not loaded where it is not
        // there.
        let library = unsafe { libc::dlopen(library.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        if library.is_null() {
            return None;
        }
        let function = |name: &CStr| {
            // SAFETY: the handle was given just now.
            let function = unsafe { libc::dlsym(library, name.as_ptr()) };
            (!function.is_null()).then_some(function)
        };
        // SAFETY: these are the functions' types.
        let (open, module_of, find, get) = unsafe {
            (
                std::mem::transmute::<*mut c_void, Open>(function(c"JIMAGE_Open")?),
                std::mem::transmute::<*mut c_void, PackageToModule>(function(c"JIMAGE_PackageToModule")?),
                std::mem::transmute::<*mut c_void, FindResource>(function(c"JIMAGE_FindResource")?),
                std::mem::transmute::<*mut c_void, GetResource>(function(c"JIMAGE_GetResource")?),
            )
        };
        let mut error = 0;
        // SAFETY: a text that ends with a zero, and an out parameter that lives.
        let image = unsafe { open(file.as_ptr(), &mut error) };
        (!image.is_null()).then_some(Self { image, module_of, find, get })
    }
}
