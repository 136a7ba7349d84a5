//! Maps and tables of lines as bytes, for [`crate::cache::recorded`].
//!
//! Invariant: what is read back equals what was written.

use std::ops::Range;

use super::{BciMap, LineTable, MapRun, RunKind};
use crate::SkipReason;
use crate::cache::recorded::count;
use crate::format::reader::Reader;

impl BciMap {
    /// `None`: there is more of it than can be counted.
    pub(crate) fn write(&self, out: &mut Vec<u8>) -> Option<()> {
        out.push(u8::from(self.is_lazy));
        count(self.runs.len(), out)?;
        for MapRun { at, original, kind } in &self.runs {
            out.extend(at.to_be_bytes());
            out.extend(original.to_be_bytes());
            out.push(match kind {
                RunKind::Copied => 0,
                RunKind::Changed => 1,
                RunKind::Inserted => 2,
            });
        }
        count(self.unentered.len(), out)?;
        for Range { start, end } in &self.unentered {
            out.extend(start.to_be_bytes());
            out.extend(end.to_be_bytes());
        }
        Some(())
    }

    /// # Errors
    /// It is no map.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, SkipReason> {
        let is_lazy = reader.u1()? != 0;
        let run = |&[a, b, c, d, e, f, kind]: &[u8; 7]| {
            let kind = match kind {
                0 => RunKind::Copied,
                1 => RunKind::Changed,
                _ => RunKind::Inserted,
            };
            MapRun { at: u32::from_be_bytes([a, b, c, d]), original: u16::from_be_bytes([e, f]), kind }
        };
        let runs = items(reader)?.iter().map(run).collect();
        let range =
            |&[a, b, c, d, e, f, g, h]: &[u8; 8]| u32::from_be_bytes([a, b, c, d])..u32::from_be_bytes([e, f, g, h]);
        let unentered = items(reader)?.iter().map(range).collect();
        Ok(Self { runs, unentered, is_lazy })
    }
}

impl LineTable {
    /// `None`: there is more of it than can be counted.
    pub(crate) fn write(&self, out: &mut Vec<u8>) -> Option<()> {
        count(self.entries.len(), out)?;
        for (at, line) in &self.entries {
            out.extend(at.to_be_bytes());
            out.extend(line.to_be_bytes());
        }
        Some(())
    }

    /// # Errors
    /// It is no table of lines.
    pub(crate) fn read_back(reader: &mut Reader<'_>) -> Result<Self, SkipReason> {
        let entry = |&[a, b, c, d]: &[u8; 4]| (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
        Ok(Self { entries: items(reader)?.iter().map(entry).collect() })
    }
}

/// As many items of a length as are counted.
fn items<'a, const N: usize>(reader: &mut Reader<'a>) -> Result<&'a [[u8; N]], SkipReason> {
    let count = reader.u4()? as usize;
    let bytes = reader.take(count.saturating_mul(N))?;
    Ok(bytes.as_chunks().0)
}
