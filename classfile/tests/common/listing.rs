//! Code as text, for the instructions that hooks and the made methods use.
//!
//! Invariant: an opcode it does not know makes the test fail rather than be passed over.
//! Source: JVMS chapter 6.

/// One line an instruction: `bci: name operand`.
pub fn listing(code: &[u8], pool: &[String]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut at = 0;
    while at < code.len() {
        let (text, len) = instruction(code, at, pool);
        lines.push(format!("{at}: {text}"));
        at += len;
    }
    lines
}

/// The listing as one string without bytecode indices, `; ` between instructions.
pub fn flat(code: &[u8], pool: &[String]) -> String {
    let lines = listing(code, pool);
    let texts: Vec<_> = lines.iter().map(|line| line.split_once(": ").map_or("", |parts| parts.1)).collect();
    texts.join("; ")
}

fn instruction(code: &[u8], at: usize, pool: &[String]) -> (String, usize) {
    let u1 = |behind: usize| usize::from(code[at + behind]);
    let u2 = |behind: usize| u1(behind) << 8 | u1(behind + 1);
    let u4 = |behind: usize| (u2(behind) << 16 | u2(behind + 2)) as u32 as i32;
    let member = |name: &str| {
        let short = pool[u2(1)].replace("java/lang/Thread.", "T.").replace("java/lang/LucceHooks.", "H.");
        let short = short.replace("java/lang/LucceTallies.", "C.").replace("java/lang/LucceShadowStack.", "Shadow.");
        let short = short.replace("java/lang/LucceLazyEntry.", "A.");
        (format!("{name} {}", short.replace("Ljava/lang/Thread;", "T").replace("$lucce$", "")), 3)
    };
    let local = |name: &str, base: u8| (format!("{name} {}", code[at] - base), 1);
    let jump = |name: &str| (format!("{name} {}", (at as i64 + i64::from(u2(1) as i16))), 3);
    match code[at] {
        0 => ("nop".into(), 1),
        1 => ("aconst_null".into(), 1),
        op @ 2..=8 => (format!("push {}", i32::from(op) - 3), 1),
        9 => ("lconst_0".into(), 1),
        10 => ("lconst_1".into(), 1),
        16 => (format!("push {}", code[at + 1] as i8), 2),
        17 => (format!("push {}", u2(1) as i16), 3),
        18 => (format!("push {}", pool[u1(1)]), 2),
        19 | 20 => (format!("push {}", pool[u2(1)]), 3),
        21 => (format!("iload {}", u1(1)), 2),
        22 => (format!("lload {}", u1(1)), 2),
        25 => (format!("aload {}", u1(1)), 2),
        26..=29 => local("iload", 26),
        30..=33 => local("lload", 30),
        42..=45 => local("aload", 42),
        54 => (format!("istore {}", u1(1)), 2),
        55 => (format!("lstore {}", u1(1)), 2),
        58 => (format!("astore {}", u1(1)), 2),
        59..=62 => local("istore", 59),
        63..=66 => local("lstore", 63),
        75..=78 => local("astore", 75),
        87 => ("pop".into(), 1),
        88 => ("pop2".into(), 1),
        89 => ("dup".into(), 1),
        92 => ("dup2".into(), 1),
        95 => ("swap".into(), 1),
        96 => ("iadd".into(), 1),
        97 => ("ladd".into(), 1),
        101 => ("lsub".into(), 1),
        105 => ("lmul".into(), 1),
        120 => ("ishl".into(), 1),
        121 => ("lshl".into(), 1),
        123 => ("lshr".into(), 1),
        125 => ("lushr".into(), 1),
        128 => ("ior".into(), 1),
        130 => ("ixor".into(), 1),
        131 => ("lxor".into(), 1),
        132 => (format!("iinc {} {}", u1(1), code[at + 2] as i8), 3),
        133 => ("i2l".into(), 1),
        136 => ("l2i".into(), 1),
        148 => ("lcmp".into(), 1),
        153 => jump("ifeq"),
        154 => jump("ifne"),
        155 => jump("iflt"),
        156 => jump("ifge"),
        167 => jump("goto"),
        172 => ("ireturn".into(), 1),
        173 => ("lreturn".into(), 1),
        176 => ("areturn".into(), 1),
        177 => ("return".into(), 1),
        178 => member("getstatic"),
        179 => member("putstatic"),
        180 => member("getfield"),
        181 => member("putfield"),
        182 => member("invokevirtual"),
        183 => member("invokespecial"),
        184 => member("invokestatic"),
        187 => member("new"),
        188 => (format!("newarray {}", u1(1)), 2),
        189 => member("anewarray"),
        191 => ("athrow".into(), 1),
        192 => member("checkcast"),
        196 => (format!("wide {} {}", instruction(&[code[at + 1], 0], 0, pool).0, u2(2)), 4),
        197 => (format!("{} {}", member("multianewarray").0, u1(3)), 4),
        198 => jump("ifnull"),
        200 => (format!("goto_w {}", at as i64 + i64::from(u4(1))), 5),
        other => panic!("opcode {other} at {at}"),
    }
}
