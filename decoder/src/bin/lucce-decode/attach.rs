//! `attach`: the agent comes into a JVM that runs, as `jcmd <pid> JVMTI.agent_load` brings it, and
//! without a JDK.
//!
//! Invariant: exit status 0 if the agent is at work, 1 if the JVM or the agent says why not, 2 if
//! nothing was asked. A process that is no JVM gets no signal. What was put beside the JVM goes
//! again.
//! Source: docs/guide/attach.md.

mod lent;
mod protocol;
mod target;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use crate::plain::plain;
use crate::{agent, ctl};
use lent::Lent;
use target::Target;

/// Brings the agent into a JVM that runs.
#[derive(Debug, Parser)]
#[command(after_help = "No class is rewritten: each context is a walk of the stack. Options are those that go with
hooks=off: alloc=<bytes>, leaks, locks, file and others. lucce-decode ctl PID kill ends it.

Exit status: 0 attached, 1 the JVM or the agent says why not, 2 nothing was asked.")]
pub struct AttachArgs {
    /// The process, of the same user
    #[arg(value_name = "PID")]
    pid: u32,
    /// The agent's options, such as alloc=512k,leaks,locks
    #[arg(value_name = "OPTIONS", default_value = "")]
    options: String,
    /// The agent; by default the one that this program came with for such a JVM
    #[arg(long, value_name = "PATH")]
    agent: Option<PathBuf>,
}

/// Why not: exit status and line.
type Refusal = (u8, String);

/// Attaches, and prints where the log is.
pub fn run(args: &AttachArgs) -> ExitCode {
    match attach(args) {
        Ok(said) => match writeln!(io::stdout(), "{}", plain(&said)) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                crate::failure::fail(1, &format!("attached; cannot write: {error}"))
            }
            _ => ExitCode::SUCCESS,
        },
        Err((status, line)) => crate::failure::fail(status, &line),
    }
}

/// What the agent says once it is there.
fn attach(args: &AttachArgs) -> Result<String, Refusal> {
    let nothing = |line: String| (2, line);
    let given = args.agent.as_deref().map(agent::named).transpose().map_err(nothing)?;
    let target = Target::find(args.pid).map_err(nothing)?;
    let library = given.map_or_else(|| agent::own(target.c_library), Ok).map_err(nothing)?;
    if let Some(log) = ctl::log_of(args.pid) {
        let pid = args.pid;
        return Err((1, format!("Lucce is there already and writes {log}: see lucce-decode ctl {pid} status")));
    }
    let mut lent = Lent::to(&target, &library).map_err(nothing)?;
    let options = format!("answer={},{}", lent.answer_path(), args.options);
    let answer = protocol::load(&target, lent.library(), &options)?;
    let said = lent.answer();
    match answer.as_str() {
        "return code: 0" => Ok(said.unwrap_or_else(|| "attached".into())),
        // The agent says more than its code.
        code => Err((1, said.unwrap_or_else(|| code.into()))),
    }
}
