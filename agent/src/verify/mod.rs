//! The oracle: what the agent says, compared with the JVM's own stacks.

pub mod oracle;
