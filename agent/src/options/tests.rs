//! Options as users write them.

use super::*;

#[test]
fn options_are_read_with_their_units() {
    let options = Options::parse("file=a.log,alloc=512k,verify=7,quiet,exclude=a.*:b.C").unwrap();
    assert_eq!((options.file.as_str(), options.alloc, options.verify), ("a.log", Some(512 << 10), Verify::Every(7)));
    assert!(options.quiet);
    assert_eq!(options.exclude, Globs::read("a.*:b.C"));
}

#[test]
fn the_log_is_limited_unless_told_otherwise() {
    let limits = |text: &str| {
        let options = Options::parse(text).unwrap();
        (options.limits.bytes, options.limits.every.map(|every| every.as_secs()), options.keep)
    };
    assert_eq!(limits(""), (Some(1 << 30), None, 2));
    assert_eq!(limits("rotate=3g,keep=8,rotate-every=2h"), (Some(3 << 30), Some(7200), 8));
    assert_eq!(limits("rotate=off,keep=all"), (None, None, u32::MAX));
    for wrong in ["rotate=0", "keep=0", "rotate-every=1", "rotate-every=0s", "rotate-every=\u{e9}", "keyframe=x"] {
        assert!(Options::parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_wrong_option_is_one_short_line_that_shows_what_is_right() {
    for (text, said) in [
        ("colour=red", "unknown option 'colour': the option help lists all"),
        ("aloc=64k", "unknown option 'aloc': did you mean alloc=64k?"),
        ("jdk", "option 'jdk' needs a value: jdk=on"),
        ("async", "option 'async' needs a value: async=on"),
        ("verify=", "option 'verify' needs a value: verify=1000"),
        ("file=", "option 'file' needs a value: file=app.log"),
        ("exception", "unknown option 'exception': did you mean exceptions?"),
        ("asinc", "unknown option 'asinc': did you mean async=on?"),
        ("jdk=yes", "option 'jdk' cannot be 'yes', it wants on or off"),
        ("quiet=1", "option 'quiet' cannot be '1', it wants on or off"),
        ("help=me", "option 'help' cannot be 'me', it wants no value"),
        ("alloc=lots", "option 'alloc' cannot be 'lots', it wants a number of bytes below 2g such as 512k, or all"),
    ] {
        assert_eq!(Options::parse(text).unwrap_err().to_string(), said, "{text}");
    }
}

#[test]
fn what_has_no_value_of_its_own_is_switched_on_and_off() {
    let parse = |text: &str| Options::parse(text).unwrap();
    let on = parse("locks=on,exceptions=on,contexts=on,quiet=on,leaks=on,verify=1,encoder=lucce");
    assert!(on.locks && on.contexts && on.quiet && on.leaks && on.exceptions == Some(Globs::default()));
    assert_eq!(on.alloc, Some(128 << 10));
    let off = parse(
        "locks,exceptions=a.*,contexts,quiet,leaks,alloc=1k,cpu=10ms,entries=*,verify=1,\
locks=off,exceptions=off,contexts=off,quiet=off,leaks=off,alloc=off,cpu=off,entries=off,verify=off",
    );
    assert!(!off.locks && !off.contexts && !off.quiet && !off.leaks && off.exceptions.is_none());
    assert!((off.alloc, off.cpu, off.verify) == (None, None, Verify::Off) && off.entries.is_empty());
    assert!(off.on_demand());
}

#[test]
fn the_error_of_a_value_beyond_its_limits_names_them() {
    for (text, limits) in [
        ("alloc=2g", "below 2g"),
        ("alloc=2147483648", "below 2g"),
        ("leaks=2g", "below 2g"),
        ("cct-memory=4g", "below 2g"),
        ("cpu=50us", "from 100us to 3600s"),
        ("cpu=3601s", "from 100us to 3600s"),
    ] {
        let line = Options::parse(text).unwrap_err().to_string();
        assert!(line.contains(limits), "{line}");
    }
    let largest = Options::parse("alloc=2147483647,cpu=3600s").unwrap();
    assert_eq!((largest.alloc, largest.cpu), (Some(i32::MAX as u32), Some(Duration::from_secs(3600))));
    assert_eq!(Options::parse("cpu=100us").unwrap().cpu, Some(Duration::from_micros(100)));
}

#[test]
fn leaks_turn_sampling_on_and_agree_with_it() {
    let options = |text: &str| Options::parse(text).map(|options| (options.leaks, options.alloc));
    assert_eq!(options("leaks"), Ok((true, Some(128 << 10))));
    assert_eq!(options("leaks=4k"), Ok((true, Some(4 << 10))));
    assert_eq!(
        [options("alloc=1k,leaks"), options("leaks,alloc=1k")],
        [Ok((true, Some(1 << 10))), Ok((true, Some(1 << 10)))]
    );
    for text in [
        "alloc=1k,leaks=2k",
        "leaks=2k,alloc=1k",
        "leaks=",
        "leaks=few",
        "leaks,encoder=none",
        "leaks,alloc=all",
        "alloc=all,leaks=2k",
    ] {
        assert!(options(text).is_err(), "{text}");
    }
}

#[test]
fn encoders_without_contexts_have_no_events_and_nothing_to_verify() {
    for name in ["none", "count"] {
        let encoder = Options::parse(&format!("encoder={name}")).unwrap().encoder;
        assert_eq!((encoder.name(), encoder.has_contexts()), (name, false));
        for other in ["verify=1", "alloc=512k"] {
            let line = Options::parse(&format!("encoder={name},{other}")).unwrap_err().to_string();
            assert!(line.contains(name) && line.contains("no contexts"), "{line}");
        }
    }
}

#[test]
fn sources_are_off_unless_asked_for_and_need_lucces_words() {
    let none = Options::parse("quiet").unwrap();
    assert!(none.exceptions.is_none() && !none.locks && none.cpu.is_none() && none.alloc.is_none());
    let all = Options::parse("exceptions=java.lang.*:a.B,locks,cpu=10ms").unwrap();
    assert_eq!(all.exceptions.unwrap(), Globs::read("java.lang.*:a.B"));
    assert_eq!((all.locks, all.cpu), (true, Some(Duration::from_millis(10))));
    assert_eq!(Options::parse("exceptions").unwrap().exceptions, Some(Globs::default()));
    for wrong in ["exceptions=", "locks=1", "cpu", "cpu=10", "cpu=1us", "encoder=cct,locks", "encoder=none,cpu=1ms"] {
        assert!(Options::parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn what_is_counted_by_context_needs_the_words_of_the_encoder() {
    let options = Options::parse("alloc=all,entries=com.acme.*.handle*:a.B.<init>").unwrap();
    assert_eq!((options.alloc, options.alloc_all, options.entries.len()), (None, true, 2));
    assert_eq!(Options::parse("alloc=all,alloc=1m").unwrap().alloc, Some(1 << 20));
    for encoder in ["cct", "algorithm1", "none"] {
        for counted in ["alloc=all", "entries=*.run"] {
            let line = Options::parse(&format!("encoder={encoder},{counted}")).unwrap_err().to_string();
            assert!(line.contains(encoder) && line.contains("counts nothing"), "{line}");
        }
    }
}

#[test]
fn tasks_are_followed_if_they_are_asked_for() {
    assert!(!Options::parse("quiet").unwrap().follows_tasks);
    assert!(Options::parse("async=on").unwrap().follows_tasks);
    assert!(!Options::parse("async=off").unwrap().follows_tasks);
    assert!(Options::parse("async=maybe").unwrap_err().to_string().contains("on or off"));
    assert!(Options::parse("async=on,encoder=none").unwrap_err().to_string().contains("no contexts"));
}

#[test]
fn a_late_start_needs_control_and_refuses_what_counts_from_the_beginning() {
    assert!(Options::parse("").unwrap().start);
    let late = Options::parse("start=off,control=/tmp/a").unwrap();
    assert_eq!((late.start, late.control), (false, Control::At("/tmp/a".into())));
    for other in ["control=off", "jdk=on", "alloc=all", "entries=*.run", "async=on", "encoder=algorithm1"] {
        let line = Options::parse(&format!("start=off,{other}")).unwrap_err().to_string();
        assert!(line.contains("start=off") && !line.contains('\n'), "{line}");
    }
}

#[test]
fn contexts_are_compared_by_number_or_by_time() {
    let verify = |text: &str| Options::parse(text).map(|options| options.verify);
    assert_eq!(verify("verify=7"), Ok(Verify::Every(7)));
    assert_eq!(verify("verify=10ms"), Ok(Verify::Each(Duration::from_millis(10))));
    assert_eq!(verify("verify=1h,verify=2s").map_err(|error| error.to_string()), Err(WRONG_TIME.into()));
    assert!(
        [verify("verify=0"), verify("verify=10ms,verify=off"), verify("")].iter().all(|off| *off == Ok(Verify::Off))
    );
    for encoder in ["pcc", "icpp", "algorithm1"] {
        let line = Options::parse(&format!("contexts,verify=1,encoder={encoder}")).unwrap_err().to_string();
        assert_eq!(line, "option 'contexts' needs encoder=lucce with verify=1, or encoder=cct");
    }
    assert!(verify("contexts,verify=10ms").is_err() && !Options::parse("verify=10ms").unwrap().on_demand());
}

const WRONG_TIME: &str = "option 'verify' cannot be '1h', it wants a number such as 1000, or a time such as 10ms";

#[test]
fn methods_sleep_where_nothing_else_looks_at_words() {
    let parse = |text: &str| Options::parse(text).unwrap();
    let options = parse("hooks=demand,wake=7,awake=a.B.c:*.run,alloc=512k,async=on,verify=1");
    assert!(options.on_demand() && options.few_frames() == 7 && options.awake == Globs::read("a.B.c:*.run"));
    let sources = ["alloc=512k,cpu=1ms", "leaks,hooks=demand", "cpu=1ms", "exceptions", "locks"];
    for asleep in ["", "hooks=all,hooks=demand", "async=on,quiet", "wake=9"].into_iter().chain(sources) {
        assert!(parse(asleep).on_demand(), "{asleep}");
    }
    for looking in ["hooks=all", "hooks=demand,hooks=all", "alloc=512k,hooks=all", "leaks,verify=100"] {
        assert!(!parse(looking).on_demand(), "{looking}");
    }
    for others in ["jdk=on", "alloc=all", "entries=*", "encoder=cct", "start=off"] {
        assert!(!parse(others).on_demand(), "{others}");
        let error = Options::parse(&format!("hooks=demand,{others}")).unwrap_err().to_string();
        assert!(error.starts_with("option 'hooks=demand' does not go with"), "{error}");
    }
    for wrong in ["hooks=some", "hooks", "awake=a.B.c,hooks=all", "wake=5,verify=1", "wake=often,hooks=demand"] {
        assert!(Options::parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn what_only_samples_allocations_walks_unless_it_is_told_otherwise() {
    let parse = |text: &str| Options::parse(text).unwrap();
    for walks in [
        "alloc=512k",
        "leaks",
        "alloc=64k,leaks,file=a.log,rotate=off,keep=3,control=off,labels=a:b,window=1s,quiet",
        "alloc=64k,encoder=lucce",
        "leaks=4k,verify=off,cpu=1ms,cpu=off",
    ] {
        let options = parse(walks);
        assert!(!options.has_hooks() && !options.on_demand(), "{walks}");
        assert_eq!(options.text, format!("{walks},hooks=off"));
    }
    for hooks in [
        "",
        "quiet",
        "alloc=512k,hooks=demand",
        "leaks,hooks=all",
        "alloc=512k,exceptions",
        "alloc=512k,locks",
        "leaks,cpu=1ms",
        "alloc=512k,entries=*",
        "alloc=512k,profile=10ms",
        "leaks,async=on",
        "alloc=512k,verify=1000",
        "alloc=512k,verify=10ms",
        "alloc=512k,jdk=on",
        "alloc=512k,start=off",
        "alloc=512k,include=a.*",
        "alloc=512k,exclude=a.*",
        "alloc=512k,awake=a.B.c",
        "leaks,wake=5",
        "leaks,cache=a",
        "alloc=512k,dump=a",
        "alloc=512k,encoder=pcc",
        "alloc=all",
        "alloc=512k,alloc=off",
    ] {
        let options = parse(hooks);
        assert!(options.has_hooks() && options.text == hooks, "{hooks}");
    }
    // An agent that is attached says it anyway.
    assert_eq!(Options::parse_attached("alloc=512k").unwrap().text, "hooks=off,alloc=512k");
}

#[test]
fn without_hooks_there_is_nothing_that_says_something_of_rewritten_classes() {
    let off =
        Options::parse("hooks=off,alloc=512k,leaks=512k,locks,exceptions,cpu=1ms,verify=1,encoder=lucce").unwrap();
    assert!(!off.has_hooks() && !off.on_demand() && !off.reads_locals());
    assert!(Options::parse("hooks=off,hooks=demand").unwrap().has_hooks());
    for other in [
        "jdk=on",
        "alloc=all",
        "entries=*",
        "profile=7",
        "profile=10ms",
        "async=on",
        "start=off",
        "encoder=pcc",
        "encoder=cct",
        "include=a.*",
        "exclude=a.*",
        "cache=a",
        "dump=a",
        "contexts,verify=1",
        "awake=a.B.c",
        "wake=5",
    ] {
        let line = Options::parse(&format!("hooks=off,{other}")).unwrap_err().to_string();
        let named = other.split(['=', ',']).next().unwrap();
        assert!(line.contains(named) && line.contains("hooks=") && !line.contains('\n'), "{other}: {line}");
    }
}

#[test]
fn words_are_hashed_where_all_activations_need_them_and_nobody_asks_for_words() {
    let encoder = |text: &str| Options::parse(text).unwrap().encoder;
    for hashed in [
        "jdk=on",
        "jdk=on,alloc=all",
        "jdk=on,hooks=all",
        "encoder=lucce,encoder=auto,jdk=on",
        "encoder=pcc",
        "alloc=all",
        "entries=*.run",
        "alloc=all,entries=*,verify=1,exceptions,async=on,cache=a",
        "encoder=pcc,hooks=all",
    ] {
        assert_eq!(encoder(hashed), EncoderKind::Pcc, "{hashed}");
    }
    for numbered in [
        "",
        "hooks=all",
        "verify=1",
        "exceptions,locks,cpu=1ms,alloc=64k,leaks",
        "start=off",
        "jdk=on,encoder=lucce",
        "alloc=all,encoder=lucce",
        "alloc=all,entries=*,hooks=all",
        "alloc=all,alloc=64k",
        "entries=*,entries=off",
        "alloc=all,contexts,verify=1",
        "entries=*,profile=7",
        "encoder=pcc,encoder=auto",
    ] {
        assert_eq!(encoder(numbered), EncoderKind::Lucce, "{numbered}");
    }
}

#[test]
fn weights_and_maps_are_for_icpp_and_what_it_does_not_do_is_said_with_a_remedy() {
    let icpp =
        |text: &str| Options::parse(&format!("encoder=icpp,{text}")).map(|options| (options.icpp, options.walks));
    assert_eq!(icpp(""), Ok((None, true)));
    assert_eq!(icpp("icpp=names,walks=off"), Ok((Some(Weights::Names), false)));
    assert_eq!(icpp("icpp=app.map"), Ok((Some(Weights::Map("app.map".into())), true)));
    for own in ["icpp=natural", "walks=off"] {
        let line = Options::parse(own).unwrap_err().to_string();
        assert!(line.contains("needs encoder=icpp"), "{line}");
    }
    for (other, remedy) in [
        ("cache=a.lucce", "encoder=pcc"),
        ("alloc=all", "counts nothing by context"),
        ("walks=off,verify=1", "leave one of them out"),
        ("walks=off,leaks", "leave one of them out"),
    ] {
        let line = icpp(other).unwrap_err().to_string();
        assert!(line.contains(remedy) && !line.contains('\n'), "{line}");
    }
}

#[test]
fn a_profile_counts_or_ticks_and_needs_contexts() {
    let read =
        |text: &str| Options::parse(text).map(|options| (options.profile, options.counters(), options.on_demand()));
    let ms = |time| Some(ProfileOption::Time(Duration::from_millis(time)));
    let (length, interval) = (Duration::from_millis(2), Duration::from_millis(20));
    let bursts = Some(ProfileOption::Bursts { length, interval });
    assert_eq!(bursts.map(|bursts| (bursts.period(), bursts.weight())), Some((0, 10)));
    for (text, known) in [
        ("", (None, 1 << 20, true)),
        ("profile=10007", (Some(ProfileOption::Each(10_007)), 1 << 20, false)),
        ("profile=1,hot=1e-4", (Some(ProfileOption::All), 50_000, false)),
        ("profile=10ms,hot=0.25", (ms(10), 20, true)),
        ("profile=10ms,jdk=on", (ms(10), 1 << 20, false)),
        ("profile=10ms,encoder=pcc", (ms(10), 1 << 20, false)),
        ("profile=7,encoder=cct,hot=0.5", (Some(ProfileOption::Each(7)), 10, false)),
        ("profile=2ms/20ms", (bursts, 1 << 20, false)),
    ] {
        assert_eq!(read(text), Ok(known), "{text}");
    }
    assert_eq!(Options::parse("profile=all,jdk=on").unwrap().encoder, EncoderKind::Pcc);
    for wrong in
        ["profile=0", "profile=x", "profile=2000000000", "hot=1e-4", "profile=all,hot=1e-7", "profile=all,hot=1"]
    {
        assert!(Options::parse(wrong).is_err(), "{wrong}");
    }
    for wrong in ["profile=2ms/3ms", "profile=2ms/", "profile=/2ms", "profile=2/20"] {
        let line = Options::parse(wrong).unwrap_err().to_string();
        assert!(line.contains("2ms/20ms"), "{line}");
    }
    for wrong in ["profile=7,hooks=demand", "profile=2ms/20ms,hooks=demand", "profile=7,start=off"] {
        assert!(Options::parse(wrong).is_err(), "{wrong}");
    }
    for encoder in ["icpp", "algorithm1", "none", "count"] {
        let line = Options::parse(&format!("profile=all,encoder={encoder}")).unwrap_err().to_string();
        assert!(line.contains("encoder=pcc") && !line.contains('\n'), "{line}");
    }
}
