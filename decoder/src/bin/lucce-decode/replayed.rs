//! A log that is read more than once: first for what explains its events, and then for the events.
//!
//! Invariant: no event is kept. Each reading sees the bytes that the first one has seen, so a log
//! that grows meanwhile is what it was, and the numbers in its events mean the same.
//! Source: docs/guide/decoder.md.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use lucce_decoder::export::{Gathered, Profile};
use lucce_decoder::{Log, LoggedEvent};

use crate::failure::Failure;
use crate::logs::{Input, Summed, stream};

/// A log whose first reading is done.
pub struct Replayed {
    path: PathBuf,
    /// Its bytes, where they cannot be had again.
    held: Option<Vec<u8>>,
    /// That log alone.
    all: Summed,
}

impl Replayed {
    /// Reads a file, or the standard input for `-`. An error is one line.
    pub fn read(path: &Path) -> Result<Self, String> {
        let mut held = None;
        // A pipe can be read but once.
        if path == Path::new("-") {
            let mut bytes = Vec::new();
            let read = io::stdin().lock().read_to_end(&mut bytes);
            read.map_err(|error| format!("cannot read {}: {error}", path.display()))?;
            held = Some(bytes);
        }
        Self::of(path, held)
    }

    /// The same, with bytes that are in memory.
    pub fn of(path: &Path, held: Option<Vec<u8>>) -> Result<Self, String> {
        let mut all = Summed { profile: Profile::new(false), logs: Vec::new() };
        all.add(path, input(path, held.as_deref())?, Gathered::new().together(), "")?;
        Ok(Self { path: path.into(), held, all })
    }

    /// All but its events.
    pub fn log(&self) -> &Log {
        &self.all.logs[0].log
    }

    /// Its sums, and how it stands.
    pub fn all(&self) -> &Summed {
        &self.all
    }

    /// Hands over the events in file order, until `take` has enough, and behind them each tally
    /// with its whole sum.
    pub fn events(
        &self,
        mut take: impl FnMut(&LoggedEvent) -> Result<ControlFlow<()>, Failure>,
    ) -> Result<(), Failure> {
        let (mut tallies, mut failure) = (BTreeMap::<u64, LoggedEvent>::new(), None);
        let mut enough = false;
        let input = input(&self.path, self.held.as_deref()).map_err(Failure::Input)?;
        let read = stream(&self.path, input.again(self.log().bytes()), |log| {
            for event in log.events() {
                if event.is_tally() {
                    let new = || LoggedEvent { count: 0, value: 0, time_ns: 0, ..event.clone() };
                    let sum = tallies.entry(event.seq).or_insert_with(new);
                    sum.count = sum.count.saturating_add(event.count);
                    sum.value = sum.value.saturating_add(event.value);
                    continue;
                }
                match take(event) {
                    Ok(ControlFlow::Continue(())) => {}
                    Ok(ControlFlow::Break(())) => {
                        enough = true;
                        return ControlFlow::Break(());
                    }
                    Err(error) => {
                        failure = Some(error);
                        return ControlFlow::Break(());
                    }
                }
            }
            ControlFlow::Continue(())
        });
        if let Some(failure) = failure {
            return Err(failure);
        }
        read.map_err(Failure::Input)?;
        for sum in tallies.values().filter(|_| !enough) {
            if take(sum)?.is_break() {
                break;
            }
        }
        Ok(())
    }
}

fn input<'a>(path: &Path, held: Option<&'a [u8]>) -> Result<Input<'a>, String> {
    held.map_or_else(|| Input::open(path), |bytes| Ok(Input::held(bytes)))
}
