//! What a jar's manifest says of the class path.
//!
//! Source: JAR File Specification, "Name-Value pairs and Sections", "Class-Path".

use std::path::{Path, PathBuf};

/// Where a jar's manifest is.
pub(super) const MANIFEST: &str = "META-INF/MANIFEST.MF";

/// The files that the main attribute Class-Path of the manifest of `jar` names. Those of another scheme or with escapes that are no UTF-8 are left out.
pub(super) fn class_path(jar: &Path, manifest: &str) -> Vec<PathBuf> {
    let text = manifest.replace("\r\n", "\n").replace('\r', "\n").replace("\n ", "");
    // The main section ends with the first empty line.
    let main = text.split("\n\n").next().unwrap_or_default();
    let named = main.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("Class-Path").then_some(value)
    });
    let folder = jar.parent().unwrap_or(Path::new(""));
    let file = |url: &str| {
        let path = url.strip_prefix("file:").unwrap_or(url);
        unescaped(path).filter(|path| !path.contains("://")).map(|path| folder.join(path))
    };
    named.unwrap_or_default().split_whitespace().filter_map(file).collect()
}

/// A URL's path with its escapes (RFC 3986, 2.1) resolved.
fn unescaped(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        let escaped = behind.first_chunk::<2>().filter(|_| first == b'%').and_then(|digits| {
            let digit = |digit: u8| char::from(digit).to_digit(16);
            Some((digit(digits[0])? * 16 + digit(digits[1])?) as u8)
        });
        bytes.push(escaped.unwrap_or(first));
        rest = if escaped.is_some() { &behind[2..] } else { behind };
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_go_on_and_names_are_relative_to_the_jar() {
        let manifest = "Manifest-Version: 1.0\r\nclass-path: lib/a.jar li\r\n b/b%20c.jar file:/x/y.jar http://z/z.jar\r\n\r\nName: a\r\nClass-Path: no.jar\r\n";
        let expected = ["app/lib/a.jar", "app/lib/b c.jar", "/x/y.jar"].map(PathBuf::from);
        assert_eq!(class_path(Path::new("app/main.jar"), manifest), expected);
        assert!(class_path(Path::new("main.jar"), "Main-Class: a.B\n").is_empty());
    }
}
