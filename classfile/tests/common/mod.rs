//! A small assembler of class files, and a reader of what came out.
//!
//! Invariant: it shares no code with the crate it tests.

#![allow(dead_code)]

pub mod listing;
pub mod property;

use lucce_classfile::{
    HookOutcome, Instrumented, Policy, RewriteOptions, SequentialIds, SkipReason, instrument, opcode_hash,
};

/// A class file in the making.
pub struct Class {
    pub major: u16,
    pub minor: u16,
    pool: Vec<u8>,
    next: u16,
    pub super_name: &'static str,
    pub access: u16,
    fields: Vec<[u16; 4]>,
    methods: Vec<Vec<u8>>,
}

/// A method's Code attribute.
#[derive(Default)]
pub struct Body {
    pub max_stack: u16,
    pub max_locals: u16,
    pub code: Vec<u8>,
    pub handlers: Vec<[u16; 4]>,
    /// Name and contents.
    pub attributes: Vec<(&'static str, Vec<u8>)>,
}

impl Class {
    pub fn new(major: u16) -> Self {
        let (pool, fields, methods) = (Vec::new(), Vec::new(), Vec::new());
        let super_name = "java/lang/Object";
        let mut class = Self { major, minor: 0, pool, next: 1, super_name, access: 0x21, fields, methods };
        class.class("Made");
        class
    }

    fn entry(&mut self, tag: u8, body: &[u8]) -> u16 {
        self.pool.push(tag);
        self.pool.extend_from_slice(body);
        self.next += 1;
        self.next - 1
    }

    pub fn utf8(&mut self, text: &str) -> u16 {
        let mut body = (text.len() as u16).to_be_bytes().to_vec();
        body.extend_from_slice(text.as_bytes());
        self.entry(1, &body)
    }

    fn pair(&mut self, tag: u8, one: u16, two: u16) -> u16 {
        let body = [one.to_be_bytes(), two.to_be_bytes()].concat();
        self.entry(tag, &body)
    }

    pub fn class(&mut self, name: &str) -> u16 {
        let name = self.utf8(name);
        self.entry(7, &name.to_be_bytes())
    }

    /// Tag 9 is a field, 10 a method, 11 an interface method.
    pub fn member(&mut self, tag: u8, owner: &str, name: &str, desc: &str) -> u16 {
        let owner = self.class(owner);
        let (name, desc) = (self.utf8(name), self.utf8(desc));
        let name_and_type = self.pair(12, name, desc);
        self.pair(tag, owner, name_and_type)
    }

    pub fn method_type(&mut self, desc: &str) -> u16 {
        let desc = self.utf8(desc);
        self.entry(16, &desc.to_be_bytes())
    }

    /// Fills the pool until `count` entries are left.
    pub fn fill(&mut self, left: u16) {
        while self.next < 65535 - left {
            let body = u32::from(self.next).to_be_bytes();
            self.entry(4, &body);
        }
    }

    pub fn field(&mut self, access: u16, name: &str, desc: &str) {
        let field = [access, self.utf8(name), self.utf8(desc), 0];
        self.fields.push(field);
    }

    pub fn method(&mut self, access: u16, name: &str, desc: &str, body: Body) {
        let code_name = self.utf8("Code");
        let mut code = Vec::new();
        if (self.major, self.minor) == (45, 0) {
            code.extend([body.max_stack as u8, body.max_locals as u8]);
            code.extend((body.code.len() as u16).to_be_bytes());
        } else {
            code.extend(body.max_stack.to_be_bytes());
            code.extend(body.max_locals.to_be_bytes());
            code.extend((body.code.len() as u32).to_be_bytes());
        }
        code.extend(&body.code);
        code.extend((body.handlers.len() as u16).to_be_bytes());
        code.extend(body.handlers.iter().flatten().flat_map(|part| part.to_be_bytes()));
        code.extend((body.attributes.len() as u16).to_be_bytes());
        for (name, contents) in &body.attributes {
            code.extend(self.utf8(name).to_be_bytes());
            code.extend((contents.len() as u32).to_be_bytes());
            code.extend(contents);
        }
        let (name, desc) = (self.utf8(name), self.utf8(desc));
        let mut method: Vec<u8> =
            [access, name, desc, 1, code_name].iter().flat_map(|part| part.to_be_bytes()).collect();
        method.extend((code.len() as u32).to_be_bytes());
        method.extend(code);
        self.methods.push(method);
    }

    pub fn bytes(mut self) -> Vec<u8> {
        let super_index = self.class(self.super_name);
        let mut out = 0xCAFE_BABE_u32.to_be_bytes().to_vec();
        out.extend([self.minor, self.major, self.next].iter().flat_map(|part| part.to_be_bytes()));
        out.extend(&self.pool);
        let head = [self.access, 2, super_index, 0, self.fields.len() as u16];
        let parts = head.iter().chain(self.fields.iter().flatten());
        out.extend(parts.flat_map(|part| part.to_be_bytes()));
        out.extend((self.methods.len() as u16).to_be_bytes());
        self.methods.iter().for_each(|method| out.extend(method));
        out.extend([0, 0]);
        out
    }
}

/// `interposable()V` and `lazy()V` are interposable; `Inert` is inert; `JdkLeaf` has only JDK leaf
/// methods; methods named `was` were leaf methods, the constructors of `Silent` are leaf
/// constructors; methods named `counted` are counted.
pub struct Rules;

impl Policy for Rules {
    fn interposable(&self, name: &[u8], desc: &[u8]) -> bool {
        desc == b"()V" && (name == b"interposable" || name == b"lazy")
    }
    fn inert(&self, class: &[u8]) -> bool {
        class == b"Inert"
    }
    fn jdk_leaf(&self, owner: &[u8], _: &[u8], _: &[u8], _: bool) -> bool {
        owner == b"JdkLeaf"
    }
    fn was_leaf(&self, _: &[u8], name: &[u8], _: &[u8]) -> bool {
        name == b"was"
    }
    fn leaf_super(&self, super_class: &[u8], _: &[u8]) -> bool {
        super_class == b"Silent"
    }
    fn counts_entries(&self, _: &[u8], name: &[u8], _: &[u8]) -> bool {
        name == b"counted"
    }
    fn is_lazy(&self, _: &[u8], name: &[u8]) -> bool {
        name == b"lazy"
    }
}

pub fn hooked(bytes: &[u8]) -> Instrumented<'static> {
    hooked_with(bytes, &RewriteOptions::default())
}

pub fn hooked_with(bytes: &[u8], options: &RewriteOptions) -> Instrumented<'static> {
    // The result borrows its names; a test's class may as well stay.
    let bytes = Vec::leak(bytes.to_vec());
    let done = instrument(bytes, &mut SequentialIds::default(), &Rules, options).expect("the class is well formed");
    check_skeletons(&done);
    done
}

/// What is wrong with the class, if it is left as a whole because it is malformed. Otherwise its
/// first method must have hooks.
pub fn wrong(bytes: &[u8]) -> Option<&'static str> {
    match instrument(bytes, &mut SequentialIds::default(), &Rules, &RewriteOptions::default()) {
        Err(SkipReason::Malformed { what, .. }) => Some(what),
        Ok(done) if matches!(done.methods[0].outcome, HookOutcome::Hooked(_)) => None,
        other => panic!("{:?}", other.map(|done| done.methods[0].outcome)),
    }
}

/// What is said of the emitted code, for it to be known again, must be so.
fn check_skeletons(done: &Instrumented<'_>) {
    let with_code = done.methods.iter().filter(|method| method.outcome != HookOutcome::NoCode);
    for (method, seen) in with_code.zip(view(&done.bytes).code) {
        if let HookOutcome::Hooked(_) | HookOutcome::HookedHuge(_) = method.outcome {
            assert_eq!(method.opcode_hash, opcode_hash(&seen.code));
            assert!(method.map.fits(&seen.code));
        }
    }
}

/// A Code attribute as it was written.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    pub max_stack: u16,
    pub max_locals: u16,
    pub code: Vec<u8>,
    pub handlers: Vec<[u16; 4]>,
    pub attributes: Vec<(String, Vec<u8>)>,
}

impl Seen {
    pub fn attribute(&self, name: &str) -> &[u8] {
        let found = self.attributes.iter().find(|attribute| attribute.0 == name);
        &found.unwrap_or_else(|| panic!("no {name}")).1
    }
}

/// What a class file holds: pool entries as text, and the code of each method in order.
pub struct View {
    pub pool: Vec<String>,
    pub pool_bytes: Vec<u8>,
    pub code: Vec<Seen>,
}

struct Cursor<'a>(&'a [u8], usize);

impl Cursor<'_> {
    fn u1(&mut self) -> u8 {
        self.1 += 1;
        self.0[self.1 - 1]
    }
    fn u2(&mut self) -> u16 {
        u16::from(self.u1()) << 8 | u16::from(self.u1())
    }
    fn u4(&mut self) -> u32 {
        u32::from(self.u2()) << 16 | u32::from(self.u2())
    }
    fn bytes(&mut self, len: usize) -> Vec<u8> {
        self.1 += len;
        self.0[self.1 - len..self.1].to_vec()
    }
}

pub fn view(bytes: &[u8]) -> View {
    let mut at = Cursor(bytes, 4);
    let (minor, major, count) = (at.u2(), at.u2(), at.u2());
    let mut raw = vec![(0, Vec::new()); usize::from(count)];
    let mut index = 1;
    while index < usize::from(count) {
        let tag = at.u1();
        let len = match tag {
            1 => usize::from(at.u2()),
            3 | 4 | 9..=12 | 17 | 18 => 4,
            5 | 6 => 8,
            15 => 3,
            _ => 2,
        };
        raw[index] = (tag, at.bytes(len));
        index += if matches!(tag, 5 | 6) { 2 } else { 1 };
    }
    let pool_bytes = bytes[10..at.1].to_vec();
    let pool = (0..raw.len()).map(|index| text(&raw, index)).collect::<Vec<_>>();
    at.1 += 6;
    for _ in 0..at.u2() {
        at.1 += 2;
    }
    let mut code = Vec::new();
    for _members in 0..2 {
        for _ in 0..at.u2() {
            at.1 += 6;
            for _ in 0..at.u2() {
                let name = at.u2();
                let len = at.u4() as usize;
                let body = at.bytes(len);
                if pool[usize::from(name)] == "Code" {
                    code.push(seen(&body, &pool, (major, minor) <= (45, 2)));
                }
            }
        }
    }
    View { pool, pool_bytes, code }
}

fn text(raw: &[(u8, Vec<u8>)], index: usize) -> String {
    let Some((tag, body)) = raw.get(index) else { return "?".into() };
    let part = |at: usize| text(raw, usize::from(body[at]) << 8 | usize::from(body[at + 1]));
    match tag {
        1 => String::from_utf8_lossy(body).into_owned(),
        3 => i32::from_be_bytes([body[0], body[1], body[2], body[3]]).to_string(),
        5 => i64::from_be_bytes(body[..].try_into().expect("eight bytes")).to_string(),
        7 => part(0),
        9..=11 => format!("{}.{}", part(0), part(2)),
        12 => format!("{}{}", part(0), part(2)),
        _ => format!("tag {tag}"),
    }
}

fn seen(body: &[u8], pool: &[String], legacy: bool) -> Seen {
    let mut at = Cursor(body, 0);
    let (max_stack, max_locals, len) = if legacy {
        (u16::from(at.u1()), u16::from(at.u1()), usize::from(at.u2()))
    } else {
        (at.u2(), at.u2(), at.u4() as usize)
    };
    let code = at.bytes(len);
    let handlers = (0..at.u2()).map(|_| [at.u2(), at.u2(), at.u2(), at.u2()]).collect();
    let attributes = (0..at.u2())
        .map(|_| {
            let name = pool[usize::from(at.u2())].clone();
            let len = at.u4() as usize;
            (name, at.bytes(len))
        })
        .collect();
    Seen { max_stack, max_locals, code, handlers, attributes }
}
