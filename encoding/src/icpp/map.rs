//! A trained map: the contexts of a run with their words, and what was resized to tell them apart.
//!
//! ```text
//! lucce-icpp-map 1 natural
//! m  resized  class  name  descriptor            a method; numbers count from 0
//! s  method  bytecode index  wrapped             an instruction of it
//! c  word  parent or -  site                     a context: a frame at the site, called from the parent
//! ```
//! Fields are separated by tabs. In names, a tab, a line's end and a backslash are `\t`, `\n`, `\r`
//! and `\\`.
//!
//! Invariant: what is named stands before what names it. A text of any other shape is refused with
//! its line.
//! Source: "Inferred Call Path Profiling", section 4; docs/design/icpp.md.

use std::fmt::{self, Write};

use super::Sizes;

/// The first line, without the weights.
const HEAD: &str = "lucce-icpp-map 1 ";

/// A map.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Map {
    /// The weights that words are made of: `natural`, `names` or `mixed`.
    pub weights: String,
    /// Methods.
    pub methods: Vec<MapMethod>,
    /// Sites.
    pub sites: Vec<MapSite>,
    /// Contexts, parents first.
    pub contexts: Vec<MapContext>,
}

/// A method of a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapMethod {
    /// By how much its frame is enlarged.
    pub resized: u32,
    /// Internal name of its class.
    pub class: String,
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub desc: String,
}

/// A site of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapSite {
    /// Number of its method.
    pub method: u32,
    /// Its bytecode index.
    pub bci: u16,
    /// By how much it is wrapped.
    pub wrapped: u32,
}

/// A context of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapContext {
    /// What is published there; `None` where no walk has told it.
    pub word: Option<u64>,
    /// Number of the context that it was called from.
    pub parent: Option<u32>,
    /// Number of the site where its innermost frame stands.
    pub site: u32,
}

/// Why a text is no map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapError {
    /// The line, from 1.
    pub line: usize,
}

impl fmt::Display for MapError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "line {} is none of a map of this release; train it anew with lucce-decode icpp train", self.line)
    }
}

impl Map {
    /// What it changes.
    pub fn sizes(&self) -> Sizes {
        Sizes::of(self)
    }

    /// Class, name and descriptor of each method.
    pub fn names(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        self.methods.iter().map(|method| (&*method.class, &*method.name, &*method.desc))
    }

    /// As text.
    pub fn write(&self) -> String {
        let mut text = format!("{HEAD}{}\n", self.weights);
        // Writing to a String cannot fail.
        for MapMethod { resized, class, name, desc } in &self.methods {
            let [class, name, desc] = [class, name, desc].map(|name| escaped(name));
            let _ = writeln!(text, "m\t{resized}\t{class}\t{name}\t{desc}");
        }
        for MapSite { method, bci, wrapped } in &self.sites {
            let _ = writeln!(text, "s\t{method}\t{bci}\t{wrapped}");
        }
        for MapContext { word, parent, site } in &self.contexts {
            let word = word.map_or_else(|| "-".into(), |word| format!("{word:x}"));
            let parent = parent.map_or_else(|| "-".into(), |parent| parent.to_string());
            let _ = writeln!(text, "c\t{word}\t{parent}\t{site}");
        }
        text
    }

    /// From text.
    ///
    /// # Errors
    /// The first line that is none of a map.
    pub fn read(text: &str) -> Result<Self, MapError> {
        let mut lines = text.lines();
        let weights = lines.next().and_then(|head| head.strip_prefix(HEAD));
        let known = weights.filter(|weights| ["natural", "names", "mixed"].contains(weights));
        let mut map = Self { weights: known.ok_or(MapError { line: 1 })?.into(), ..Self::default() };
        for (line, text) in lines.enumerate() {
            map.line(text).ok_or(MapError { line: line + 2 })?;
        }
        Ok(map)
    }

    fn line(&mut self, line: &str) -> Option<()> {
        let fields: Vec<&str> = line.split('\t').collect();
        match fields[..] {
            ["m", resized, class, name, desc] => {
                let [class, name, desc] = [class, name, desc].map(unescaped);
                self.methods.push(MapMethod {
                    resized: resized.parse().ok()?,
                    class: class?,
                    name: name?,
                    desc: desc?,
                });
            }
            ["s", method, bci, wrapped] => {
                let method = known(method, self.methods.len())?;
                self.sites.push(MapSite { method, bci: bci.parse().ok()?, wrapped: wrapped.parse().ok()? });
            }
            ["c", word, parent, site] => {
                let word = if word == "-" { None } else { Some(u64::from_str_radix(word, 16).ok()?) };
                let parent = if parent == "-" { None } else { Some(known(parent, self.contexts.len())?) };
                let site = known(site, self.sites.len())?;
                self.contexts.push(MapContext { word, parent, site });
            }
            _ => return None,
        }
        Some(())
    }
}

/// A number of something that is there.
fn known(number: &str, count: usize) -> Option<u32> {
    number.parse().ok().filter(|number| (*number as usize) < count)
}

fn escaped(name: &str) -> String {
    name.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
}

fn unescaped(name: &str) -> Option<String> {
    let mut letters = name.chars();
    let mut whole = String::with_capacity(name.len());
    while let Some(letter) = letters.next() {
        whole.push(match letter {
            '\\' => match letters.next()? {
                't' => '\t',
                'n' => '\n',
                'r' => '\r',
                '\\' => '\\',
                _ => return None,
            },
            letter => letter,
        });
    }
    Some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map() -> Map {
        let method =
            |resized, name: &str| MapMethod { resized, class: "a/B".into(), name: name.into(), desc: "()V".into() };
        Map {
            weights: "natural".into(),
            methods: vec![method(0, "main"), method(48, "odd\tname\\n\r\n")],
            sites: vec![MapSite { method: 0, bci: 7, wrapped: 16 }, MapSite { method: 1, bci: 0, wrapped: 0 }],
            contexts: vec![
                MapContext { word: Some(48), parent: None, site: 0 },
                MapContext { word: None, parent: Some(0), site: 1 },
            ],
        }
    }

    #[test]
    fn a_map_is_read_as_it_was_written() {
        assert_eq!(Map::read(&map().write()), Ok(map()));
        let sizes = map().sizes();
        assert_eq!(sizes.resized("a/B", "odd\tname\\n\r\n", "()V"), 48);
        assert_eq!((sizes.wrapped("a/B", "main", "()V", 7), sizes.resized("a/B", "main", "()V")), (16, 0));
    }

    #[test]
    fn any_other_text_is_refused_with_its_line() {
        for (text, line) in [
            ("", 1),
            ("lucce-icpp-map 2 natural\n", 1),
            ("lucce-icpp-map 1 heavy\n", 1),
            ("lucce-icpp-map 1 natural\nm\t0\ta\tb\n", 2),
            ("lucce-icpp-map 1 natural\nm\t0\ta\tb\t()V\ns\t1\t0\t0\n", 3),
            ("lucce-icpp-map 1 natural\nm\t0\ta\tb\t()V\ns\t0\t0\t0\nc\t10\t0\t0\n", 4),
            ("lucce-icpp-map 1 natural\nm\t0\ta\\x\tb\t()V\n", 2),
        ] {
            assert_eq!(Map::read(text), Err(MapError { line }), "{text}");
        }
    }
}
