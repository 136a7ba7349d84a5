//! What `help` prints, and the tables of the guide's chapter: both made from the table of options.
//!
//! Invariant: help names every option. Source: [`super::table`].

use super::table::SECTIONS;

/// Columns of a line, and of the forms in front of what they mean.
const WIDTH: usize = 120;
const INDENT: usize = 24;

/// The text of `help`.
pub fn help() -> String {
    let mut text = "lucce: exact calling contexts as one number. Options, separated by commas:\n".to_owned();
    for section in SECTIONS {
        text += &format!("\n{}:\n", section.title);
        for row in section.rows {
            let mut line = format!("  {}", row.forms.join(", "));
            if line.len() >= INDENT {
                text += &line;
                text.push('\n');
                line.clear();
            }
            for word in plain(row.meaning).split(' ') {
                if line.len() >= INDENT && line.len() + 1 + word.len() > WIDTH {
                    text += &line;
                    text.push('\n');
                    line.clear();
                }
                let place = if line.len() < INDENT { INDENT } else { line.len() + 1 };
                line = format!("{line:place$}{word}");
            }
            text += &line;
            text.push('\n');
        }
    }
    text.trim_end().to_owned()
}

/// Markdown without its marks: code as text, links as what they stand on.
fn plain(markdown: &str) -> String {
    let mut text = String::new();
    let mut rest = markdown;
    while let Some((before, link)) = rest.split_once('[') {
        let Some((name, behind)) = link.split_once("](") else { break };
        let Some((_, behind)) = behind.split_once(')') else { break };
        text += before;
        text += name;
        rest = behind;
    }
    (text + rest).replace('`', "")
}

#[cfg(test)]
mod tests {
    use super::super::table::Section;
    use super::*;

    /// The table of a section in the guide.
    fn table(section: &Section) -> String {
        let mut text = "| option | meaning |\n|---|---|\n".to_owned();
        for row in section.rows {
            let forms: Vec<_> = row.forms.iter().map(|form| format!("`{}`", form.replace('|', "\\|"))).collect();
            text += &format!("| {} | {} |\n", forms.join(", "), row.meaning);
        }
        text
    }

    #[test]
    fn marks_are_taken_off_and_lines_are_wrapped() {
        assert_eq!(plain("[Count](counting.md) `a.b`, see [c](d#e)."), "Count a.b, see c.");
        let help = help();
        assert!(help.lines().all(|line| line.len() <= WIDTH), "{help}");
        assert!(!help.contains('`') && !help.contains("]("), "{help}");
    }

    #[test]
    fn the_guide_has_these_tables() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/guide/options.md");
        let mut guide = std::fs::read_to_string(path).expect("the guide");
        let was = guide.clone();
        for section in SECTIONS {
            let begin = guide.find(&format!("## {}\n\n", section.title)).expect("a section") + section.title.len() + 5;
            let length = guide[begin..].find("\n\n").map_or(guide.len() - begin, |end| end + 1);
            guide.replace_range(begin..begin + length, &table(section));
        }
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(path, &guide).expect("written");
        } else {
            assert!(guide == was, "docs/guide/options.md is not as agent/src/options/table.rs: BLESS=1 renews it");
        }
    }
}
