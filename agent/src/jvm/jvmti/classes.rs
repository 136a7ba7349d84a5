//! What JVMTI says of classes and their methods.
//! Source: JVMTI specification, functions as named.

use std::cell::Cell;
use std::ptr::null_mut;

use jvmti_bindings::sys::jni::{jclass, jint, jmethodID, jobject};
use jvmti_bindings::sys::jvmti::jvmtiError;

use super::{Jvmti, check};
use crate::support::text;

/// Declaring class signature, name and descriptor of a method, as JVMTI gives them.
pub struct MethodName {
    /// The method's simple name.
    pub name: String,
    /// Its descriptor.
    pub desc: String,
}

thread_local! {
    /// See [`Jvmti::retransforms`].
    static RETRANSFORMS: Cell<bool> = const { Cell::new(false) };
}

impl Jvmti {
    /// GetMethodDeclaringClass: a local reference, or null.
    pub fn declaring_class(self, method: jmethodID) -> jclass {
        let mut class = null_mut();
        match check(call!(self, GetMethodDeclaringClass, method, &mut class)) {
            Ok(()) => class,
            Err(_) => null_mut(),
        }
    }

    /// IsMethodObsolete: was its class redefined, and it runs on? Not on error.
    pub fn is_obsolete(self, method: jmethodID) -> bool {
        let mut is_obsolete = 0;
        check(call!(self, IsMethodObsolete, method, &mut is_obsolete)).is_ok() && is_obsolete != 0
    }

    /// GetClassLoader: `None` on error, null for the boot loader.
    pub fn class_loader(self, class: jclass) -> Option<jobject> {
        let mut loader = null_mut();
        check(call!(self, GetClassLoader, class, &mut loader)).ok()?;
        Some(loader)
    }

    /// GetClassSignature: `Lpkg/Name;`.
    pub fn class_signature(self, class: jclass) -> Option<String> {
        self.read_signature(class, |signature| text::ours(signature).into_owned())
    }

    /// What `read` makes of [`Self::class_signature`], in the JVM's own text.
    pub fn read_signature<R>(self, class: jclass, read: impl FnOnce(&[u8]) -> R) -> Option<R> {
        let mut signature = null_mut();
        check(call!(self, GetClassSignature, class, &mut signature, null_mut())).ok()?;
        self.read(signature, read)
    }

    /// GetSourceFileName, if the class file says it.
    pub fn source_file(self, class: jclass) -> Option<String> {
        let mut source = null_mut();
        check(call!(self, GetSourceFileName, class, &mut source)).ok()?;
        self.take_string(source)
    }

    /// GetMethodName.
    pub fn method_name(self, method: jmethodID) -> Option<MethodName> {
        let (mut name, mut desc) = (null_mut(), null_mut());
        check(call!(self, GetMethodName, method, &mut name, &mut desc, null_mut())).ok()?;
        let name = self.take_string(name);
        let desc = self.take_string(desc);
        Some(MethodName { name: name?, desc: desc? })
    }

    /// GetMethodModifiers.
    pub fn method_modifiers(self, method: jmethodID) -> Option<i32> {
        let mut modifiers = 0;
        check(call!(self, GetMethodModifiers, method, &mut modifiers)).ok()?;
        Some(modifiers)
    }

    /// GetClassMethods: the methods a class declares.
    pub fn class_methods(self, class: jclass) -> Vec<jmethodID> {
        let (mut count, mut methods) = (0, null_mut());
        match check(call!(self, GetClassMethods, class, &mut count, &mut methods)) {
            Ok(()) => self.take_slice(methods, count),
            Err(_) => Vec::new(),
        }
    }

    /// GetLoadedClasses, as local references.
    pub fn loaded_classes(self) -> Vec<jclass> {
        let (mut count, mut classes) = (0, null_mut());
        match check(call!(self, GetLoadedClasses, &mut count, &mut classes)) {
            Ok(()) => self.take_slice(classes, count),
            Err(_) => Vec::new(),
        }
    }

    /// GetClassLoaderClasses: those for which `loader` is an initiating loader, as local
    /// references.
    pub fn classes_of(self, loader: jobject) -> Vec<jclass> {
        let (mut count, mut classes) = (0, null_mut());
        match check(call!(self, GetClassLoaderClasses, loader, &mut count, &mut classes)) {
            Ok(()) => self.take_slice(classes, count),
            Err(_) => Vec::new(),
        }
    }

    /// IsModifiableClass: can it be retransformed?
    pub fn is_modifiable(self, class: jclass) -> bool {
        let mut answer = 0;
        check(call!(self, IsModifiableClass, class, &mut answer)).is_ok() && answer != 0
    }

    /// RetransformClasses: all of them or none.
    pub fn retransform(self, classes: &[jclass]) -> Result<(), jvmtiError> {
        RETRANSFORMS.set(true);
        let done = check(call!(self, RetransformClasses, classes.len() as jint, classes.as_ptr()));
        RETRANSFORMS.set(false);
        done
    }

    /// Is the agent itself retransforming, on this thread?
    pub fn retransforms(self) -> bool {
        RETRANSFORMS.get()
    }

    /// GetClassStatus: has the class been initialised? No, on error.
    pub fn is_initialised(self, class: jclass) -> bool {
        const INITIALIZED: jint = 4;
        self.class_status(class) & INITIALIZED != 0
    }

    /// GetClassStatus: has the class been prepared, and so linked? No, on error.
    pub fn is_prepared(self, class: jclass) -> bool {
        const PREPARED: jint = 2;
        self.class_status(class) & PREPARED != 0
    }

    /// GetClassStatus: is the class erroneous, an array's, or a primitive type's? No, on error.
    pub fn has_no_code(self, class: jclass) -> bool {
        const ERROR: jint = 8;
        const ARRAY: jint = 16;
        const PRIMITIVE: jint = 32;
        self.class_status(class) & (ERROR | ARRAY | PRIMITIVE) != 0
    }

    /// The JVMTI_CLASS_STATUS bits, 0 on error.
    fn class_status(self, class: jclass) -> jint {
        let mut status = 0;
        match check(call!(self, GetClassStatus, class, &mut status)) {
            Ok(()) => status,
            Err(_) => 0,
        }
    }

    /// GetBytecodes: the current code of a method, obsolete ones included.
    pub fn bytecodes(self, method: jmethodID) -> Option<Vec<u8>> {
        let (mut count, mut bytes) = (0, null_mut());
        check(call!(self, GetBytecodes, method, &mut count, &mut bytes)).ok()?;
        Some(self.take_slice(bytes, count))
    }

    /// GetLineNumberTable of a method as (start bci, line), in the order of the table.
    pub fn line_numbers(self, method: jmethodID) -> Vec<(i64, i32)> {
        let (mut count, mut table) = (0, null_mut());
        match check(call!(self, GetLineNumberTable, method, &mut count, &mut table)) {
            Ok(()) => {
                self.take_slice(table, count).iter().map(|entry| (entry.start_location, entry.line_number)).collect()
            }
            Err(_) => Vec::new(),
        }
    }
}
