//! A report: one HTML file that shows the sums of logs, opened without network.
//!
//! Invariant: a file has [`MOST_BYTES`] at most where stacks alone do not need more; bins of time
//! become longer for it. Values are whole numbers of any size. Names are text of a compressed part,
//! escaped as people read them: none can become markup.
//! Source: docs/guide/report.md. The page is made from `decoder/report` (TypeScript), and stands in
//! `report/template.html`.

mod columns;
mod pack;

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::DeflateEncoder;

use crate::diff::{Per, unit};
use crate::export::Profile;

/// The page without data.
const TEMPLATE: &str = include_str!("report/template.html");
/// Stands in the page where the data goes.
const PLACE: &str = "@LUCCE-DATA@";
/// What a file takes at most, unless its stacks alone take more.
pub const MOST_BYTES: usize = 3_000_000;
/// Threads that are told apart where there is no room for all.
const THREADS: usize = 32;

/// What a report shows.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// The sums of a run, gathered by [`Gathered::timed`](crate::export::Gathered::timed), with
    /// origins.
    pub new: &'a Profile,
    /// Those of an older run to compare it with.
    pub base: Option<&'a Profile>,
    /// A glob of the methods by whose counted calls sums are divided at first,
    /// `com.acme.Api.handle`.
    pub per: Option<&'a str>,
}

impl Report<'_> {
    /// What of it cannot be shown, in one line: there are no events, or no calls to divide by.
    ///
    /// # Errors
    /// That line.
    pub fn check(&self) -> Result<(), String> {
        if self.new.sums().is_empty() {
            return Err("no events to report".into());
        }
        let per = self.per.map(|glob| Per::Method(glob.to_owned()));
        match (per, self.base) {
            (None, _) => Ok(()),
            (Some(_), None) => Err("--per compares: name the older run with --base".into()),
            (Some(per), Some(base)) => {
                unit(base, &per, "old")?;
                unit(self.new, &per, "new")?;
                Ok(())
            }
        }
    }

    /// Writes the file.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
        let (head, tail) = TEMPLATE.split_once(PLACE).unwrap_or((TEMPLATE, ""));
        let room = MOST_BYTES.saturating_sub(TEMPLATE.len());
        out.write_all(head.as_bytes())?;
        out.write_all(self.data(room)?.as_bytes())?;
        out.write_all(tail.as_bytes())
    }

    /// The data in base64, with the shortest bins of time that fit. Of many threads only the
    /// busiest are told apart where there is no room, and none where that is not enough.
    fn data(&self, room: usize) -> io::Result<String> {
        let mut pack = pack::Pack::new(self);
        let mut threads = [THREADS, 0].into_iter();
        loop {
            let mut deflate = DeflateEncoder::new(Vec::new(), Compression::new(6));
            deflate.write_all(&pack.bytes())?;
            let text = base64(&deflate.finish()?);
            if text.len() <= room {
                return Ok(text);
            }
            if threads.len() > 1 && threads.next().is_some_and(|most| pack.keep_threads(most)) {
                continue;
            }
            // As many bins as would fit if each took what they take now on average.
            let bins = pack.bins();
            loop {
                if !pack.coarsen() {
                    if threads.next().is_some_and(|most| pack.keep_threads(most)) {
                        break;
                    }
                    return Ok(text);
                }
                if pack.bins() as u128 * text.len() as u128 <= bins as u128 * room as u128 {
                    break;
                }
            }
        }
    }
}

/// RFC 4648, section 4.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let number = three.iter().fold(0_u32, |number, &byte| number << 8 | u32::from(byte)) << (8 * (3 - three.len()));
        for at in 0..4 {
            let digit = DIGITS[(number >> (18 - 6 * at)) as usize & 63];
            text.push(if at <= three.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_rfc() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
        assert_eq!(base64(&[0xFF, 0xEF, 0xBE]), "/+++");
    }

    #[test]
    fn the_page_has_one_place_for_its_data() {
        assert_eq!(TEMPLATE.matches(PLACE).count(), 1);
    }
}
