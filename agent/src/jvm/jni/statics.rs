//! Static fields of classes.
//! Source: JNI specification, functions as named.

use std::ffi::CStr;

use jvmti_bindings::sys::jni::{jclass, jfieldID};

use super::Jni;

impl Jni {
    /// GetStaticIntField; `None` if there is no such field. Initialises the class.
    pub fn static_int(self, class: jclass, name: &CStr) -> Option<i32> {
        let field = self.static_int_field(class, name)?;
        Some(call!(self, GetStaticIntField, class, field))
    }

    /// SetStaticIntField, if there is such a field.
    pub fn set_static_int(self, class: jclass, name: &CStr, value: i32) {
        if let Some(field) = self.static_int_field(class, name) {
            call!(self, SetStaticIntField, class, field, value);
        }
    }

    fn static_int_field(self, class: jclass, name: &CStr) -> Option<jfieldID> {
        let field = call!(self, GetStaticFieldID, class, name.as_ptr(), c"I".as_ptr());
        (!self.clear_exception() && !field.is_null()).then_some(field)
    }
}
