//! Classes that are recorded: damaged records, and answers that have changed since. That a record
//! says what the rewriter said is a property that holds of any class (`common/property.rs`).

mod common;

use lucce_classfile::{Policy, PolicyTrace, Recorded, RewriteOptions, SequentialIds, instrument, record};

const OLD: &[u8] = include_bytes!("fixtures/Sample.class");
const NEW: &[u8] = include_bytes!("fixtures/Sample17.class");

/// Answers each question in the same way.
#[derive(Clone, Copy)]
struct Answers {
    interposable: bool,
    inert: bool,
    leaf_super: bool,
}

impl Policy for Answers {
    fn interposable(&self, _: &[u8], _: &[u8]) -> bool {
        self.interposable
    }
    fn inert(&self, _: &[u8]) -> bool {
        self.inert
    }
    fn leaf_super(&self, _: &[u8], _: &[u8]) -> bool {
        self.leaf_super
    }
}

const FALSE: Answers = Answers { interposable: false, inert: false, leaf_super: false };
const TRUE: Answers = Answers { interposable: true, inert: true, leaf_super: true };

fn recorded(class: &[u8], policy: &dyn Policy) -> Vec<u8> {
    let trace = PolicyTrace::new(policy, class);
    let done = instrument(class, &mut SequentialIds::default(), &trace, &RewriteOptions::default())
        .expect("it can be rewritten");
    record(class, &done, &trace).expect("nothing of it is left out")
}

#[test]
fn every_sample_passes_the_property() {
    common::property::check(OLD);
    common::property::check(NEW);
}

#[test]
fn a_damaged_record_is_an_error_or_a_class_and_never_a_panic() {
    for class in [OLD, NEW] {
        let record = recorded(class, &FALSE);
        for len in 0..record.len() {
            assert!(Recorded::read(class, &record[..len]).is_err(), "{len} of {} bytes", record.len());
        }
        for at in 0..record.len() {
            for damage in [1, 0x80, 0xFF] {
                let mut record = record.clone();
                record[at] ^= damage;
                if let Ok(read) = Recorded::read(class, &record) {
                    // Whatever it says now can be asked for.
                    read.class.methods.iter().for_each(|method| assert!(read.class.sites_of(method).len() < 1 << 16));
                    let _ = read.holds(&TRUE);
                }
            }
        }
    }
}

#[test]
fn a_record_of_another_class_names_nothing_beyond_the_class() {
    let record = recorded(NEW, &FALSE);
    let short = &OLD[..OLD.len() / 8];
    assert!(Recorded::read(short, &record).is_err(), "its names stand behind the end");
}

#[test]
fn a_record_holds_where_its_answers_allow_what_was_done() {
    let holds = |then: Answers, now: Answers| {
        let record = recorded(OLD, &then);
        Recorded::read(OLD, &record).expect("it can be read").holds(&now)
    };
    assert!(holds(FALSE, FALSE) && holds(TRUE, TRUE));
    // Each answer alone, as it was and as it is.
    let interposable = Answers { interposable: true, ..FALSE };
    assert_eq!((holds(FALSE, interposable), holds(interposable, FALSE)), (false, true));
    let inert = Answers { inert: true, ..FALSE };
    assert_eq!((holds(FALSE, inert), holds(inert, FALSE)), (true, false));
    let leaf = Answers { leaf_super: true, ..FALSE };
    assert_eq!((holds(FALSE, leaf), holds(leaf, FALSE)), (true, false));
}
