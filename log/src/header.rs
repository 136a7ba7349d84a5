//! The file header: what wrote this log, where and when. JSON, so that it can be read without this
//! crate for years.
//!
//! Invariant: fields are only ever added, with a default.
//! Source: docs/FORMAT.md, "Header".

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The format that this crate writes and reads.
pub const FORMAT: u32 = 3;

pub(crate) const MAGIC: &[u8; 8] = b"LUCCELOG";
/// Bytes before the JSON: magic, length, checksum.
pub(crate) const FIXED: usize = 16;
/// Longest JSON that a reader accepts.
pub(crate) const MAX_HEADER: usize = 1 << 20;

/// What the log is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Header {
    /// The format of the blocks, [`FORMAT`].
    pub format: u32,
    /// Random number of the run, as `Lucce.runId()` gives it.
    pub run_id: u64,
    /// Name and version of the agent.
    pub agent: String,
    /// Name and version of the JVM.
    pub jvm: String,
    /// The agent's options as they were given.
    pub options: String,
    /// Process id.
    pub pid: u32,
    /// Host name.
    pub host: String,
    /// Start of the run: nanoseconds since 1970, UTC.
    pub start_unix_ns: u64,
    /// `lucce`, `algorithm1`, `cct`, `none` or `count`.
    pub encoder: String,
    /// Names of the run for other tools, such as `service` or `service.name`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Number of the file in the run, from 1; 0 where the writer did not say.
    #[serde(skip_serializing_if = "is_zero")]
    pub part: u32,
    /// Inode of the file, whose lock the writer holds as long as it writes there; 0 where it holds
    /// none.
    #[serde(skip_serializing_if = "is_zero")]
    pub inode: u64,
    /// When that file came to be: nanoseconds since 1970, UTC; 0 where its file system does not
    /// say.
    #[serde(skip_serializing_if = "is_zero")]
    pub born: u64,
}

fn is_zero<T: Default + PartialEq>(number: &T) -> bool {
    *number == T::default()
}

/// The first bytes of a log.
pub fn encode_header(header: &Header) -> Vec<u8> {
    // Strings and integers only: serialising them cannot fail, and an empty header would still be a
    // readable one.
    let json = serde_json::to_vec(header).unwrap_or_default();
    let mut out = Vec::with_capacity(FIXED + json.len());
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&(json.len() as u32).to_le_bytes());
    out.extend_from_slice(&crc32fast::hash(&json).to_le_bytes());
    out.extend_from_slice(&json);
    out
}
