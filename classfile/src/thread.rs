//! The thread state: seven fields added to `java.lang.Thread`.
//!
//! Invariant: the fields go behind the class's own, so nothing else of it changes.
//! Source: ARCHITECTURE ("Thread state"), JVMS 4.5.

use crate::SkipReason;
use crate::class::ClassFile;
use crate::constants::STATE;
use crate::pool::Additions;

/// `public transient synthetic`.
const ACCESS: u16 = 0x0001 | 0x0080 | 0x1000;

/// `java/lang/Thread` with the state fields. A class that has them already is given back as it is.
/// Errors as [`crate::instrument`] names them for a whole class.
pub fn add_thread_state(bytes: &[u8]) -> Result<Vec<u8>, SkipReason> {
    let class = ClassFile::read(bytes)?;
    if class.fields.iter().any(|field| field.name == STATE[0].0) {
        return Ok(bytes.to_vec());
    }
    let mut additions = Additions::new(&class.pool);
    let mut fields = Vec::new();
    for (name, desc) in STATE {
        let parts = [ACCESS, additions.utf8(name)?, additions.utf8(desc)?, 0];
        parts.iter().for_each(|part| fields.extend_from_slice(&part.to_be_bytes()));
    }
    let count = u16::try_from(class.fields.len() + STATE.len());
    let count = count.map_err(|_| SkipReason::malformed("too many fields", class.fields_at))?;
    let splices = [
        (class.fields_at..class.fields_at + 2, count.to_be_bytes().to_vec()),
        (class.methods_at..class.methods_at, fields),
    ];
    Ok(class.splice(&additions, &splices))
}
