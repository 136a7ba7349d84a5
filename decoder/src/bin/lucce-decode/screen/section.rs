//! One kind of events on the first screen: its sums, and its contexts as trees of callers.
//!
//! Invariant: shares are of the kind. Contexts that share their innermost frames are one block.
//! Whatever is cut, the first frame of the program's own stays; where there is room for more, so
//! does the last one, which a request has entered by.
//! Source: docs/guide/decoder.md, "The first screen".

use lucce_decoder::{CallTree, CallTreeNode, Own, Unit, is_idle};

use super::marks::{Marks, Places};
use super::terminal::Terminal;
use crate::logs::Summed;
use crate::plain::plain;
use crate::text;

/// Blocks of one kind.
const TOP: usize = 10;
/// Blocks that are shown even if each has one frame only.
const FEW: usize = 4;
/// Most lines of a block that is not asked for in full.
const LINES: usize = 12;
/// Callers of one frame that are shown apart.
const CALLERS: usize = 3;
/// Least share of the kind in percent that is shown apart.
const LEAST: f64 = 1.0;

/// The lines of a kind.
pub struct Section {
    heading: Vec<String>,
    blocks: Vec<SumBlock>,
    /// Share and number of the blocks that are no longer here.
    more: Option<String>,
}

/// A line about sums, and frames below it.
struct SumBlock {
    head: String,
    lines: Vec<ScreenLine>,
}

#[derive(Default)]
struct ScreenLine {
    indent: usize,
    /// Its share, and `at`.
    before: String,
    /// A frame, or a remark.
    text: String,
    own: bool,
    /// One by which a request may have entered the program: any of its own but a `main`.
    entry: bool,
    /// A caller beside others.
    branch: bool,
    marks: Marks,
    /// So many equal frames in a row.
    times: usize,
}

/// A node that is to be written.
struct Pending {
    /// `None` for a remark.
    node: Option<usize>,
    indent: usize,
    remark: String,
    /// Its share stands before it.
    branch: bool,
    /// So many callers of it are written, as long as there is one each.
    left: usize,
}

/// What a section is made from.
pub struct Screen<'a> {
    pub all: &'a Summed,
    pub own: Own,
    pub places: Places,
    pub terminal: Terminal,
    pub verbose: bool,
}

impl Screen<'_> {
    /// The section of a kind; `None` if nothing of it is chosen.
    pub fn section(&self, kind: usize) -> Option<Section> {
        let profile = &self.all.profile;
        let of_kind = || profile.sums().iter().filter(move |sum| sum.kind == kind);
        let busy = of_kind().filter(|sum| !is_idle(profile, sum));
        let by_line = self.is_by_line(kind);
        let tree =
            CallTree::merged(profile, busy, true, |frame| if by_line { self.places.first(frame) } else { frame });
        let idle = CallTree::new(profile, of_kind().filter(|sum| is_idle(profile, sum)), true);
        of_kind().next()?;
        let of = &profile.kinds()[kind];
        if of.is_agents("leak") {
            return Some(self.suspects(&tree));
        }
        if of.is_of_suspect() {
            return None;
        }
        let unit = of.unit();
        let estimated = match profile.sampling_interval(of) {
            Some(bytes) => format!(", estimated from a sample every {}", text::size(bytes as i128)),
            None if of.is_agents("profile") => ", estimated from samples".into(),
            None => String::new(),
        };
        let sums = |tree: &CallTree<'_>| sums(unit, tree.value, tree.events);
        let mut heading = vec![
            self.terminal
                .bold(&text::cut(&format!("{}: {}{estimated}", plain(&of.label), sums(&tree)), self.terminal.width)),
        ];
        if !idle.roots().is_empty() {
            heading.push(format!("  idle: {}, threads that wait for work", sums(&idle)));
        }
        let shown = tree.roots().len().min(TOP);
        let blocks = tree.roots().iter().take(shown).map(|&root| self.block(&tree, root, unit)).collect();
        let rest = &tree.roots()[shown..];
        let value: i128 = rest.iter().map(|&root| tree.node(root).value).sum();
        let more = (!rest.is_empty())
            .then(|| format!("{:5.1} % in {}", tree.share(value), text::plural(rest.len() as u64, "more place")));
        Some(Section { heading, blocks, more })
    }

    /// Contexts that the leak detector has suspected: each look at one is an event, so that sums
    /// say nothing.
    fn suspects(&self, tree: &CallTree<'_>) -> Section {
        let what = text::plural(tree.roots().len() as u64, "suspected place");
        let heading = self.terminal.bold(&format!("leak: {what}; the command leaks says how much is alive"));
        let shown = tree.roots().len().min(TOP);
        let mut blocks: Vec<SumBlock> =
            tree.roots()[..shown].iter().map(|&root| self.block(tree, root, Unit::Count)).collect();
        for (block, &root) in blocks.iter_mut().zip(tree.roots()) {
            let class = self.all.profile.class(tree.node(root).first).unwrap_or("unknown class");
            block.head = format!("        {}{}", plain(class), self.name(tree, root));
        }
        Section { heading: vec![heading], blocks, more: None }
    }

    /// Are places of one line one? Where a thread was interrupted is as good as any other place of
    /// the line.
    fn is_by_line(&self, kind: usize) -> bool {
        self.all.profile.kinds()[kind].is_agents("cpu") && !self.verbose
    }

    fn block(&self, tree: &CallTree<'_>, root: usize, unit: Unit) -> SumBlock {
        let node = tree.node(root);
        let class = match (node.class, node.first.class) {
            (Some(_), _) => self.all.profile.class(node.first).map(|class| format!(", {}", plain(class))),
            (None, Some(_)) => Some(", several classes".to_owned()),
            (None, None) => None,
        };
        let name = self.name(tree, root);
        let head = format!(
            "{:5.1} % {}{}{name}",
            tree.share(node.value),
            sums(unit, node.value, node.events),
            class.unwrap_or_default()
        );
        let mut lines: Vec<ScreenLine> = Vec::new();
        // What is still to be written, the next one last.
        let mut pending =
            vec![Pending { node: Some(root), indent: 0, remark: String::new(), branch: false, left: usize::MAX }];
        while let Some(Pending { node, indent, remark, branch, left }) = pending.pop() {
            let Some(at) = node else {
                lines.push(ScreenLine { indent, text: remark, ..ScreenLine::default() });
                continue;
            };
            let node = tree.node(at);
            let (share, name) = if branch {
                (format!("{:5.1} % ", tree.share(node.value)), self.name(tree, at))
            } else {
                Default::default()
            };
            let line = ScreenLine { branch, ..self.line(node, indent, (&share, &name)) };
            match lines.last_mut().filter(|last| last.text == line.text && last.indent == indent && !branch) {
                // A method that calls itself.
                Some(last) => last.times += 1,
                None => lines.push(line),
            }
            if let ([child], false) = (&node.children[..], node.ends) {
                match (left, lines.last_mut()) {
                    (0, Some(last)) => last.text += " ...",
                    _ => pending.push(Pending {
                        node: Some(*child),
                        branch: false,
                        left: left.saturating_sub(1),
                        indent,
                        remark: String::new(),
                    }),
                }
                continue;
            }
            pending.extend(self.callers(tree, node, indent + 2).into_iter().rev());
        }
        SumBlock { head, lines }
    }

    /// The callers of a frame that has several: the first of them, and what the others have.
    fn callers(&self, tree: &CallTree<'_>, node: &CallTreeNode<'_>, indent: usize) -> Vec<Pending> {
        let most = if self.verbose { usize::MAX } else { CALLERS };
        let worth = |child: &&usize| tree.share(tree.node(**child).value) >= LEAST;
        let shown = node.children.iter().take(most).filter(worth).count().max(node.children.len().min(1));
        let left = if self.verbose { usize::MAX } else { 0 };
        let step = |&child: &usize| Pending { node: Some(child), indent, remark: String::new(), branch: true, left };
        let mut below: Vec<Pending> = node.children[..shown].iter().map(step).collect();
        let mut remark = |value: i128, what: String| {
            let remark = format!("{:5.1} % {what}", tree.share(value));
            below.push(Pending { node: None, indent, remark, branch: false, left });
        };
        let rest = &node.children[shown..];
        let value = |list: &[usize]| list.iter().map(|&child| tree.node(child).value).sum::<i128>();
        if !rest.is_empty() {
            remark(value(rest), format!("in {}", text::plural(rest.len() as u64, "other caller")));
        }
        if node.ends && !node.children.is_empty() {
            remark(node.value - value(&node.children), "without a caller".into());
        }
        below
    }

    fn line(&self, node: &CallTreeNode<'_>, indent: usize, (share, name): (&str, &str)) -> ScreenLine {
        let frame = self.all.profile.stacks().trace(node.stack).next();
        let by_line = self.is_by_line(node.first.kind);
        let own = frame.as_ref().is_some_and(|frame| self.own.has(frame));
        let entry = own && frame.as_ref().is_some_and(|frame| frame.method != "main");
        let mut marks = Marks::default();
        let (at, text) = match &frame {
            Some(frame) if frame.is_remark() => ("", plain(frame.method).into_owned()),
            Some(frame) => {
                let index = if by_line { String::new() } else { self.places.index(frame, &mut marks) };
                let notes = if self.verbose { text::notes(frame) } else { marks.of(frame) };
                ("at ", format!("{}{index}{notes}", text::frame(frame)))
            }
            None => ("", "[no frame]".to_owned()),
        };
        ScreenLine {
            indent,
            before: format!("{share}{at}"),
            text: text + name,
            own,
            entry,
            branch: false,
            marks,
            times: 1,
        }
    }

    /// What the context of a node is called, with two blanks before it, if it is one.
    fn name(&self, tree: &CallTree<'_>, at: usize) -> String {
        let node = tree.node(at);
        if node.one { format!("  {}", self.all.profile.context(node.first)) } else { String::new() }
    }
}

fn sums(unit: Unit, value: i128, events: u64) -> String {
    let (value, plural) = (text::value(unit, value), text::plural(events, "event"));
    // Where each event counts as one, once is enough.
    if value == text::count(events) { plural } else { format!("{value} in {plural}") }
}

impl Section {
    /// Lines that it would take.
    pub fn wanted(&self, verbose: bool) -> usize {
        let most = if verbose { usize::MAX } else { LINES };
        let blocks: usize = self.blocks.iter().map(|block| (block.lines.len() + 1).min(most)).sum();
        self.heading.len() + blocks + self.more.iter().len()
    }

    /// The section in about so many lines: each block that is shown has its sums and a frame at
    /// least.
    pub fn lines(&self, room: usize, verbose: bool, terminal: Terminal, marks: &mut Marks) -> Vec<String> {
        let mut lines = self.heading.clone();
        let room = room.saturating_sub(lines.len() + self.more.iter().len());
        // Three lines each, so that the request's method is among them; but a few always, with two.
        let fit = usize::max(room / 3, usize::min(room / 2, FEW)).max(1);
        let shown = if verbose { self.blocks.len() } else { self.blocks.len().min(fit) };
        let heights = self.heights(room, shown, verbose);
        for (block, height) in self.blocks.iter().zip(heights) {
            lines.push(text::cut(&block.head, terminal.width));
            lines.extend(block.shown(height, terminal, marks));
        }
        if let (Some(more), true) = (&self.more, shown == self.blocks.len()) {
            lines.push(more.clone());
        } else if shown < self.blocks.len() {
            let more = (self.blocks.len() - shown) as u64;
            lines.push(format!("        ... {}", text::plural(more, "more place")));
        }
        lines
    }

    /// How many frames each block gets: one each, then up to three, then up to six and to eleven,
    /// the largest first.
    fn heights(&self, room: usize, shown: usize, verbose: bool) -> Vec<usize> {
        let lengths: Vec<usize> = self.blocks[..shown].iter().map(|block| block.lines.len()).collect();
        if verbose {
            return lengths;
        }
        let mut heights: Vec<usize> = lengths.iter().map(|&length| length.min(1)).collect();
        let mut left = room.saturating_sub(shown + heights.iter().sum::<usize>());
        for limit in [3, 6, LINES - 1] {
            for (height, &length) in heights.iter_mut().zip(&lengths) {
                let want = length.min(limit).saturating_sub(*height).min(left);
                *height += want;
                left -= want;
            }
        }
        heights
    }
}

impl SumBlock {
    fn shown(&self, height: usize, terminal: Terminal, marks: &mut Marks) -> Vec<String> {
        let own = self.lines.iter().position(|line| line.own);
        let way = self.lines.iter().position(|line| line.branch).unwrap_or(self.lines.len());
        let entry = self.lines[..way].iter().rposition(|line| line.entry).filter(|_| height > 2);
        // Those first, then from the top.
        let mut kept: Vec<usize> = own.into_iter().chain(entry).collect();
        kept.dedup();
        let others: Vec<usize> = (0..self.lines.len()).filter(|at| !kept.contains(at)).collect();
        kept.extend(others.into_iter().take(height.saturating_sub(kept.len())));
        kept.sort_unstable();
        let more = self.lines.len() - kept.len();
        let last = kept.len().saturating_sub(1);
        let line = |(nth, at): (usize, usize)| {
            let line = &self.lines[at];
            marks.add(line.marks);
            let times = if line.times > 1 { format!(" ({} times)", line.times) } else { String::new() };
            let tail = times + &if nth == last && more > 0 { format!(" ... {more} more") } else { String::new() };
            let indent = 8 + line.indent;
            let width = terminal.width.saturating_sub(indent + tail.len());
            let text = if tail.is_empty() { &line.text } else { line.text.trim_end_matches(" ...") };
            let text = text::squeezed(&line.before, text, width);
            let text = if Some(at) == own || Some(at) == entry { terminal.own(&text) } else { text };
            format!("{:indent$}{text}{}", "", terminal.dim(&tail))
        };
        kept.into_iter().enumerate().map(line).collect()
    }
}
