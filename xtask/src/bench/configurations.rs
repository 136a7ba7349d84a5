//! What is compared: the one list of configurations, each a set of options of the agent.
//!
//! A new one (hooks that do nothing, `encoder=cct`) is a line here; tables, chart and report follow.

/// One way of running a program.
#[derive(Debug, PartialEq, Eq)]
pub struct Configuration {
    /// What tables and files call it; `none` is what the others are divided by.
    pub name: &'static str,
    /// Options of the agent beside `file` and `quiet`; `None`: no agent.
    pub agent: Option<&'static str>,
    /// Measured when nothing else is asked for.
    pub default: bool,
    /// Its colour in charts.
    pub colour: &'static str,
    /// What it is, for the report.
    pub what: &'static str,
}

/// The name of the configuration that the others are divided by.
pub const BASE: &str = "none";

/// All configurations, in the order of tables and charts.
pub const ALL: [Configuration; 4] = [
    Configuration { name: BASE, agent: None, default: true, colour: "#9aa0a6", what: "no agent" },
    Configuration { name: "lucce", agent: Some(""), default: true, colour: "#1a73e8", what: "every context, no event" },
    Configuration {
        name: "lucce,alloc=512k",
        agent: Some("alloc=512k"),
        default: true,
        colour: "#e8710a",
        what: "every context, and an event with its context for an allocation every 512 KiB",
    },
    Configuration {
        name: "algorithm1",
        agent: Some("encoder=algorithm1"),
        default: false,
        colour: "#9334e6",
        what: "the paper's encoder, until its numbers run out",
    },
];

/// The configurations of these names; those measured by default for none.
///
/// # Errors
/// One line naming what is not in the list.
pub fn named(names: &[&str]) -> crate::Result<Vec<&'static Configuration>> {
    if names.is_empty() {
        return Ok(ALL.iter().filter(|configuration| configuration.default).collect());
    }
    let known = || ALL.map(|configuration| configuration.name).join(", ");
    let find = |name: &&str| {
        ALL.iter().find(|c| c.name == *name).ok_or_else(|| format!("no configuration {name}: there are {}", known()))
    };
    names.iter().map(find).collect()
}
