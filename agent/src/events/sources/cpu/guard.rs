//! A look at the stack that survives a fault in the JVM's own code.
//!
//! `AsyncGetCallTrace` reads a stack that may be half built, and has been seen to read what is not
//! there. While a look is under way a fault of its thread ends the look and nothing else: the
//! handler of faults sends the thread back to where the look began. All other faults go to the
//! JVM's handler, which lives by them (null checks, polls of safepoints, guard pages).
//!
//! Invariant: only a thread that has noted a landing is sent there, and it unnotes it before it
//! goes on. A look takes no lock of the JVM's and leaves nothing behind, so it may end anywhere.
//! `SafeFetch` faults on purpose: where it does in a look, the stack is no stack.
//! Source: sigaction(2); System V ABI, AMD64 supplement, 3.2; Procedure Call Standard for the Arm
//! 64-bit Architecture.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};
use std::sync::OnceLock;
use std::sync::atomic::AtomicUsize;

use super::samples::{RawTrace, Walk};
use super::sampling::sampling;
use super::threads;

/// What handled faults before: the JVM.
static BEFORE: [OnceLock<libc::sigaction>; 2] = [const { OnceLock::new() }; 2];
const SIGNALS: [libc::c_int; 2] = [libc::SIGSEGV, libc::SIGBUS];

// Keeps what a function must keep on the stack, notes the stack's pointer as the landing, and calls
// the walk. Behind a fault the thread goes on at `lucce_look_failed` with that pointer. Both ways
// unnote the landing; the result says which it was.
#[cfg(target_arch = "x86_64")]
std::arch::global_asm!(
    ".globl lucce_look",
    ".hidden lucce_look",
    ".hidden lucce_look_failed",
    ".globl lucce_look_failed",
    "lucce_look:",
    "push rbx",
    "push rbp",
    "push r12",
    "push r13",
    "push r14",
    "push r15",
    "push r8",
    "mov [r8], rsp",
    "mov rax, rdi",
    "mov rdi, rsi",
    "mov esi, edx",
    "mov rdx, rcx",
    "call rax",
    "xor eax, eax",
    "2:",
    "pop r8",
    "mov qword ptr [r8], 0",
    "pop r15",
    "pop r14",
    "pop r13",
    "pop r12",
    "pop rbp",
    "pop rbx",
    "ret",
    "lucce_look_failed:",
    "cld",
    "mov eax, 1",
    "jmp 2b",
);

#[cfg(target_arch = "aarch64")]
std::arch::global_asm!(
    ".globl lucce_look",
    ".hidden lucce_look",
    ".globl lucce_look_failed",
    ".hidden lucce_look_failed",
    "lucce_look:",
    "stp x29, x30, [sp, #-176]!",
    "stp x19, x20, [sp, #16]",
    "stp x21, x22, [sp, #32]",
    "stp x23, x24, [sp, #48]",
    "stp x25, x26, [sp, #64]",
    "stp x27, x28, [sp, #80]",
    "stp d8, d9, [sp, #96]",
    "stp d10, d11, [sp, #112]",
    "stp d12, d13, [sp, #128]",
    "stp d14, d15, [sp, #144]",
    "str x4, [sp, #160]",
    "mov x9, sp",
    "str x9, [x4]",
    "mov x9, x0",
    "mov x0, x1",
    "mov w1, w2",
    "mov x2, x3",
    "blr x9",
    "mov w0, #0",
    "2:",
    "ldr x4, [sp, #160]",
    "str xzr, [x4]",
    "ldp x19, x20, [sp, #16]",
    "ldp x21, x22, [sp, #32]",
    "ldp x23, x24, [sp, #48]",
    "ldp x25, x26, [sp, #64]",
    "ldp x27, x28, [sp, #80]",
    "ldp d8, d9, [sp, #96]",
    "ldp d10, d11, [sp, #112]",
    "ldp d12, d13, [sp, #128]",
    "ldp d14, d15, [sp, #144]",
    "ldp x29, x30, [sp], #176",
    "ret",
    "lucce_look_failed:",
    "mov w0, #1",
    "b 2b",
);

unsafe extern "C" {
    fn lucce_look(
        walk: Walk,
        trace: *mut RawTrace,
        depth: i32,
        ucontext: *mut c_void,
        landing: *const AtomicUsize,
    ) -> i32;
    fn lucce_look_failed();
}

/// Walks the stack that `ucontext` has interrupted. Did it end well?
///
/// # Safety
/// In the handler of the signal that `ucontext` is of, with a trace that has room for `depth`
/// frames.
pub unsafe fn look(walk: Walk, trace: &mut RawTrace, depth: i32, ucontext: *mut c_void, landing: &AtomicUsize) -> bool {
    // SAFETY: the caller's promise; the function keeps the ABI's rules.
    unsafe { lucce_look(walk, trace, depth, ucontext, landing) == 0 }
}

/// Puts the handler of faults in front of the JVM's. Where the JVM has none there is none to be
/// had.
pub fn install() {
    for (signal, before) in SIGNALS.into_iter().zip(&BEFORE) {
        let mut known = MaybeUninit::<libc::sigaction>::zeroed();
        // SAFETY: only asks.
        let code = unsafe { libc::sigaction(signal, null(), known.as_mut_ptr()) };
        // SAFETY: all zeroes, or what the system has said.
        let known = unsafe { known.assume_init() };
        if code != 0 || known.sa_flags & libc::SA_SIGINFO == 0 || before.set(known).is_err() {
            continue;
        }
        // As the JVM has asked for it, so that what it is given is as it expects.
        let ours = libc::sigaction { sa_sigaction: on_fault as *const () as usize, ..known };
        // SAFETY: the handler is signal-safe, and the library is never unloaded.
        unsafe { libc::sigaction(signal, &ours, null_mut()) };
    }
}

extern "C" fn on_fault(signal: libc::c_int, info: *mut libc::siginfo_t, ucontext: *mut c_void) {
    // SAFETY: the system's own pointers.
    if unsafe { lands(ucontext) } {
        return;
    }
    let before = SIGNALS.iter().position(|&known| known == signal).and_then(|at| BEFORE.get(at)?.get());
    let Some(before) = before.filter(|before| before.sa_sigaction > 1) else { return };
    // SAFETY: it was the handler of this signal, and takes three arguments as its flags say.
    let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut c_void) =
        unsafe { std::mem::transmute(before.sa_sigaction) };
    handler(signal, info, ucontext);
}

/// Sends the thread to its landing, if it has one.
unsafe fn lands(ucontext: *mut c_void) -> bool {
    use std::sync::atomic::Ordering;
    let landing = sampling().and_then(|sampling| sampling.samples.landing(threads::own_tid));
    let Some(pointer) = landing.map(|landing| landing.load(Ordering::Relaxed)).filter(|&pointer| pointer != 0) else {
        return false;
    };
    let failed = lucce_look_failed as *const () as usize;
    // SAFETY: the system's own context of the fault, which it goes on with.
    let context = unsafe { &mut (*ucontext.cast::<libc::ucontext_t>()).uc_mcontext };
    #[cfg(target_arch = "x86_64")]
    {
        context.gregs[libc::REG_RSP as usize] = pointer as i64;
        context.gregs[libc::REG_RIP as usize] = failed as i64;
    }
    #[cfg(target_arch = "aarch64")]
    {
        context.sp = pointer as u64;
        context.pc = failed as u64;
    }
    true
}
