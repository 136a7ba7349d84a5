//! A table with a sentence above it, for a terminal and for Markdown.

use std::fmt::Write;

use super::super::statistics::Range;

/// A table; the first row is its head.
#[derive(Debug, Default)]
pub struct Block {
    /// What it shows, as one or two sentences of Markdown.
    pub text: String,
    /// Rows of cells, all of the same number; none where there is only text.
    pub rows: Vec<Vec<String>>,
}

impl Block {
    /// Columns as wide as their widest cell; the first to the left, the others to the right.
    pub fn terminal(&self) -> String {
        let mut text = format!("{}\n", self.text);
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let widest =
            |column: usize| self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
        let widths: Vec<usize> = (0..columns).map(|column| widest(column).unwrap_or(0)).collect();
        for row in &self.rows {
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let _ = if column == 0 { write!(text, "  {cell:width$}") } else { write!(text, "  {cell:>width$}") };
            }
            text.push('\n');
        }
        text + "\n"
    }

    /// The sentence and the table.
    pub fn markdown(&self) -> String {
        let mut text = format!("\n{}\n", self.text);
        for (index, row) in self.rows.iter().enumerate() {
            let _ = writeln!(text, "{}| {} |", if index == 0 { "\n" } else { "" }, row.join(" | "));
            if index == 0 {
                let _ = writeln!(text, "|---|{}", "---:|".repeat(row.len().saturating_sub(1)));
            }
        }
        text
    }
}

/// `middle (low-high)`.
pub fn range(range: Range, digits: usize, unit: &str) -> String {
    let Range { low, middle, high } = range;
    format!("{middle:.digits$}{unit} ({low:.digits$}-{high:.digits$})")
}

/// What is known, or a dash.
pub fn or_dash(cell: Option<String>) -> String {
    cell.unwrap_or_else(|| "-".into())
}

/// A row: its name, and its cells.
pub fn row(name: &str, cells: impl IntoIterator<Item = String>) -> Vec<String> {
    std::iter::once(name.to_owned()).chain(cells).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_hold_every_cell() {
        let rows = vec![row("program", ["lucce".into()]), row("h2", ["1.60".into()])];
        let block = Block { text: "Ratios.".into(), rows };
        assert_eq!(block.terminal(), "Ratios.\n  program  lucce\n  h2        1.60\n\n");
        assert_eq!(block.markdown(), "\nRatios.\n\n| program | lucce |\n|---|---:|\n| h2 | 1.60 |\n");
    }
}
