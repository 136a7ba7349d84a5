//! Arrays of the JVM's.
//! Source: JNI specification, functions as named.

use std::ptr::null_mut;

use jvmti_bindings::sys::jni::{jclass, jlongArray, jobject, jobjectArray, jsize};

use super::Jni;

impl Jni {
    /// GetArrayLength.
    pub fn length(self, array: jobject) -> usize {
        call!(self, GetArrayLength, array).max(0) as usize
    }

    /// NewLongArray; null without memory.
    pub fn new_longs(self, length: usize) -> jlongArray {
        let Ok(length) = jsize::try_from(length) else { return null_mut() };
        let array = call!(self, NewLongArray, length);
        if self.clear_exception() { null_mut() } else { array }
    }

    /// GetLongArrayRegion into `buffer`; the caller has checked the bounds.
    pub fn read_longs(self, array: jlongArray, start: usize, buffer: &mut [i64]) {
        call!(self, GetLongArrayRegion, array, start as jsize, buffer.len() as jsize, buffer.as_mut_ptr());
        self.clear_exception();
    }

    /// SetLongArrayRegion from `values`; the caller has checked the bounds.
    pub fn write_longs(self, array: jlongArray, start: usize, values: &[i64]) {
        call!(self, SetLongArrayRegion, array, start as jsize, values.len() as jsize, values.as_ptr());
        self.clear_exception();
    }

    /// NewObjectArray of nulls; null without memory.
    pub fn new_objects(self, length: usize, class: jclass) -> jobjectArray {
        let Ok(length) = jsize::try_from(length) else { return null_mut() };
        let array = call!(self, NewObjectArray, length, class, null_mut());
        if self.clear_exception() { null_mut() } else { array }
    }

    /// SetObjectArrayElement.
    pub fn set_element(self, array: jobjectArray, index: usize, value: jobject) {
        call!(self, SetObjectArrayElement, array, index as jsize, value);
        self.clear_exception();
    }

    /// An array of elements with this descriptor, `L` for `Object`; `None` without memory.
    pub fn new_array(self, element: char, length: usize) -> Option<jobject> {
        let size = jsize::try_from(length).ok()?;
        let array = match element {
            'Z' => call!(self, NewBooleanArray, size),
            'B' => call!(self, NewByteArray, size),
            'C' => call!(self, NewCharArray, size),
            'S' => call!(self, NewShortArray, size),
            'I' => call!(self, NewIntArray, size),
            'F' => call!(self, NewFloatArray, size),
            'J' => call!(self, NewLongArray, size),
            'D' => call!(self, NewDoubleArray, size),
            _ => {
                let class = self.find_class(c"java/lang/Object");
                let array = if class.is_null() { null_mut() } else { self.new_objects(length, class) };
                self.release(class);
                return (!array.is_null()).then_some(array);
            }
        };
        (!self.clear_exception() && !array.is_null()).then_some(array)
    }
}
