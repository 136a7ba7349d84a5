//! The class file as ranges of its own bytes, and the splices that make another one of it.
//!
//! Invariant: whatever no splice names is copied byte for byte.
//! Source: JVMS 4.1, 4.5 to 4.7.

use crate::SkipReason;
use crate::format::attribute::{Attribute, attribute};
use crate::format::members::{Member, Members};
use crate::format::pool::{self, Additions, PoolView};
use crate::format::reader::Reader;
use crate::format::version::{FRAMES, Version};
use crate::memory::vec_reuse::emptied;
use crate::validate::failover::fails_over;
use crate::validate::pool_index_check::check_attribute;
use std::ops::Range;

const MAGIC: u32 = 0xCAFE_BABE;
const OLDEST: u16 = 45;
const NEWEST: u16 = 69;

/// A scanned class file.
pub(crate) struct ClassFile<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) version: Version,
    pub(crate) pool: PoolView<'a>,
    pool_end: usize,
    pub(crate) access: u16,
    pub(crate) this_index: u16,
    pub(crate) name: &'a [u8],
    pub(crate) super_name: Option<&'a [u8]>,
    pub(crate) interfaces: Vec<&'a [u8]>,
    /// Offset of `fields_count`.
    pub(crate) fields_at: usize,
    pub(crate) fields: Members<'a>,
    /// Offset of `methods_count`: the end of the fields.
    pub(crate) methods_at: usize,
    pub(crate) methods: Members<'a>,
    pub(crate) attributes: Vec<Attribute<'a>>,
}

/// The memory of a scanned class file, for the next.
#[derive(Default)]
pub(crate) struct ClassBuffers {
    pool: pool::PoolBuffers,
    interfaces: Vec<&'static [u8]>,
    fields: Vec<Member<'static>>,
    methods: Vec<Member<'static>>,
    attributes: Vec<Attribute<'static>>,
}

impl<'a> ClassFile<'a> {
    /// Scans the whole file; trailing bytes are an error, as they are to the JVM.
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, SkipReason> {
        Self::read_into(bytes, ClassBuffers::default())
    }

    /// [`Self::read`] into memory that another has left.
    pub(crate) fn read_into(bytes: &'a [u8], buffers: ClassBuffers) -> Result<Self, SkipReason> {
        let ClassBuffers { pool, mut interfaces, fields, methods, attributes } = buffers;
        let mut reader = Reader::new(bytes, 0);
        if u32::try_from(bytes.len()).is_err() || reader.u4()? != MAGIC {
            return Err(SkipReason::malformed("magic", 0));
        }
        let (minor, major) = (reader.u2()?, reader.u2()?);
        if !(OLDEST..=NEWEST).contains(&major) {
            return Err(SkipReason::UnsupportedVersion { major });
        }
        let pool = PoolView::read(bytes, &mut reader, pool)?;
        let pool_end = reader.at();
        let (access, this_index, super_index) = (reader.u2()?, reader.u2()?, reader.u2()?);
        let name = pool.class(this_index).ok_or_else(|| reader.error("this_class"))?;
        let super_name = match super_index {
            0 => None,
            index => Some(pool.class(index).ok_or_else(|| reader.error("super_class"))?),
        };
        let count = reader.u2()?;
        interfaces.reserve(usize::from(count));
        for _ in 0..count {
            let index = reader.u2()?;
            interfaces.push(pool.class(index).ok_or_else(|| reader.error("interface"))?);
        }
        let fields_at = reader.at();
        let fields = members(&mut reader, &pool, fields)?;
        let methods_at = reader.at();
        let methods = members(&mut reader, &pool, methods)?;
        let attributes = self::attributes(&mut reader, &pool, attributes)?;
        if !reader.is_at_end() {
            return Err(reader.error("trailing bytes"));
        }
        let fails_over = major == FRAMES && fails_over(bytes, &pool, &methods);
        let version = Version { major, minor, fails_over };
        Ok(Self {
            bytes,
            version,
            pool,
            pool_end,
            access,
            this_index,
            name,
            super_name,
            interfaces,
            fields_at,
            fields,
            methods_at,
            methods,
            attributes,
        })
    }

    /// What it leaves for the next.
    pub(crate) fn into_buffers(self) -> ClassBuffers {
        let Self { pool, interfaces, fields, methods, attributes, .. } = self;
        ClassBuffers {
            pool: pool.into_buffers(),
            interfaces: emptied(interfaces),
            fields: emptied(fields.into_list()),
            methods: emptied(methods.into_list()),
            attributes: emptied(attributes),
        }
    }

    /// Where the pool ends.
    pub(crate) fn pool_end(&self) -> usize {
        self.pool_end
    }

    /// The file with the pool's additions, and `body` in place of all that stands behind the pool,
    /// behind `out`.
    pub(crate) fn with_body(&self, additions: &Additions<'_>, body: &[u8], out: &mut Vec<u8>) {
        out.reserve(self.pool_end + additions.bytes().len() + body.len());
        self.with_additions(additions, out);
        out.extend_from_slice(body);
    }

    /// The file up to the end of its pool, additions included, behind `out`.
    fn with_additions(&self, additions: &Additions<'_>, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.bytes[..8]);
        out.extend_from_slice(&additions.count().to_be_bytes());
        out.extend_from_slice(&self.bytes[10..self.pool_end]);
        out.extend_from_slice(additions.bytes());
    }

    /// The file with the pool's additions and the splices (ascending, disjoint) in it.
    pub(crate) fn splice(&self, additions: &Additions<'_>, splices: &[(Range<usize>, Vec<u8>)]) -> Vec<u8> {
        let grown: usize = splices.iter().map(|splice| splice.1.len()).sum();
        let mut out = Vec::with_capacity(self.bytes.len() + additions.bytes().len() + grown);
        self.with_additions(additions, &mut out);
        let mut at = self.pool_end;
        for (range, with) in splices {
            out.extend_from_slice(&self.bytes[at..range.start]);
            out.extend_from_slice(with);
            at = range.end;
        }
        out.extend_from_slice(&self.bytes[at..]);
        out
    }
}

fn members<'a>(
    reader: &mut Reader<'a>,
    pool: &PoolView<'a>,
    mut members: Vec<Member<'a>>,
) -> Result<Members<'a>, SkipReason> {
    let count = reader.u2()?;
    members.reserve(usize::from(count));
    for _ in 0..count {
        let access = reader.u2()?;
        let (name, desc) = (reader.u2()?, reader.u2()?);
        let name = pool.utf8(name).ok_or_else(|| reader.error("member name"))?;
        let desc = pool.utf8(desc).ok_or_else(|| reader.error("member descriptor"))?;
        let (mut code, mut annotations) = (None, None);
        for _ in 0..reader.u2()? {
            let attribute = attribute(reader, pool)?;
            if code.is_none() && attribute.name == b"Code" {
                code = Some(attribute);
            } else if attribute.name == b"RuntimeVisibleAnnotations" {
                annotations = Some(attribute);
            } else {
                check_attribute(reader.bytes(), pool, &attribute)?;
            }
        }
        members.push(Member { access, name, desc, code, annotations });
    }
    Ok(Members::new(members))
}

fn attributes<'a>(
    reader: &mut Reader<'a>,
    pool: &PoolView<'a>,
    mut attributes: Vec<Attribute<'a>>,
) -> Result<Vec<Attribute<'a>>, SkipReason> {
    let count = reader.u2()?;
    attributes.reserve(usize::from(count.min(64)));
    for _ in 0..count {
        let attribute = attribute(reader, pool)?;
        check_attribute(reader.bytes(), pool, &attribute)?;
        attributes.push(attribute);
    }
    Ok(attributes)
}
