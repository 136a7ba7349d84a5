//! Globs, as options are written and as a reader's filters are.
//!
//! Invariant: a glob means the same to the agent and to the decoder. Source: docs/guide/options.md.

/// Does `glob` (`*` any run, `?` one character) match `name`? Iterative: the last star is the only
/// place to go back to.
pub fn glob_matches(glob: &str, name: &str) -> bool {
    let (glob, name) = (glob.as_bytes(), name.as_bytes());
    let (mut g, mut n, mut star) = (0, 0, None);
    while n < name.len() {
        if g < glob.len() && glob[g] == b'*' {
            star = Some((g, n));
            g += 1;
        } else if g < glob.len() && (glob[g] == b'?' || glob[g] == name[n]) {
            g += 1;
            n += 1;
        } else if let Some((at, from)) = star {
            star = Some((at, from + 1));
            g = at + 1;
            n = from + 1;
        } else {
            return false;
        }
    }
    glob[g..].iter().all(|&byte| byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_class_names() {
        assert!(glob_matches("com.acme.*", "com.acme.shop.Cart"));
        assert!(glob_matches("*Test?", "a.b.FooTest1"));
        assert!(glob_matches("*a*b*", "xxaxxbxx"));
        assert!(!glob_matches("com.acme.*", "com.acmes.Cart"));
        assert!(!glob_matches("a", ""));
    }
}
