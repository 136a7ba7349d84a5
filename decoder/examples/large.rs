//! Writes a log of as many events as are wanted, to see what reading it takes: `large EVENTS FILE`.
//!
//! Invariant: the events lie in 20 000 contexts of 4 frames, as in a program that runs for long. Numbers come from a fixed sequence.
//! Source: docs/FORMAT.md.

use std::fs::File;
use std::io::{BufWriter, Error, Write};
use std::sync::Arc;

use lucce_log::{BlockBuilder, Header, Owner, Record, encode_header};
use lucce_words::{Bci, ClassId, MethodId, NodeId, SiteId, Word};

/// Events of one block: the agent writes blocks of some 64 KiB.
const BLOCK: u64 = 5_000;
const METHODS: u32 = 2_000;
const CONTEXTS: u32 = 20_000;

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let (events, file) = (arguments.next(), arguments.next());
    let (Some(Ok(events)), Some(file)) = (events.map(|text| text.parse::<u64>()), file) else {
        return Err(Error::other("usage: large EVENTS FILE"));
    };
    let mut out = BufWriter::new(File::create(file)?);
    let format = lucce_log::FORMAT;
    let options = "alloc=512k,locks".into();
    out.write_all(&encode_header(&Header { format, encoder: "lucce".into(), options, ..Header::default() }))?;
    let (mut builder, mut block) = (BlockBuilder::new(), 0);
    definitions(&mut builder);
    out.write_all(&builder.finish(block))?;
    let classes: Vec<Arc<str>> = (0..50).map(|class| format!("shop/Class{class}").into()).collect();
    let mut random = 88_172_645_463_325_252_u64;
    for event in 0..events {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        // A context has one kind and a class or two, as an instruction does.
        let node = CONTEXTS / 2 + (random >> 8) as u32 % (CONTEXTS / 2);
        builder.push(&Record::Event {
            time_ns: event * 1_000 + random % 700,
            thread: 1 + (random >> 20) as u32 % 16,
            kind: 1 + node % 2,
            value: (random >> 40) as i64 % 4_096,
            word: Word::NONE,
            site: SiteId::UNKNOWN,
            chain: NodeId(0),
            class: Some(Arc::clone(&classes[(node % 50) as usize])),
            walked: Default::default(),
            node: NodeId(node),
        });
        if (event + 1) % BLOCK == 0 {
            block += 1;
            out.write_all(&builder.finish(block))?;
        }
    }
    builder.push(&Record::End);
    out.write_all(&builder.finish(block + 1))?;
    out.flush()
}

/// All that events name.
fn definitions(builder: &mut BlockBuilder) {
    for id in 1..=16 {
        builder.push(&Record::Thread { id, name: format!("worker-{id}"), java_id: id.into() });
    }
    for (id, name) in [(1, "alloc"), (2, "monitor")] {
        builder.push(&Record::Kind { id, owner: Owner::Agent, name: name.into() });
    }
    for id in 1..=METHODS {
        let (class, name) = (ClassId(id), format!("shop/part{}/Service{id}", id % 40).into());
        builder.push(&Record::Class { id: class, name, source: Some("Service.java".into()), loader: 1 });
        let (name, desc) = ("handle".into(), "()V".into());
        builder.push(&Record::Method { id: MethodId(id), class, name, desc, access: 1, huge: false });
        let [owner, name, desc] = ["x/Y", "z", "()V"].map(Into::into);
        let (id, method, line) = (SiteId(id + 1), MethodId(id), Some(id as u16));
        builder.push(&Record::Site { id, method, bci: Bci(3), line, kind: 1, owner, name, desc });
    }
    for id in 1..=CONTEXTS {
        let parent = NodeId(if id < 20 { 0 } else { id / 10 });
        builder.push(&Record::Node { id: NodeId(id), parent, site: SiteId(2 + id * 7 % METHODS) });
    }
}
