//! A JVM in its own spaces of process numbers and mounts, as in a container, with a folder for
//! temporary files of its own, which does not see the library.
//!
//! Invariant: the library comes to it, and nothing stays. Source: mount_namespaces(7),
//! pid_namespaces(7).

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use lucce_jvm_tests::{Jvm, Program, Run, Scratch, place, until};

use super::running::{attach, said};
use super::{agree, stacks, whole};
use crate::container::{number, obstacle};

const UNSHARE: [&str; 7] = ["unshare", "--map-root-user", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child"];

#[test]
fn it_comes_into_other_spaces_that_do_not_see_the_library() {
    if let Some(why) = obstacle(&UNSHARE, &["mount", "-t", "tmpfs", "none", "/tmp"]) {
        println!("skipped: no spaces can be made here ({why})");
        return;
    }
    for jvm in Jvm::each(&[11, 25]) {
        let scratch = Scratch::new("spaces", jvm.feature);
        let folder = place().agent.parent().expect("a folder").to_owned();
        let run = Run::hazard(&jvm, "Attached").within(&scratch).argument("/tmp/end").argument(scratch.file("stacks"));
        let run = run.command();
        // The workspace and the scratch folder stay visible wherever they are; the library's folder
        // and that of temporary files are others.
        let mounts = "mount -t tmpfs none /mnt && mkdir /mnt/scratch /mnt/workspace \
                      && mount --bind \"$1\" /mnt/scratch && mount --rbind \"$2\" /mnt/workspace \
                      && mount -t tmpfs none /tmp && mkdir -p \"$1\" \"$2\" \
                      && mount --rbind /mnt/workspace \"$2\" && mkdir -p \"$1\" && mount --bind /mnt/scratch \"$1\" \
                      && mount -t tmpfs none \"$3\" && cd \"$1\" && shift 3 && exec \"$@\"";
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a folder");
        let mut outer = Command::new(UNSHARE[0]);
        outer.args(&UNSHARE[1..]).args(["sh", "-c", mounts, "sh"]).arg(scratch.path()).arg(workspace).arg(&folder);
        outer.arg(run.get_program()).args(run.get_args());
        outer.current_dir(scratch.path()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let program = Program::start(&mut outer);
        let log = scratch.file("events.log");
        let options = format!("file={},alloc=64k,verify=1,quiet", log.display());
        let process = until("the JVM", || {
            let process = number(program.id())?;
            let (status, said) = said(&attach(&process, &options).output().expect("the decoder runs"));
            let is_early =
                ["is no HotSpot JVM", "takes no SIGQUIT yet", "still starting"].iter().any(|why| said.contains(why));
            assert!(status == 0 || is_early, "{said}");
            (status == 0).then_some(process)
        });
        let ctl = |command: &str| {
            said(&Command::new(&place().decode).args(["ctl", &process, command]).output().expect("the decoder runs"))
        };
        until("events", || {
            let (_, stats) = ctl("stats");
            let events = stats.lines().find_map(|line| line.strip_prefix("alloc.events ")?.parse::<u64>().ok());
            (events > Some(200)).then_some(())
        });
        let (status, line) = ctl("kill");
        assert_eq!(status, 0, "{line}");
        let temporary = Path::new("/proc").join(&process).join("root/tmp");
        let names = fs::read_dir(&temporary).expect("its folder").filter_map(Result::ok);
        let left =
            names.map(|file| file.file_name().to_string_lossy().into_owned()).filter(|name| name.contains("lucce"));
        let left: Vec<String> = left.filter(|name| !name.starts_with("lucce-tests-")).collect();
        assert_eq!(left, Vec::<String>::new());
        fs::write(temporary.join("end"), "").expect("written");
        let (status, printed, complaints) = program.end();
        assert!(status.success(), "{status}: {printed}{complaints}");
        whole(&log);
        let seen = fs::read_to_string(scratch.file("stacks")).expect("written").lines().map(str::to_owned).collect();
        agree(&stacks(&log), &seen, jvm.feature);
    }
}
