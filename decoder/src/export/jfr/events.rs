//! The events of a sum: those of the JVM's, if it has some for the kind, and one of ours.
//!
//! Invariant: what is written agrees with the fields that [`types`] declares, one by one. A sum is
//! one event with its whole weight or duration; an exception or a sample of the processor has
//! neither, so there are as many of these as the sum counts.
//! Source: JDK 25, `share/jfr/metadata/metadata.xml`.

use std::io::{self, Write};

use super::bytes::Bytes;
use super::pools::{Pools, RUNNABLE};
use super::types;
use crate::Owner;
use crate::export::{Profile, Sum, clamp};

/// Events, encoded. Those that are repeated are kept once, so that memory grows with sums alone.
#[derive(Default)]
pub(super) struct Events {
    once: Bytes,
    repeated: Vec<(Bytes, u64)>,
}

impl Events {
    pub(super) fn len(&self) -> u64 {
        let repeated = self.repeated.iter().map(|(event, times)| event.len().saturating_mul(*times));
        repeated.fold(self.once.len(), u64::saturating_add)
    }

    pub(super) fn write(&self, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
        out.write_all(self.once.as_slice())?;
        for (event, times) in &self.repeated {
            (0..*times).try_for_each(|_| out.write_all(event.as_slice()))?;
        }
        Ok(())
    }

    /// Adds those of a sum. `begin` is the beginning of the chunk, in nanoseconds since 1970.
    pub(super) fn add(&mut self, profile: &Profile, sum: &Sum, begin: u64, pools: &mut Pools<'_>) {
        let start = sum.begin_ns.saturating_sub(begin);
        let (thread, stack) = (pools.thread(sum.thread), pools.stack(sum.stack));
        let class = profile.class(sum).map_or(0, |class| pools.class(class));
        let value = clamp(sum.value) as u64;
        let kind = &profile.kinds()[sum.kind];
        // What the program calls its kinds means nothing here.
        let agents = if kind.owner == Owner::Agent { kind.name.as_str() } else { "" };
        // The fields behind the beginning. A 0 is no class, thread or string, too.
        let (of, fields): (u64, &[u64]) = match agents {
            "alloc" => (types::ALLOCATION, &[thread, stack, class, value]),
            // Without a duration and a message.
            "exception" => (types::EXCEPTION, &[0, thread, stack, 0, class]),
            // Without the owner before, and the address.
            "monitor" => (types::MONITOR, &[value, thread, stack, class, 0, 0]),
            // Without a timeout, an end, and the address.
            "park" => (types::PARK, &[value, thread, stack, class, 0, 0, 0]),
            "cpu" => (types::EXECUTION, &[thread, stack, RUNNABLE]),
            _ => (0, &[]),
        };
        let mut event = Bytes::default();
        if !fields.is_empty() {
            event.record(of, |event| {
                event.number(start);
                fields.iter().for_each(|&field| event.number(field));
            });
        }
        match of {
            types::EXCEPTION | types::EXECUTION => self.repeated.push((event, sum.count)),
            _ => self.once.extend(&event),
        }
        let ours = match agents {
            "alloc" => types::LUCCE_ALLOCATION,
            "exception" => types::LUCCE_EXCEPTION,
            "monitor" => types::LUCCE_MONITOR,
            "park" => types::LUCCE_PARK,
            "cpu" => types::LUCCE_CPU,
            "entry" => types::LUCCE_INVOCATION,
            _ => types::LUCCE_EVENT,
        };
        let texts = [
            Some(profile.context(sum).to_owned()),
            profile.origin_line(sum),
            Some(profile.fingerprints(sum).exact.to_string()),
        ]
        .map(|text| text.map(|text| pools.string(&text)));
        let kind = pools.string(&kind.label);
        self.once.record(ours, |event| {
            [start, thread, stack].into_iter().for_each(|number| event.number(number));
            event.shared_text(Some(kind));
            [class, value, sum.count].into_iter().for_each(|number| event.number(number));
            texts.into_iter().for_each(|text| event.shared_text(text));
        });
    }
}
