//! What the agent knows: the catalogue, the graph under its one lock, names, switches, who forgets
//! unloaded classes; and the struct that holds all of it.

pub mod agent;
pub mod cache;
pub mod catalog;
pub mod classes;
pub mod demand;
pub mod foreign;
pub mod graph;
pub mod guarded;
pub mod hidden_loaders;
pub mod hidden_methods;
pub mod interposable;
pub mod leaf_constructors;
pub mod leaf_methods;
pub mod names;
pub mod native_call;
pub mod origin;
pub mod run;
pub mod switch;
pub mod threads;
pub mod unload;
