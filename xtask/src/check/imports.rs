//! What a Rust file names of other files: the paths of its imports, and those that its code spells
//! out.
//!
//! Invariant: comments and strings name nothing. A macro's input counts as code.
//! Source: the Rust reference, "Use declarations", "Paths".

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// What a file names.
#[derive(Default)]
pub struct Imports {
    /// Its `use` items, one for each name.
    pub uses: Vec<Import>,
    /// Paths of two names and more in its code.
    pub paths: Vec<Path>,
    /// Each word of its code.
    pub words: BTreeSet<String>,
}

/// A name that a file imports.
pub struct Import {
    /// What it imports.
    pub path: Path,
    /// What it calls that; `*` for all names.
    pub alias: String,
    /// Do other files see it here?
    pub is_public: bool,
}

/// A path, and the module inside the file in which it stands.
#[derive(Clone)]
pub struct Path {
    pub inside: Vec<String>,
    pub names: Vec<String>,
}

/// Does the code of tests count?
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Tests {
    Count,
    LeftOut,
}

impl Imports {
    /// Those of a file's text.
    ///
    /// # Errors
    /// One line, if it is not Rust.
    pub fn of(text: &str, tests: Tests) -> Result<Self, String> {
        let stream: TokenStream = text.parse().map_err(|e| format!("not Rust: {e}"))?;
        let mut imports = Self::default();
        imports.module(stream, &[], tests);
        Ok(imports)
    }

    /// All paths, of imports and of code.
    pub fn all(&self) -> impl Iterator<Item = &Path> {
        self.uses.iter().map(|import| &import.path).chain(&self.paths)
    }

    /// Reads a module: the file, or one that is written inside it.
    fn module(&mut self, stream: TokenStream, inside: &[String], tests: Tests) {
        let mut tokens = Vec::new();
        self.flatten(stream, inside, tests, &mut tokens);
        let mut at = 0;
        while at < tokens.len() {
            let end = if tokens[at] == "use" && tokens.get(at + 1).is_some_and(|next| next != "<") {
                self.import(&tokens, at, inside)
            } else {
                self.path(&tokens, at, inside)
            };
            at = end.max(at + 1);
        }
    }

    /// Takes an import at `at`; where it ends.
    fn import(&mut self, tokens: &[String], at: usize, inside: &[String]) -> usize {
        let end = at + tokens[at..].iter().position(|token| token == ";").unwrap_or(tokens.len() - at);
        let is_public = match at.checked_sub(1).map(|before| tokens[before].as_str()) {
            Some("pub") => true,
            Some(")") => tokens[..at]
                .iter()
                .rposition(|token| token == "(")
                .is_some_and(|open| open.checked_sub(1).is_some_and(|before| tokens[before] == "pub")),
            _ => false,
        };
        names(&tokens[at + 1..end], &[], &mut |names, alias| {
            let path = Path { inside: inside.to_vec(), names };
            self.uses.push(Import { path, alias, is_public });
        });
        end
    }

    /// Takes a path, or a single word, at `at`; where it ends.
    fn path(&mut self, tokens: &[String], at: usize, inside: &[String]) -> usize {
        if !is_name(&tokens[at]) {
            return at + 1;
        }
        let mut path = vec![tokens[at].clone()];
        let mut end = at + 1;
        while tokens.get(end).is_some_and(|token| token == "::")
            && tokens.get(end + 1).is_some_and(|word| is_name(word))
        {
            path.push(tokens[end + 1].clone());
            end += 2;
        }
        self.words.insert(tokens[at].clone());
        // One that begins with `::` names another crate; behind `>::` a name of a type follows.
        let goes_on = at.checked_sub(1).is_some_and(|before| tokens[before] == "::");
        if path.len() > 1 && !goes_on {
            self.paths.push(Path { inside: inside.to_vec(), names: path });
        }
        end
    }

    /// Appends the tokens of a stream in a row, groups between their delimiters. Modules with a
    /// body are read by themselves.
    fn flatten(&mut self, stream: TokenStream, inside: &[String], tests: Tests, out: &mut Vec<String>) {
        let mut joint = false;
        let mut trees = stream.into_iter();
        while let Some(tree) = trees.next() {
            let was_joint = std::mem::take(&mut joint);
            match tree {
                TokenTree::Ident(word) => out.push(word.to_string()),
                TokenTree::Literal(_) => out.push("\"".into()),
                TokenTree::Punct(punct) => {
                    joint = punct.spacing() == Spacing::Joint;
                    match out.last_mut() {
                        Some(last) if was_joint && punct.as_char() == ':' && last == ":" => last.push(':'),
                        _ => out.push(punct.as_char().into()),
                    }
                }
                TokenTree::Group(group) => {
                    let attribute =
                        group.delimiter() == Delimiter::Bracket && out.last().is_some_and(|last| last == "#");
                    if attribute && tests == Tests::LeftOut && is_of_tests(group.stream()) {
                        // The item, to its body or its semicolon.
                        trees.find(|tree| match tree {
                            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                            TokenTree::Punct(punct) => punct.as_char() == ';',
                            _ => false,
                        });
                    } else if let [.., word, name] = out.as_slice()
                        && word == "mod"
                        && group.delimiter() == Delimiter::Brace
                    {
                        let inside: Vec<_> = inside.iter().chain([name]).cloned().collect();
                        self.module(group.stream(), &inside, tests);
                    } else {
                        let (open, close) = match group.delimiter() {
                            Delimiter::Parenthesis => ("(", ")"),
                            Delimiter::Brace => ("{", "}"),
                            Delimiter::Bracket => ("[", "]"),
                            Delimiter::None => ("", ""),
                        };
                        out.push(open.into());
                        self.flatten(group.stream(), inside, tests, out);
                        out.push(close.into());
                    }
                }
            }
        }
    }
}

/// Is it a word, no sign?
fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Is the attribute `cfg(test)`, or one that asks for it?
fn is_of_tests(attribute: TokenStream) -> bool {
    let text = attribute.to_string();
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    // What is `not(test)`, or for tests among others, is no test.
    let words: Vec<&str> = if words.next() == Some("cfg") { words.collect() } else { return false };
    words.contains(&"test") && !words.contains(&"not") && !words.contains(&"any")
}

/// The names of the tree of a `use`, each with its alias.
fn names(tree: &[String], before: &[String], found: &mut impl FnMut(Vec<String>, String)) {
    match tree {
        [first, rest @ ..] if first == "::" => names(rest, before, found),
        [first, group @ .., last] if first == "{" && last == "}" => {
            let mut depth = 0;
            let split = group.split(|token| {
                depth += i32::from(token == "{") - i32::from(token == "}");
                depth == 0 && token == ","
            });
            split.filter(|item| !item.is_empty()).for_each(|item| names(item, before, found));
        }
        [first, sign, rest @ ..] if sign == "::" => {
            let before: Vec<_> = before.iter().chain([first]).cloned().collect();
            names(rest, &before, found);
        }
        [first, rest @ ..] => {
            let myself = first == "self" && !before.is_empty() || first == "*";
            let path: Vec<_> = before.iter().chain((!myself).then_some(first)).cloned().collect();
            let own = if first == "*" { Some(first) } else { path.last() };
            let alias = if let [.., word, alias] = rest
                && word == "as"
            {
                Some(alias)
            } else {
                own
            };
            found(path.clone(), alias.cloned().unwrap_or_default());
        }
        [] => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, tests: Tests) -> (Vec<String>, Vec<String>) {
        let imports = Imports::of(text, tests).expect("Rust");
        let shown = |path: &Path| [path.inside.join("."), path.names.join("::")].join("|");
        let uses = imports.uses.iter().map(|import| {
            format!("{}{} {}", if import.is_public { "pub " } else { "" }, shown(&import.path), import.alias)
        });
        (uses.collect(), imports.paths.iter().map(shown).collect())
    }

    #[test]
    fn each_name_of_an_import_is_found() {
        let text = "pub(crate) use crate::{a::{self, B as C}, d::*};\npub use e;\nuse self::f::G;\nfn h() -> impl I + use<'_> {}";
        let expected =
            ["pub |crate::a a", "pub |crate::a::B C", "pub |crate::d *", "pub |e e", "|self::f::G G"].map(String::from);
        assert_eq!(read(text, Tests::Count), (expected.to_vec(), Vec::new()));
    }

    #[test]
    fn paths_of_code_and_of_macros_are_found_and_comments_are_not() {
        let text = "// a::b\nfn f() { c::d::<e::F>(); say!(\"g::h\", i::j()); <K as L>::m(); ::n::o() }\nmod p { fn q() { super::r() } }";
        let (uses, mut paths) = read(text, Tests::Count);
        paths.sort();
        assert_eq!((uses.len(), paths), (0, ["p|super::r", "|c::d", "|e::F", "|i::j"].map(String::from).to_vec()));
    }

    #[test]
    fn tests_are_left_out_if_wished() {
        let text = "#[cfg(test)]\nuse a::b;\nuse c::d;\n#[cfg(all(test, feature = \"x\"))]\nmod tests { use e::f; }\nuse g::h;";
        assert_eq!(read(text, Tests::LeftOut).0, ["|c::d d", "|g::h h"]);
        assert_eq!(read(text, Tests::Count).0.len(), 4);
    }
}
