//! `cargo xtask bench --attach [A,B]`: the throughput of a program that runs, while an agent is
//! attached to it and samples allocations.
//!
//! A JVM runs the program without end. Once it is warm the agent comes, stays for some seconds and
//! leaves, again and again. So both sides of a ratio are of one JVM: a stay of the agent, and the
//! mean of the times before and behind it. Each agent has JVMs of its own, and they take turns.
//! Invariant: an iteration counts for a side if it has begun and ended there; none is in two.
//! Source: docs/guide/attach.md; async-profiler's `start` and `stop` by `jcmd JVMTI.agent_load`.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use std::{fs, thread};

use super::options::number;
use super::programs::{self, BenchProgram, ENDLESS};
use super::statistics::Range;
use super::{JARS, java, loaded};
use crate::{Result, build, jars, jdk, process, tree};

/// What is sampled.
const ALLOC: &str = "alloc=512k";

/// A program that takes longer for an iteration hangs.
const LIMIT: Duration = Duration::from_secs(300);

/// What was asked for.
struct Asked {
    programs: Vec<&'static BenchProgram>,
    jdks: Vec<u32>,
    /// JVMs of each program and agent, and stays of the agent in each.
    forks: usize,
    rounds: usize,
    /// Of each side, and before the first.
    seconds: u64,
    warm: u64,
}

/// An agent that comes and goes.
#[derive(Clone, Copy)]
enum Agent {
    Lucce,
    Profiler,
}

/// A time without the agent, or with it.
#[derive(Clone, Copy)]
struct Side {
    begun: Instant,
    ended: Instant,
}

/// An iteration: when it ended, and how long it took.
type Iteration = (Instant, Duration);

/// What a JVM came to: a ratio for each stay of the agent, and the events that it took in a second;
/// none where it does not say.
struct Measured {
    ratios: Vec<f64>,
    events: Option<f64>,
}

/// Measures, and prints a table.
///
/// # Errors
/// One line: a wrong argument, a step of the set-up that failed, a program that ended, or an agent
/// that was refused.
pub fn run(args: &[&str]) -> Result<()> {
    let asked = parse(args)?;
    jars::fetch(jars::tables(&JARS)?.values())?;
    build::java(&[":dacapo-harness:classes"])?;
    build::native()?;
    println!("\n| program | JDK | {ALLOC} attached by | throughput over none | stays | events a second |");
    println!("|---|---|---|---|---|---|");
    for &feature in &asked.jdks {
        let java = java(feature)?;
        for program in &asked.programs {
            let mut all = [Agent::Lucce, Agent::Profiler].map(|agent| (agent, Vec::new(), Vec::new()));
            for fork in 0..asked.forks {
                for turn in 0..all.len() {
                    let (agent, ratios, events) = &mut all[(turn + fork) % 2];
                    let measured = measure(&asked, program, &java, *agent)?;
                    ratios.extend(measured.ratios);
                    events.extend(measured.events);
                }
            }
            for (agent, ratios, events) in &all {
                println!("| {} | {feature} | {} | {} |", program.name, agent.name(), row(ratios, events));
            }
        }
    }
    Ok(())
}

fn parse(args: &[&str]) -> Result<Asked> {
    let mut asked = Asked { programs: Vec::new(), jdks: vec![17], forks: 3, rounds: 5, seconds: 10, warm: 20 };
    let mut words = args.iter().copied().peekable();
    let names = words.next_if(|word| !word.starts_with("--")).unwrap_or("h2,tomcat");
    asked.programs = programs::named(&names.split(',').map(Into::into).collect::<Vec<_>>())?;
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
        match word {
            "--jdk" => asked.jdks = value.split(',').map(number).collect::<Result<_>>()?,
            "--forks" => asked.forks = number(value)?,
            "--rounds" => asked.rounds = number(value)?,
            "--seconds" => asked.seconds = number(value)?,
            "--warm" => asked.warm = number(value)?,
            _ => return Err(format!("no such argument: {word} (`cargo xtask bench help` lists them)")),
        }
    }
    if asked.forks == 0 || asked.rounds == 0 { Err("--forks and --rounds want 1 or more".into()) } else { Ok(asked) }
}

fn row(ratios: &[f64], events: &[f64]) -> String {
    let ratio = Range::of(ratios)
        .map_or("-".into(), |Range { low, middle, high }| format!("{middle:.3} ({low:.3} to {high:.3})"));
    let events = Range::of(events).map_or("-".into(), |events| format!("{:.0}", events.middle));
    format!("{ratio} | {} | {events}", ratios.len())
}

/// One JVM.
fn measure(asked: &Asked, program: &BenchProgram, java: &Path, agent: Agent) -> Result<Measured> {
    let folder = tree::cache().join("bench/attached");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
    let mut java = program.java(java, &folder, &[], ENDLESS)?;
    java.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = java.spawn().map_err(|e| format!("cannot run java: {e}"))?;
    let measured = in_turn(asked, &mut child, agent, &folder);
    // It runs until it is told to end.
    let _ = child.kill();
    let _ = child.wait();
    let _ = fs::remove_dir_all(&folder);
    measured.map_err(|line| format!("{}, {}: {line}", program.name, agent.name()))
}

fn in_turn(asked: &Asked, child: &mut Child, agent: Agent, folder: &Path) -> Result<Measured> {
    let iterations = read(child)?;
    let side = Duration::from_secs(asked.seconds);
    let mut seen = Vec::new();
    wait(&iterations, &mut seen, Duration::from_secs(asked.warm))?;
    let mut without = vec![wait(&iterations, &mut seen, side)?];
    let (mut with, mut events) = (Vec::new(), 0);
    for _ in 0..asked.rounds {
        agent.come(child.id(), folder)?;
        with.push(wait(&iterations, &mut seen, side)?);
        events += agent.go(child.id(), folder)?;
        without.push(wait(&iterations, &mut seen, side)?);
    }
    let seconds: f64 = with.iter().map(|side: &Side| side.ended.duration_since(side.begun).as_secs_f64()).sum();
    let events = matches!(agent, Agent::Lucce).then_some(events as f64 / seconds);
    Ok(Measured { ratios: ratios(&seen, &without, &with)?, events })
}

/// Hears of each iteration that the program prints, until it ends.
fn read(child: &mut Child) -> Result<Receiver<Iteration>> {
    let out = child.stdout.take().ok_or("it has no output")?;
    let (tell, told) = channel();
    thread::spawn(move || {
        for line in BufReader::new(out).lines().map_while(std::result::Result::ok) {
            let took = line.strip_prefix("iteration ").and_then(|rest| rest.split(' ').nth(1)?.parse().ok());
            // Whoever asked may have gone.
            let _ = took
                .and_then(|took: f64| Duration::try_from_secs_f64(took / 1e3).ok())
                .map(|took| tell.send((Instant::now(), took)));
        }
    });
    Ok(told)
}

/// Collects iterations for that time, and until one has begun and ended.
fn wait(iterations: &Receiver<Iteration>, seen: &mut Vec<Iteration>, time: Duration) -> Result<Side> {
    let (begun, mut has_one) = (Instant::now(), false);
    loop {
        let most = if has_one { time } else { time.max(LIMIT) };
        match iterations.recv_timeout(most.saturating_sub(begun.elapsed())) {
            Ok((ended, took)) => {
                has_one |= ended.duration_since(begun) >= took;
                seen.push((ended, took));
            }
            Err(RecvTimeoutError::Timeout) if has_one => return Ok(Side { begun, ended: Instant::now() }),
            Err(RecvTimeoutError::Timeout) => return Err(format!("no iteration in {} s", LIMIT.as_secs())),
            Err(RecvTimeoutError::Disconnected) => return Err("it has ended".into()),
        }
        if has_one && begun.elapsed() >= time {
            return Ok(Side { begun, ended: Instant::now() });
        }
    }
}

/// For each stay of the agent: its throughput over the mean of the two sides that surround it.
fn ratios(seen: &[Iteration], without: &[Side], with: &[Side]) -> Result<Vec<f64>> {
    let speed = |side: &Side| {
        let within = seen.iter().filter(|(ended, took)| {
            ended.checked_sub(*took).is_some_and(|begun| begun >= side.begun) && *ended <= side.ended
        });
        let (count, time) = within.fold((0_u32, Duration::ZERO), |(count, time), (_, took)| (count + 1, time + *took));
        if count == 0 { None } else { Some(f64::from(count) / time.as_secs_f64()) }
    };
    let ratio = |(with, around): (&Side, &[Side])| Some(speed(with)? * 2.0 / (speed(&around[0])? + speed(&around[1])?));
    let ratios: Option<Vec<f64>> = with.iter().zip(without.windows(2)).map(ratio).collect();
    ratios.ok_or_else(|| "no iteration lies within a side".into())
}

impl Agent {
    fn name(self) -> &'static str {
        match self {
            Self::Lucce => "Lucce",
            Self::Profiler => "async-profiler",
        }
    }

    fn come(self, pid: u32, folder: &Path) -> Result<()> {
        match self {
            Self::Lucce => {
                let options = format!(
                    "file={},control={},quiet,{ALLOC}",
                    folder.join("lucce.log").display(),
                    socket(folder).display()
                );
                let mut attach = process::command(tree::release("lucce-decode"));
                attach.arg("attach").arg("--agent").arg(tree::release("liblucce.so")).args([pid.to_string(), options]);
                process::output(&mut attach).map(drop)
            }
            Self::Profiler => load(pid, &format!("start,event=alloc,{ALLOC},jfr,{}", recording(folder))),
        }
    }

    /// It leaves. How many events it says that it took.
    fn go(self, pid: u32, folder: &Path) -> Result<u64> {
        if let Self::Profiler = self {
            return load(pid, &format!("stop,jfr,{}", recording(folder))).map(|()| 0);
        }
        let ctl = |command: &str| {
            let mut ctl = process::command(tree::release("lucce-decode"));
            process::output(ctl.arg("ctl").arg(socket(folder)).arg(command))
        };
        let stats = ctl("stats")?;
        let events = stats.lines().find_map(|line| line.strip_prefix("alloc.events ")?.parse().ok());
        ctl("kill")?;
        events.ok_or_else(|| "it does not say how many events it took".into())
    }
}

fn socket(folder: &Path) -> PathBuf {
    folder.join("socket")
}

fn recording(folder: &Path) -> String {
    format!("file={}", folder.join("profiler.jfr").display())
}

/// Has the JVM call async-profiler with these arguments.
fn load(pid: u32, arguments: &str) -> Result<()> {
    let mut jcmd = process::command(jdk::default()?.home.join("bin/jcmd"));
    // `jcmd` takes what has a '=' for its own unless it is quoted.
    jcmd.args([&pid.to_string(), "JVMTI.agent_load"]).arg(loaded::profiler()?).arg(format!("\"{arguments}\""));
    let said = process::output(&mut jcmd)?;
    if said.contains("return code: 0") { Ok(()) } else { Err(format!("async-profiler does not {arguments}: {said}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stay_is_compared_with_what_surrounds_it() {
        let start = Instant::now() + Duration::from_secs(60);
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        let side = |from, to| Side { begun: at(from), ended: at(to) };
        let iteration = |from, to| (at(to), Duration::from_secs(to - from));
        let (without, with) = ([side(0, 10), side(20, 30)], [side(10, 20)]);
        // The one across a border is of no side.
        let seen = [iteration(0, 4), iteration(4, 8), iteration(8, 11), iteration(11, 16), iteration(20, 24)];
        assert_eq!(ratios(&seen, &without, &with), Ok(vec![0.8]));
        assert!(ratios(&seen[..4], &without, &with).is_err());
    }

    #[test]
    fn arguments_name_programs_and_numbers() {
        let asked = parse(&["tomcat", "--jdk", "17,25", "--rounds", "2"]).unwrap();
        assert_eq!((asked.programs[0].name, asked.jdks, asked.rounds), ("tomcat", vec![17, 25], 2));
        assert_eq!(parse(&[]).unwrap().programs.len(), 2);
        for wrong in [&["nothing"][..], &["--jdk"], &["--rounds", "0"], &["--what", "1"]] {
            assert!(parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
