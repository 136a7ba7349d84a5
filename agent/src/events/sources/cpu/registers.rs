//! What the JVM's look is told of an interrupted thread: registers with which it can walk.
//!
//! The JVM refuses a stack whose top frame is being built or taken down, and one in a stub that has
//! none; code that calls much is there for a tenth of its time. Machine code says how far it is:
//! here the rest of a prologue is thought done, what was done of an epilogue undone, and a stub
//! that was called and has not touched the stack is thought not called yet. So the answer is the
//! same activation's, or the caller's at its call.
//! Invariant: nothing is changed but registers, for the look alone, and the one word of the stack
//! that the prologue is about to write itself. What matches none of the shapes that HotSpot emits
//! stays unknown. On other machines than x86-64 everything does.
//! Source: HotSpot's `x86_64.ad` (MachPrologNode, MachEpilogNode), `c1_MacroAssembler_x86.cpp`,
//! `vtableStubs_x86_64.cpp`; Intel's manual, volume 2.

use std::ffi::c_void;

/// The context of the thread that was interrupted: where another handler was about to begin when
/// this signal came, that handler's.
///
/// # Safety
/// In the handler of the signal that `ucontext` is of.
#[cfg(target_arch = "x86_64")]
pub unsafe fn interrupted(ucontext: *mut c_void) -> *mut c_void {
    // SAFETY: the system's own frame of the signal: the address of the code that returns from it,
    // and then the context.
    unsafe {
        let registers = &(*ucontext.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
        let (sp, third) = (registers[libc::REG_RSP as usize] as usize, registers[libc::REG_RDX as usize] as usize);
        let returns = *ucontext.cast::<usize>().sub(1);
        // Both signals came at once, as two timers of the same clock do: the frame of the first
        // lies below that of this one.
        let is_frame = third == sp.wrapping_add(8)
            && sp.is_multiple_of(8)
            && sp > ucontext as usize
            && *(sp as *const usize) == returns;
        if is_frame { third as *mut c_void } else { ucontext }
    }
}

/// As above.
///
/// # Safety
/// None is needed.
#[cfg(not(target_arch = "x86_64"))]
pub unsafe fn interrupted(ucontext: *mut c_void) -> *mut c_void {
    ucontext
}

/// Registers that a look may be told otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registers {
    /// The instruction.
    pub pc: usize,
    /// The stack.
    pub sp: usize,
    /// The frame, as interpreted code has it.
    pub fp: usize,
}

impl Registers {
    /// Those of a context.
    ///
    /// # Safety
    /// `ucontext` is that of a signal that is being handled.
    pub unsafe fn of(ucontext: *mut c_void) -> Self {
        // SAFETY: the caller's promise.
        let context = unsafe { &(*ucontext.cast::<libc::ucontext_t>()).uc_mcontext };
        #[cfg(target_arch = "x86_64")]
        let at = |register: libc::c_int| context.gregs[register as usize] as usize;
        #[cfg(target_arch = "x86_64")]
        return Self { pc: at(libc::REG_RIP), sp: at(libc::REG_RSP), fp: at(libc::REG_RBP) };
        #[cfg(target_arch = "aarch64")]
        return Self { pc: context.pc as usize, sp: context.sp as usize, fp: context.regs[29] as usize };
    }

    /// Puts them into a context.
    ///
    /// # Safety
    /// As above; what was there before must be put back before the handler returns.
    pub unsafe fn set(self, ucontext: *mut c_void) {
        // SAFETY: the caller's promise.
        let context = unsafe { &mut (*ucontext.cast::<libc::ucontext_t>()).uc_mcontext };
        #[cfg(target_arch = "x86_64")]
        for (register, value) in [(libc::REG_RIP, self.pc), (libc::REG_RSP, self.sp), (libc::REG_RBP, self.fp)] {
            context.gregs[register as usize] = value as i64;
        }
        #[cfg(target_arch = "aarch64")]
        {
            (context.pc, context.sp) = (self.pc as u64, self.sp as u64);
            context.regs[29] = self.fp as u64;
        }
    }

    /// Registers with which the frame is whole, and a word of the stack that belongs to it; `None`
    /// where the code does not say.
    ///
    /// # Safety
    /// A fault in here must be survived ([`super::guard`]): it reads code around `pc`, and the
    /// stack.
    #[cfg(target_arch = "x86_64")]
    pub unsafe fn settled(self) -> Option<(Self, Option<(usize, usize)>)> {
        const BEHIND: usize = 40;
        // SAFETY: the caller's promise.
        let around: [u8; 2 * BEHIND] = unsafe { ((self.pc - BEHIND) as *const [u8; 2 * BEHIND]).read() };
        if let Some(shape) = shape(&around, BEHIND) {
            // The return address lies above the saved frame pointer, and that above the rest.
            let returns = self.sp + shape.above;
            let settled = Self { pc: self.pc + shape.pc - BEHIND, sp: returns - 8 - shape.size, fp: self.fp };
            return Some((settled, shape.saves.then_some((returns - 8, self.fp))));
        }
        // SAFETY: as above.
        let returns = unsafe { (self.sp as *const usize).read() };
        // SAFETY: as above.
        let call: [u8; 5] = unsafe { ((returns.checked_sub(5)?) as *const [u8; 5]).read() };
        let [0xE8, distance @ ..] = call else { return None };
        let target = returns.wrapping_add(i32::from_le_bytes(distance) as usize);
        (target..target.wrapping_add(STUB))
            .contains(&self.pc)
            .then_some((Self { pc: returns, sp: self.sp + 8, fp: self.fp }, None))
    }

    /// As above: the code never does.
    ///
    /// # Safety
    /// None is needed.
    #[cfg(not(target_arch = "x86_64"))]
    pub unsafe fn settled(self) -> Option<(Self, Option<(usize, usize)>)> {
        None
    }
}

/// Bytes that a stub has at most, or what stands in front of a method for callers that do not know
/// the receiver's class.
#[cfg(target_arch = "x86_64")]
const STUB: usize = 256;

/// How far a prologue or epilogue is.
#[cfg(any(test, target_arch = "x86_64"))]
#[derive(Debug, PartialEq, Eq)]
struct Shape {
    /// Where the frame is whole, as an index into the code.
    pc: usize,
    /// The return address lies so many bytes above the stack pointer.
    above: usize,
    /// Bytes of the frame below the saved frame pointer.
    size: usize,
    /// The frame pointer is yet to be saved.
    saves: bool,
}

/// What stands in the code around the instruction at `at`.
#[cfg(any(test, target_arch = "x86_64"))]
fn shape(code: &[u8], at: usize) -> Option<Shape> {
    epilogue(code, at).or_else(|| prologue(code, at))
}

/// `push rbp; sub rsp, n`, perhaps behind a store below the stack's end, and in front of the
/// compare that guards a method's entry.
#[cfg(any(test, target_arch = "x86_64"))]
fn prologue(code: &[u8], at: usize) -> Option<Shape> {
    if let [0x89, 0x84, 0x24, _, _, _, _, 0x55, ..] = code.get(at..)? {
        return prologue(code, at + 7);
    }
    if let Some(shape) = small_prologue(code, at) {
        return Some(shape);
    }
    let shape = |begin: usize| {
        let [0x55, rest @ ..] = code.get(begin..)? else { return None };
        let (length, size) = immediate(rest, 0xEC)?;
        let whole = begin + 1 + length;
        let guard = Guard::of(code.get(whole..)?);
        let pc = whole + guard.as_ref().map_or(0, Guard::length);
        let (above, saves) = match at - begin {
            0 => (0, true),
            1 => (8, false),
            _ if at >= whole && guard.is_some_and(|guard| guard.starts(at - whole)) => (size + 8, false),
            _ => return None,
        };
        Some(Shape { pc, above, size, saves })
    };
    (at.saturating_sub(28)..=at).rev().find_map(shape)
}

/// `sub rsp, n; mov [rsp + n - 8], rbp`: where a frame is so small that nothing is stored below the
/// stack's end.
#[cfg(any(test, target_arch = "x86_64"))]
fn small_prologue(code: &[u8], at: usize) -> Option<Shape> {
    let shape = |begin: usize| {
        let [0x48, 0x83, 0xEC, n, 0x48, 0x89, 0x6C, 0x24, saved, ..] = *code.get(begin..)? else { return None };
        let (n, saved) = (usize::from(n), usize::from(saved));
        let above = if at == begin { 0 } else { n };
        (n < 0x80 && saved + 8 == n).then_some(Shape { pc: begin + 9, above, size: saved, saves: true })
    };
    shape(at).or_else(|| shape(at.checked_sub(4)?))
}

/// What guards a method's entry: perhaps `nop`, `cmp dword [r15 + n], m`, and a branch.
#[cfg(any(test, target_arch = "x86_64"))]
struct Guard {
    /// Length of the `nop`.
    gap: usize,
    /// Length of the compare.
    compare: usize,
    /// Lengths of what follows: `jne`, or `je` over a `call`.
    branch: &'static [usize],
}

#[cfg(any(test, target_arch = "x86_64"))]
impl Guard {
    /// That of this code, if it begins with one.
    fn of(code: &[u8]) -> Option<Self> {
        let gap = match code {
            [0x90, ..] => 1,
            [0x66, 0x90, ..] => 2,
            [0x0F, 0x1F, 0x00, ..] => 3,
            _ => 0,
        };
        let compare = match code.get(gap..)? {
            [0x41, 0x83, 0x7F, ..] => 5,
            [0x41, 0x81, 0x7F, ..] => 8,
            [0x41, 0x81, 0xBF, ..] => 11,
            _ => return None,
        };
        let branch: &[usize] = match code.get(gap + compare..)? {
            [0x0F, 0x85, ..] => &[6],
            [0x74, 0x05, 0xE8, ..] => &[2, 5],
            _ => return None,
        };
        Some(Self { gap, compare, branch })
    }

    fn length(&self) -> usize {
        self.gap + self.compare + self.branch.iter().sum::<usize>()
    }

    /// Does one of its instructions begin there?
    fn starts(&self, at: usize) -> bool {
        let (compare, branch) = (self.gap, self.gap + self.compare);
        [0, compare, branch].contains(&at) || self.branch.len() == 2 && at == branch + 2
    }
}

/// `add rsp, n; pop rbp`, perhaps a poll, and `ret`.
#[cfg(any(test, target_arch = "x86_64"))]
fn epilogue(code: &[u8], at: usize) -> Option<Shape> {
    let is_popping = code.get(at) == Some(&0x5D);
    // Lengths of what may stand between `pop` and here: nothing, a compare, a compare and a branch,
    // a load, a load and a test, a test.
    let popped = |length: &usize| at.checked_sub(length + 1).filter(|&pop| code.get(pop) == Some(&0x5D));
    let pop = if is_popping {
        at
    } else {
        [0, 4, 7, 10, 13, 6].iter().find_map(|length| {
            popped(length).filter(|&pop| {
                tail(code.get(pop + 1..).unwrap_or_default()).is_some_and(|starts| starts.contains(length))
            })
        })?
    };
    tail(code.get(pop + 1..)?)?;
    let short =
        pop.checked_sub(4).and_then(|add| Some((add, immediate(code.get(add..)?, 0xC4).filter(|add| add.0 == 4)?)));
    let long =
        || pop.checked_sub(7).and_then(|add| Some((add, immediate(code.get(add..)?, 0xC4).filter(|add| add.0 == 7)?)));
    let (pc, (_, size)) = short.or_else(long)?;
    Some(Shape { pc, above: if is_popping { 8 } else { 0 }, size, saves: false })
}

/// Where the instructions of what stands behind `pop rbp` begin, if that is the end of a method.
#[cfg(any(test, target_arch = "x86_64"))]
fn tail(code: &[u8]) -> Option<&'static [usize]> {
    match code {
        [0xC3, ..] => Some(&[0]),
        // cmp rsp, [r15 + n]; ja; ret
        [0x49, 0x3B, 0xA7, _, _, _, _, 0x0F, 0x87, _, _, _, _, 0xC3, ..] => Some(&[0, 7, 13]),
        [0x49, 0x3B, 0x67, _, 0x0F, 0x87, _, _, _, _, 0xC3, ..] => Some(&[0, 4, 10]),
        // mov r10, [r15 + n]; test [r10], eax; ret
        [0x4D, 0x8B, 0x97, _, _, _, _, 0x41, 0x85, 0x02, 0xC3, ..] => Some(&[0, 7, 10]),
        // test [rip + n], eax; ret
        [0x85, 0x05, _, _, _, _, 0xC3, ..] => Some(&[0, 6]),
        _ => None,
    }
}

/// `sub rsp, n` or `add rsp, n`: its length, and n.
#[cfg(any(test, target_arch = "x86_64"))]
fn immediate(code: &[u8], operation: u8) -> Option<(usize, usize)> {
    match *code {
        [0x48, 0x83, op, n, ..] if op == operation && n < 0x80 => Some((4, n.into())),
        [0x48, 0x81, op, a, b, c, d, ..] if op == operation => {
            Some((7, usize::try_from(i32::from_le_bytes([a, b, c, d])).ok()?))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The shape at each instruction of some code that begins at its index, in front of what
    /// `before` has.
    fn shapes(code: &[u8], starts: &[usize]) -> Vec<Option<Shape>> {
        let mut padded = vec![0x90; 24];
        padded.extend(code);
        padded.resize(padded.len() + 40, 0x50);
        starts.iter().map(|start| shape(&padded, 24 + start)).collect()
    }

    #[test]
    fn a_prologue_is_thought_done_from_each_of_its_instructions() {
        // mov [rsp - 0x14000], eax; push rbp; sub rsp, 0x40; mov rax, rsi
        let code = [0x89, 0x84, 0x24, 0, 0xC0, 0xFE, 0xFF, 0x55, 0x48, 0x83, 0xEC, 0x40, 0x48, 0x8B, 0xC6];
        let at = |above, saves| Some(Shape { pc: 24 + 12, above, size: 0x40, saves });
        assert_eq!(shapes(&code, &[0, 7, 8, 12]), [at(0, true), at(0, true), at(8, false), None]);
        // The same with a large frame.
        let code = [0x55, 0x48, 0x81, 0xEC, 0xE0, 0, 0, 0, 0x50];
        let at = |above, saves| Some(Shape { pc: 24 + 8, above, size: 0xE0, saves });
        assert_eq!(shapes(&code, &[0, 1, 8]), [at(0, true), at(8, false), None]);
        // JDK 21: a compare behind it, on a boundary.
        let code =
            [0x55, 0x48, 0x83, 0xEC, 0x20, 0x66, 0x90, 0x41, 0x81, 0x7F, 0x20, 1, 0, 0, 0, 0x0F, 0x85, 1, 0, 0, 0];
        let at = |above, saves| Some(Shape { pc: 24 + 21, above, size: 0x20, saves });
        let guarded = || at(0x28, false);
        let all = [at(0, true), at(8, false), guarded(), guarded(), guarded(), None];
        assert_eq!(shapes(&code, &[0, 1, 5, 7, 15, 21]), all);
        // JDK 25, C1: cmp dword [r15 + 0x20], 1; je over a call.
        let code = [0x55, 0x48, 0x83, 0xEC, 0x20, 0x41, 0x81, 0x7F, 0x20, 1, 0, 0, 0, 0x74, 5, 0xE8, 1, 2, 3, 4];
        let at = |above, saves| Some(Shape { pc: 24 + 20, above, size: 0x20, saves });
        let guarded = || at(0x28, false);
        let all = [at(0, true), at(8, false), guarded(), guarded(), guarded(), None];
        assert_eq!(shapes(&code, &[0, 1, 5, 13, 15, 20]), all);
    }

    #[test]
    fn a_small_prologue_saves_the_frame_pointer_behind() {
        // sub rsp, 0x18; mov [rsp + 0x10], rbp
        let code = [0x48, 0x83, 0xEC, 0x18, 0x48, 0x89, 0x6C, 0x24, 0x10];
        let at = |above| Some(Shape { pc: 24 + 9, above, size: 0x10, saves: true });
        assert_eq!(shapes(&code, &[0, 4, 9]), [at(0), at(0x18), None]);
        // The store is of another word than the frame pointer's.
        assert_eq!(shapes(&[0x48, 0x83, 0xEC, 0x18, 0x48, 0x89, 0x6C, 0x24, 8], &[0, 4]), [None, None]);
    }

    #[test]
    fn an_epilogue_is_undone_from_each_of_its_instructions() {
        let at = |pc: usize, above, size| Some(Shape { pc: 24 + pc, above, size, saves: false });
        // add rsp, 0x40; pop rbp; cmp rsp, [r15 + 0x348]; ja; ret
        let code = [0x48, 0x83, 0xC4, 0x40, 0x5D, 0x49, 0x3B, 0xA7, 0x48, 3, 0, 0, 0x0F, 0x87, 1, 0, 0, 0, 0xC3];
        let after = || at(0, 0, 0x40);
        assert_eq!(shapes(&code, &[0, 4, 5, 12, 18]), [None, at(0, 8, 0x40), after(), after(), after()]);
        // JDK 11: add rsp, 0x100; pop rbp; mov r10, [r15 + 0x108]; test [r10], eax; ret
        let code = [0x48, 0x81, 0xC4, 0, 1, 0, 0, 0x5D, 0x4D, 0x8B, 0x97, 8, 1, 0, 0, 0x41, 0x85, 2, 0xC3];
        let after = || at(0, 0, 0x100);
        assert_eq!(shapes(&code, &[7, 8, 15, 18]), [at(0, 8, 0x100), after(), after(), after()]);
        // A `pop` that ends nothing.
        assert_eq!(shapes(&[0x48, 0x83, 0xC4, 0x40, 0x5D, 0x90, 0x90], &[4, 5]), [None, None]);
    }
}
