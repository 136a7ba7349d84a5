//! Where a thread in the JVM's own code has left its Java frames, made readable for the JVM's look.
//!
//! Interpreted code that calls into the JVM notes its stack pointer alone. The JVM itself adds the
//! instruction, which stands below that pointer, before it walks such a stack; its look for
//! profilers does not, and says that there is no Java code.
//! Invariant: what is written is what the JVM would write, so it may stay: leaving the JVM clears
//! it.
//! Source: HotSpot's `javaFrameAnchor_x86.hpp` (`make_walkable`), `vmStructs.cpp`.

use std::ffi::{CStr, c_char, c_void};

use jvmti_bindings::sys::jni::jobject;

use crate::jvm::jni::Jni;

/// Offsets from a thread's JNI environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Anchor {
    stack_pointer: isize,
    instruction: isize,
}

impl Anchor {
    /// As this JVM has it; `main` is the running thread. `None` where the JVM does not say.
    pub fn find(jni: Jni, main: jobject) -> Option<Self> {
        let class = jni.find_class(c"java/lang/Thread");
        let field = jni.field(class, c"eetop", c"J");
        jni.release(class);
        if field.is_null() {
            return None;
        }
        let thread = jni.long(main, field) as isize;
        let environment = jni.raw() as isize;
        let anchor = thread - environment + offset(c"JavaThread", c"_anchor")?;
        let (pointer, instruction) = (c"_last_Java_sp", c"_last_Java_pc");
        let of = |field| Some(anchor + offset(c"JavaFrameAnchor", field)?);
        (thread != 0).then_some(Self { stack_pointer: of(pointer)?, instruction: of(instruction)? })
    }

    /// Makes the frames of the running thread readable. Had they not been? In a signal handler.
    ///
    /// # Safety
    /// `environment` is that of the running thread, which has not ended. A fault in here must be
    /// survived ([`super::guard`]).
    pub unsafe fn settle(self, environment: *const c_void) -> bool {
        // SAFETY: the caller's promise; both fields are words of the thread's own.
        unsafe {
            let pointer = environment.byte_offset(self.stack_pointer).cast::<usize>().read();
            let instruction = environment.byte_offset(self.instruction).cast::<usize>().cast_mut();
            if pointer == 0 || instruction.read() != 0 {
                return false;
            }
            instruction.write((pointer as *const usize).sub(1).read());
            true
        }
    }
}

/// Where a field of one of the JVM's types lies in it, as the JVM tells its own debuggers.
fn offset(class: &CStr, field: &CStr) -> Option<isize> {
    let table = *symbol::<*const u8>(c"gHotSpotVMStructs")?;
    let at = |name| Some(*symbol::<u64>(name)? as usize);
    let (class_at, field_at) =
        (at(c"gHotSpotVMStructEntryTypeNameOffset")?, at(c"gHotSpotVMStructEntryFieldNameOffset")?);
    let (offset_at, stride) = (at(c"gHotSpotVMStructEntryOffsetOffset")?, at(c"gHotSpotVMStructEntryArrayStride")?);
    if table.is_null() {
        return None;
    }
    // SAFETY: the JVM's own table, laid out as it says; an entry without names is the last.
    unsafe {
        let mut entry = table;
        loop {
            let name = |at: usize| entry.add(at).cast::<*const c_char>().read();
            let (of, called) = (name(class_at), name(field_at));
            if of.is_null() || called.is_null() {
                return None;
            }
            if CStr::from_ptr(of) == class && CStr::from_ptr(called) == field {
                return isize::try_from(entry.add(offset_at).cast::<u64>().read()).ok();
            }
            entry = entry.add(stride);
        }
    }
}

/// A variable of the JVM's library.
fn symbol<T>(name: &CStr) -> Option<&'static T> {
    // SAFETY: names end with zero; the library stays loaded, and its variables have the types that
    // `vmStructs.hpp` gives them.
    unsafe { super::system::of_jvm(name).cast::<T>().as_ref() }
}
