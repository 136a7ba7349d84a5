//! Tests that start real JVMs under the agent, a module for each thing that it does.
//!
//! One program, so that all of them share the processors to the end: a long test of one module runs
//! beside the short ones of the next. `programs.rs` stands alone, for it is also run by itself,
//! with options of its own.

#![forbid(unsafe_code)]

mod agents;
mod algorithm1;
mod api;
mod archives;
mod attach;
mod behaviour;
mod budgets;
mod build_tools;
mod cache;
mod cct;
mod container;
mod control;
mod cpu;
mod crash;
mod debuggers;
mod demand;
mod diff;
mod doctor;
mod embedding;
mod encoders;
mod ending;
mod examples;
mod first_hour;
mod full;
mod hazards;
mod icpp;
mod java_agent;
mod jdk;
mod leaks;
mod locks;
mod manual;
mod mechanisms;
mod megamorphic;
mod newest;
mod options;
mod panics;
mod pcc;
mod profile;
mod quiet;
mod random;
mod regressions;
mod rotation;
mod service;
mod sources;
mod tallies;
mod threads;
mod toys;
mod trace;
mod turns;
mod unloading;
mod verifying;
mod versions;
mod via;
