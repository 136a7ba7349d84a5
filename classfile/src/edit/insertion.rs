//! Calls of the hooks inserted into methods of the JDK, and fields added to its classes: what tells
//! where threads and tasks come from.
//!
//! Invariant: an inserted call takes what is there and leaves it there; it holds no jump, so no
//! frame is due, and nothing else changes.
//! Source: docs/design/origins.md, JVMS 4.5 to 4.7.

use crate::emit::constants::{ADDED, AddedField, Constants, ORIGINS};
use crate::emit::encode::{Extension, encode, read_frames};
use crate::emit::layout::{Body, Edit, Edits, Layout, Places};
use crate::format::class::ClassFile;
use crate::format::code::Code;
use crate::format::members::Member;
use crate::format::opcode::*;
use crate::format::pool::{METHOD, MemberRef};
use crate::stack_maps::frames::Frames;
use crate::validate::untouched::check_code;
use crate::{BciMap, Inserted, SkipReason};
use std::ops::Range;

/// A call of one of the hooks of `java.lang.LucceOrigins`.
#[derive(Clone, Copy, Debug)]
pub struct Insertion<'i> {
    /// Name and descriptor of the method that gets it; `None` for every method.
    pub method: Option<(&'i [u8], &'i [u8])>,
    /// Where in it.
    pub at: InsertionPoint<'i>,
    /// What the hook is given.
    pub argument: Argument,
    /// The hook's name.
    pub hook: &'static [u8],
}

/// Where a call is inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InsertionPoint<'i> {
    /// Before the first instruction.
    Start,
    /// Before each call of a method of that name.
    Call(&'i [u8]),
    /// Before each `return`, in a constructor or method that gives nothing.
    Return,
}

/// What a hook is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// Nothing.
    None,
    /// The reference in that local, as it is at the method's start.
    Local(u8),
    /// The references in these two, likewise.
    Locals(u8, u8),
    /// The reference on top of the operand stack, which stays there.
    Top,
}

/// Most words that a hook is given.
const MOST_ARGUMENTS: usize = 2;

/// A range of the class file, and what comes in its place.
pub(crate) type Splice = (Range<usize>, Vec<u8>);

/// The new code of methods, by their order: where it goes, and the way back.
pub(crate) type Codes = Vec<(usize, Splice, BciMap)>;

/// The class with these fields and calls; `None` if it has no place for any of the calls. Errors as
/// [`crate::instrument()`] names them for a whole class, also where only one method is at fault.
pub fn insert(
    bytes: &[u8],
    fields: &[(&[u8], &[u8])],
    calls: &[Insertion<'_>],
) -> Result<Option<Inserted>, SkipReason> {
    let class = ClassFile::read(bytes)?;
    let mut constants = Constants::new(&class.pool);
    let fields: Vec<AddedField<'_>> = fields.iter().map(|&(name, desc)| (name, desc, ADDED)).collect();
    let fields = if fields.is_empty() { Vec::new() } else { with_fields(&class, &fields, &mut constants)? };
    let calls = insertions(&class, calls, &mut constants)?;
    let unchanged = fields.is_empty() && calls.is_empty();
    if unchanged { Ok(None) } else { spliced(&class, &constants, fields, calls).map(Some) }
}

/// The class with these fields and this code in it; an error if it is malformed in a method that
/// stays.
pub(crate) fn spliced(
    class: &ClassFile<'_>,
    constants: &Constants<'_>,
    fields: Vec<Splice>,
    codes: Codes,
) -> Result<Inserted, SkipReason> {
    let added = usize::from(constants.additions.count()) - class.pool.count();
    for (number, method) in class.methods.iter().enumerate() {
        let stays = !class.version.is_pre_release() && codes.iter().all(|code| code.0 != number);
        method.code().filter(|_| stays).map_or(Ok(()), |code| check_code(class, code, added))?;
    }
    let (mut splices, mut maps) = (fields, Vec::with_capacity(codes.len()));
    for (method, splice, map) in codes {
        splices.push(splice);
        maps.push((method, map));
    }
    Ok(Inserted { bytes: class.splice(&constants.additions, &splices), maps })
}

/// The splices that add fields behind the class's own.
pub(crate) fn with_fields(
    class: &ClassFile<'_>,
    added: &[AddedField<'_>],
    constants: &mut Constants<'_>,
) -> Result<Vec<Splice>, SkipReason> {
    let mut fields = Vec::new();
    for &(name, desc, access) in added {
        let parts = [access, constants.additions.utf8(name)?, constants.additions.utf8(desc)?, 0];
        parts.iter().for_each(|part| fields.extend_from_slice(&part.to_be_bytes()));
    }
    let count = u16::try_from(class.fields.len() + added.len());
    let count = count.map_err(|_| SkipReason::malformed("too many fields", class.fields_at))?;
    let at = class.fields_at;
    Ok(vec![(at..at + 2, count.to_be_bytes().to_vec()), (class.methods_at..class.methods_at, fields)])
}

/// The code with the calls, in the order of the methods.
pub(crate) fn insertions(
    class: &ClassFile<'_>,
    calls: &[Insertion<'_>],
    constants: &mut Constants<'_>,
) -> Result<Codes, SkipReason> {
    let mut codes = Vec::new();
    for (number, method) in class.methods.iter().enumerate() {
        let own = |call: &&Insertion<'_>| call.method.is_none_or(|named| named == (method.name, method.desc));
        let calls: Vec<_> = calls.iter().filter(own).copied().collect();
        if !calls.is_empty() && method.code().is_some() {
            let inserted = inserted(class, method, &calls, constants)?;
            codes.extend(inserted.map(|(splice, map)| (number, splice, map)));
        }
    }
    Ok(codes)
}

fn inserted(
    class: &ClassFile<'_>,
    method: &Member<'_>,
    calls: &[Insertion<'_>],
    constants: &mut Constants<'_>,
) -> Result<Option<(Splice, BciMap)>, SkipReason> {
    let attribute = method.code().ok_or(SkipReason::malformed("no code", 0))?;
    let code = Code::read(class.bytes, &class.pool, class.version, attribute, Box::default())?;
    let mut edits = Edits::default();
    for call in calls.iter().filter(|call| call.at == InsertionPoint::Start) {
        edits.bytes.extend(emitted(call, constants)?);
    }
    edits.prologue = 0..edits.bytes.len();
    for number in 0..code.count() {
        let start = edits.bytes.len();
        for call in calls {
            let here = match call.at {
                InsertionPoint::Start => false,
                InsertionPoint::Return => code.opcode(number) == RETURN,
                InsertionPoint::Call(name) => {
                    (INVOKEVIRTUAL..=INVOKEINTERFACE).contains(&code.opcode(number))
                        && class.pool.member(code.operand(number)).is_some_and(|member| member.name == name)
                }
            };
            if here {
                edits.bytes.extend(emitted(call, constants)?);
            }
        }
        if edits.bytes.len() > start {
            edits.list.push(Edit { number, before: start..edits.bytes.len(), body: Body::Keep });
        }
    }
    if edits.bytes.is_empty() {
        return Ok(None);
    }
    let mut frames = Frames::default();
    read_frames(&code, &mut frames)?;
    let layout = Layout::place(&code, &edits, Places::default(), &|_, _| false)?;
    let extension = Extension {
        tail: &[],
        handlers: &[],
        max_stack: usize::from(code.max_stack) + MOST_ARGUMENTS,
        max_locals: usize::from(code.max_locals),
        frames: None,
        variable: None,
    };
    let name = &class.bytes[attribute.whole.start..attribute.whole.start + 2];
    let mut encoded = Vec::new();
    encode(&code, name, &edits, &layout, &frames, &extension, &mut encoded)?;
    Ok(Some(((attribute.whole.clone(), encoded), BciMap::new(&code, &edits, &layout, &[], false))))
}

/// The instructions of one call.
fn emitted(call: &Insertion<'_>, constants: &mut Constants<'_>) -> Result<Vec<u8>, SkipReason> {
    let (mut out, desc): (_, &[u8]) = match call.argument {
        Argument::None => (Vec::new(), b"()V"),
        Argument::Local(local) => (vec![ALOAD, local], b"(Ljava/lang/Object;)V"),
        Argument::Locals(first, second) => {
            (vec![ALOAD, first, ALOAD, second], b"(Ljava/lang/Object;Ljava/lang/Object;)V")
        }
        Argument::Top => (vec![DUP], b"(Ljava/lang/Object;)V"),
    };
    let [high, low] = constants.reference(METHOD, MemberRef { owner: ORIGINS, name: call.hook, desc })?.to_be_bytes();
    out.extend([INVOKESTATIC, high, low]);
    Ok(out)
}
