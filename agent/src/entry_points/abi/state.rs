//! What the ABI keeps.

use crate::events::recording::Consumers;

/// What the ABI needs beside the agent.
#[derive(Default)]
pub struct Abi {
    /// Who wants events.
    pub consumers: Consumers,
}
