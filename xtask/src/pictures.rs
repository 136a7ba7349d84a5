//! `cargo xtask pictures`: the pictures of reports that the documents show, taken in Chromium of a
//! log of H2.
//!
//! Invariant: they are taken by what opens reports in the tests, so a page with an error gives no
//! picture.

use crate::{Result, demo, process, readers, tree};

/// Where the documents have them.
const FOLDER: &str = "docs/guide/images";
/// What the pictures show: a name, the fragment of the address, and how many callees are gone to,
/// each the largest.
const PICTURES: [(&str, &str, usize); 1] = [("report.png", "#kind=alloc&view=icicle&group=line", 10)];

/// Takes them.
///
/// # Errors
/// One line for the first step that failed.
pub fn run() -> Result<()> {
    let folder = tree::cache().join("pictures");
    let (log, page) = (folder.join("events.log"), folder.join("report.html"));
    demo::shop(None, "alloc=64k,exceptions,locks,cpu=10ms,async=on", &log)?;
    process::run(process::command(tree::release("lucce-decode")).arg("report").arg(&log).arg("-o").arg(&page))?;
    let readers = readers::fetch()?;
    let script = tree::root().join("decoder/tests/readers/report.mjs");
    let mut node = process::command(&readers.node);
    node.arg(script).arg(&readers.folder).arg(&readers.chromium).arg(&page);
    for (name, fragment, depth) in PICTURES {
        let down = " press:ArrowDown".repeat(depth);
        node.arg(format!(
            "{fragment} focus:.sizer>canvas{down} blur picture:{}",
            tree::root().join(FOLDER).join(name).display()
        ));
        println!("{FOLDER}/{name}");
    }
    process::output(&mut node).map(drop)
}
