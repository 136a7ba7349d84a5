//! The JVM's stubs that copy and fill arrays or dispatch calls, and from where a thread in one of
//! them was called.
//!
//! A stub is no method and has no frame that the JVM's look knows, so a program that copies much
//! would seem to be nowhere. The JVM tells the agent of each stub as it makes it. Those that copy
//! or fill execute `push rbp; mov rbp, rsp` first and keep that frame to their end; those that
//! dispatch have no frame.
//! Invariant: the answer is the caller's registers at its call. A stub of neither kind has no
//! answer.
//! Source: JVMTI, DynamicCodeGenerated; HotSpot's `stubGenerator_x86_64_arraycopy.cpp` and
//! `vtableStubs_x86_64.cpp`.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::registers::Registers;
use crate::support::lock::Lock;

/// Stubs that are kept. JVMs have about a hundred of these kinds, and one more for each index of a
/// virtual method that is called.
const MOST: usize = 1 << 11;
/// `push rbp; mov rbp, rsp`.
const ENTER: [u8; 4] = [0x55, 0x48, 0x8B, 0xEC];
const RETURN: u8 = 0xC3;

/// Moves an argument away, in front of [`ENTER`].
const KEEP: [u8; 3] = [0x4C, 0x8B, 0xDA];
/// Fails, in front of the entry; it is jumped to.
const JUMP: u8 = 0xE9;
/// Where a stub that never makes a frame does so.
const NEVER: usize = usize::MAX;

/// One stub's code.
struct Stub {
    begin: AtomicUsize,
    end: AtomicUsize,
    /// Where it makes its frame: the address of [`ENTER`], or [`NEVER`].
    enter: AtomicUsize,
}

/// All of them. The handler reads those below `count`, which do not change any more.
pub struct Stubs {
    all: Box<[Stub]>,
    count: AtomicUsize,
    adding: Lock<()>,
}

impl Stubs {
    /// None yet.
    pub fn new() -> Self {
        let none = || Stub { begin: AtomicUsize::new(0), end: AtomicUsize::new(0), enter: AtomicUsize::new(0) };
        Self { all: (0..MOST).map(|_| none()).collect(), count: AtomicUsize::new(0), adding: Lock::default() }
    }

    /// The JVM has made one. One that finds no place stays unknown.
    ///
    /// # Safety
    /// There is code of `length` bytes at `begin`, and it stays.
    pub unsafe fn add(&self, name: &[u8], begin: usize, length: usize) {
        // SAFETY: the caller's promise.
        let code = unsafe { std::slice::from_raw_parts(begin as *const u8, length) };
        let Some(shape) = shape(name, code) else { return };
        let _adding = self.adding.lock();
        let count = self.count.load(Ordering::Relaxed);
        let Some(stub) = self.all.get(count) else { return };
        stub.begin.store(begin + shape.entry, Ordering::Relaxed);
        stub.end.store(begin + length, Ordering::Relaxed);
        stub.enter.store(shape.enter.map_or(NEVER, |enter| begin + enter), Ordering::Relaxed);
        self.count.store(count + 1, Ordering::Release);
    }

    /// The registers of the caller of the stub in which a thread was interrupted. In a signal
    /// handler.
    ///
    /// # Safety
    /// A fault in here must be survived ([`super::guard`]): it reads code at the instruction, and
    /// the stack.
    pub unsafe fn caller(&self, at: Registers) -> Option<Registers> {
        let known = self.all.get(..self.count.load(Ordering::Acquire))?;
        let is_in =
            |stub: &&Stub| (stub.begin.load(Ordering::Relaxed)..stub.end.load(Ordering::Relaxed)).contains(&at.pc);
        let stub = known.iter().find(is_in)?;
        // SAFETY: within a stub's code.
        let is_return = unsafe { (at.pc as *const u8).read() } == RETURN;
        let enter = stub.enter.load(Ordering::Relaxed);
        // SAFETY: the caller's promise.
        let word = |address: usize| unsafe { (address as *const usize).read() };
        Some(if is_return || at.pc <= enter {
            Registers { pc: word(at.sp), sp: at.sp + 8, fp: at.fp }
        } else if at.pc == enter + 1 {
            Registers { pc: word(at.sp + 8), sp: at.sp + 16, fp: at.fp }
        } else {
            Registers { pc: word(at.fp + 8), sp: at.fp + 16, fp: word(at.fp) }
        })
    }
}

/// Offsets into a stub's code.
#[derive(Debug, PartialEq, Eq)]
struct Shape {
    /// Where it begins.
    entry: usize,
    /// Where it makes its frame; `None`: nowhere.
    enter: Option<usize>,
}

/// What the name and the code of a stub say.
fn shape(name: &[u8], code: &[u8]) -> Option<Shape> {
    let has = |part: &[u8]| name.windows(part.len()).any(|window| window == part);
    if has(b"table stub") {
        return Some(Shape { entry: 0, enter: None });
    }
    if !has(b"arraycopy") && !has(b"fill") {
        return None;
    }
    let enters_at = |offset: usize| code.get(offset..).is_some_and(|code| code.starts_with(&ENTER));
    let kept = code.starts_with(&KEEP).then_some((0, KEEP.len()));
    let jumped = (code.first() == Some(&JUMP)).then_some((5, 5));
    let (entry, enter) = kept.or(jumped).unwrap_or((0, 0));
    enters_at(enter).then_some(Shape { entry, enter: Some(enter) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `push rbp; mov rbp, rsp; nop; leave; ret`
    static COPY: [u8; 7] = [0x55, 0x48, 0x8B, 0xEC, 0x90, 0xC9, 0xC3];
    static DISPATCH: [u8; 2] = [0xFF, 0xE0];

    fn stubs() -> Stubs {
        let stubs = Stubs::new();
        // SAFETY: statics of that length.
        unsafe {
            stubs.add(b"jbyte_disjoint_arraycopy", COPY.as_ptr() as usize, COPY.len());
            stubs.add(b"vtable stub", DISPATCH.as_ptr() as usize, DISPATCH.len());
        }
        stubs
    }

    #[test]
    fn the_caller_of_a_stub_is_found_from_each_of_its_instructions() {
        let (stubs, begin) = (stubs(), COPY.as_ptr() as usize);
        // The stack upwards: something, saved frame pointer, return address, the caller's.
        let stack = [1_usize, 0x77, 0x1234, 4];
        let at = |word: usize| stack.as_ptr() as usize + 8 * word;
        let caller = Registers { pc: 0x1234, sp: at(3), fp: 0x77 };
        for (offset, sp, fp) in
            [(0, at(2), 0x77), (1, at(1), 0x77), (4, at(0), at(1)), (5, at(0), at(1)), (6, at(2), 0x77)]
        {
            // SAFETY: code and stack are there.
            let found = unsafe { stubs.caller(Registers { pc: begin + offset, sp, fp }) };
            assert_eq!(found, Some(caller), "at {offset}");
        }
        // SAFETY: as above.
        let found = unsafe { stubs.caller(Registers { pc: DISPATCH.as_ptr() as usize, sp: at(2), fp: 0x77 }) };
        assert_eq!(found, Some(caller));
    }

    #[test]
    fn stubs_of_other_kinds_have_no_answer() {
        let stubs = stubs();
        let code = [0x53_u8, 0x90, 0xC3];
        assert_eq!(
            shape(b"jint_fill", &[0x4C, 0x8B, 0xDA, 0x55, 0x48, 0x8B, 0xEC]),
            Some(Shape { entry: 0, enter: Some(3) })
        );
        let generic = [0xE9, 1, 2, 3, 4, 0x55, 0x48, 0x8B, 0xEC];
        assert_eq!(shape(b"generic_arraycopy", &generic), Some(Shape { entry: 5, enter: Some(5) }));
        // SAFETY: code of that length, which outlives the stubs.
        unsafe {
            stubs.add(b"aescrypt_encryptBlock", COPY.as_ptr() as usize, COPY.len());
            stubs.add(b"slow_arraycopy", code.as_ptr() as usize, code.len());
            assert_eq!(stubs.count.load(Ordering::Relaxed), 2);
            assert_eq!(stubs.caller(Registers { pc: code.as_ptr() as usize, sp: 0, fp: 0 }), None);
        }
    }
}
