//! The same path with nothing inserted.
//!
//! Invariant: the result is byte-identical to the input; every method's code has been taken apart
//! and written again.
//! Source: STYLE ("identity rewriting must give identical bytes").

use crate::SkipReason;
use crate::emit::encode::{Extension, encode, read_frames};
use crate::emit::layout::{Edits, Layout};
use crate::format::class::ClassFile;
use crate::format::code::Code;
use crate::format::pool::Additions;

/// Parses a class and emits it without any insertion. An error names the first thing that could not
/// be read.
pub fn identity(bytes: &[u8]) -> Result<Vec<u8>, SkipReason> {
    let class = ClassFile::read(bytes)?;
    let additions = Additions::new(&class.pool);
    let mut splices = Vec::new();
    let (mut tables, mut frames, mut places) = Default::default();
    for attribute in class.methods.iter().filter_map(|method| method.code()) {
        let code = Code::read(bytes, &class.pool, class.version, attribute, tables)?;
        read_frames(&code, &mut frames)?;
        let edits = Edits::default();
        let layout = Layout::place(&code, &edits, places, &|_, _| false)?;
        let extension = Extension {
            tail: &[],
            handlers: &[],
            max_stack: usize::from(code.max_stack),
            max_locals: usize::from(code.max_locals),
            frames: None,
            variable: None,
        };
        let name = &bytes[attribute.whole.start..attribute.whole.start + 2];
        let mut encoded = Vec::new();
        encode(&code, name, &edits, &layout, &frames, &extension, &mut encoded)?;
        splices.push((attribute.whole.clone(), encoded));
        (tables, places) = (code.into_tables(), layout.into_places());
    }
    Ok(class.splice(&additions, &splices))
}
