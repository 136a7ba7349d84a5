//! The native side of the target `NativeExit`: ends the process, or a child of it, without the
//! JVM's knowing.

use std::ffi::c_void;

type Ref = *mut c_void;

unsafe extern "C" {
    fn fork() -> i32;
    fn waitpid(child: i32, status: *mut i32, options: i32) -> i32;
}

/// `exit(int)`: the C library's.
#[unsafe(no_mangle)]
pub extern "system" fn Java_hazards_NativeExit_exit(_: Ref, _: Ref, status: i32) {
    std::process::exit(status);
}

/// `inAChild(int)`: the same in a child that has this thread and no other; its status.
#[unsafe(no_mangle)]
pub extern "system" fn Java_hazards_NativeExit_inAChild(_: Ref, _: Ref, status: i32) -> i32 {
    let mut ended = -1;
    // SAFETY: the child does nothing but exit; `ended` lives as long as the call.
    unsafe {
        let child = fork();
        if child == 0 {
            std::process::exit(status);
        }
        assert_eq!(waitpid(child, &raw mut ended, 0), child);
    }
    ended >> 8
}
