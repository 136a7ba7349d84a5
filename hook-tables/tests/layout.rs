//! The Java class that tells the hooks the layout of the tables, made from Rust.
//!
//! Invariant: the committed class says what Rust says;
//! `BLESS=1 cargo test -p lucce-hook-tables --test layout` renews it.
//! Source: `hook-tables/src/layout.rs`.
#![cfg(not(miri))]

use std::fmt::Write;
use std::path::Path;

use lucce_hook_tables::layout::{CONSTANTS, Number};

const CLASS: &str = "../java-shim/hooks/src/stub/java/java/lang/LucceLayout.java";

/// Numbers from here on are written in base 16.
const LARGE: u64 = 1 << 20;

fn written(number: Number) -> (&'static str, String) {
    match number {
        Number::Int(number) if u64::from(number as u32) < LARGE => ("int", number.to_string()),
        Number::Int(number) => ("int", format!("{number:#010X}").replace("0X", "0x")),
        Number::Long(number) if (number as u64) < LARGE => ("long", format!("{number}L")),
        Number::Long(number) => ("long", format!("{number:#018X}L").replace("0X", "0x")),
    }
}

fn class() -> String {
    let mut class = String::from(
        "package java.lang;\n\n\
         /**\n\
         \x20* What the hooks must know of the agent's tables: offsets, bits and multipliers. Only compiled against, for all are constants.\n\
         \x20*\n\
         \x20* <p>Made from hook-tables/src/layout.rs; see hook-tables/tests/layout.rs.\n\
         \x20*/\n\
         final class LucceLayout {\n",
    );
    for constant in CONSTANTS {
        let (java, number) = written(constant.number);
        writeln!(class, "    /** {} */\n    static final {java} {} = {number};", constant.meaning, constant.name)
            .unwrap();
    }
    class + "\n    private LucceLayout() {}\n}\n"
}

#[test]
fn the_class_says_what_rust_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(CLASS);
    let class = class();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &class).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == class, "LucceLayout is not as hook-tables/src/layout.rs: BLESS=1 renews it");
}

#[test]
fn a_name_is_given_once() {
    let mut names: Vec<_> = CONSTANTS.iter().map(|constant| constant.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), CONSTANTS.len());
}
