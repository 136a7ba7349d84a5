//! Names without the numbers that a JVM, a compiler or a library gives in the order of a run or a
//! build.
//!
//! Invariant: only what stands behind a known mark is left out. Every other name stays as it is,
//! numbers of the program's own included.
//! Source: docs/FORMAT.md, "Fingerprints"; JDK `InnerClassLambdaMetafactory`, `ProxyGenerator`,
//! `MethodAccessorGenerator`, `ClassFileParser` (names of hidden classes); CGLIB
//! `DefaultNamingPolicy`, Spring `SpringNamingPolicy`, Byte Buddy `NamingStrategy`, Mockito
//! `SubclassBytecodeGenerator`, Javassist `ProxyFactory`.

use std::borrow::Cow;

/// Which characters are left out behind a mark. They must reach up to the end of the part.
#[derive(Clone, Copy)]
enum CharRun {
    Digits,
    Hex,
    /// Letters and digits.
    Random,
}

impl CharRun {
    fn has(self, each: char) -> bool {
        match self {
            Self::Digits => each.is_ascii_digit(),
            Self::Hex => each.is_ascii_hexdigit(),
            Self::Random => each.is_ascii_alphanumeric(),
        }
    }
}

/// Marks within names of classes, what follows, and what both become.
const CLASS_MARKS: [(&str, CharRun, &str); 23] = [
    ("$$Lambda$", CharRun::Digits, "$$Lambda"),
    // JDK 11 writes the address in decimals.
    ("$$Lambda.", CharRun::Digits, "$$Lambda"),
    ("LambdaForm$MH.", CharRun::Digits, "LambdaForm$MH"),
    ("LambdaForm$DMH.", CharRun::Digits, "LambdaForm$DMH"),
    ("LambdaForm$BMH.", CharRun::Digits, "LambdaForm$BMH"),
    (".0x", CharRun::Hex, ""),
    ("/0x", CharRun::Hex, ""),
    ("$Proxy", CharRun::Digits, "$Proxy"),
    ("jdk.proxy", CharRun::Digits, "jdk.proxy"),
    ("jdk/proxy", CharRun::Digits, "jdk/proxy"),
    ("GeneratedMethodAccessor", CharRun::Digits, "GeneratedMethodAccessor"),
    ("GeneratedConstructorAccessor", CharRun::Digits, "GeneratedConstructorAccessor"),
    ("GeneratedSerializationConstructorAccessor", CharRun::Digits, "GeneratedSerializationConstructorAccessor"),
    ("CGLIB$$", CharRun::Hex, "CGLIB"),
    ("CGLIB$$FastClass$$", CharRun::Hex, "CGLIB$$FastClass"),
    ("ByGuice$$", CharRun::Hex, "ByGuice"),
    ("$ByteBuddy$", CharRun::Random, "$ByteBuddy"),
    ("$MockitoMock$", CharRun::Random, "$MockitoMock"),
    ("$HibernateProxy$", CharRun::Random, "$HibernateProxy"),
    ("$HibernateInstantiator$", CharRun::Random, "$HibernateInstantiator"),
    ("$HibernateAccessOptimizer$", CharRun::Random, "$HibernateAccessOptimizer"),
    ("$auxiliary$", CharRun::Random, "$auxiliary"),
    ("_$$_javassist_", CharRun::Digits, "_$$_javassist"),
];

/// Marks within names of methods.
const METHOD_MARKS: [(&str, CharRun, &str); 6] = [
    ("access$", CharRun::Digits, "access"),
    ("$lambda$", CharRun::Digits, "$lambda"),
    ("$lambda-", CharRun::Digits, "$lambda"),
    ("$accessor$", CharRun::Random, "$accessor"),
    ("$original$", CharRun::Random, "$original"),
    ("$auxiliary$", CharRun::Random, "$auxiliary"),
];

/// Names of methods that begin so end in a number: `lambda$main$0`, `CGLIB$toString$1`,
/// `$anonfun$main$2`.
const NUMBERED: [&str; 3] = ["lambda$", "CGLIB$", "$anonfun$"];

/// A class name, as people write it or as in a descriptor.
pub fn normal_class(class: &str) -> Cow<'_, str> {
    without(class, &CLASS_MARKS)
}

/// A method's name.
pub fn normal_method(method: &str) -> Cow<'_, str> {
    if NUMBERED.iter().any(|begin| method.starts_with(begin))
        && let Some((name, number)) = method.rsplit_once('$')
        && !number.is_empty()
        && number.bytes().all(|each| each.is_ascii_digit())
    {
        return Cow::Borrowed(name);
    }
    without(method, &METHOD_MARKS)
}

/// A descriptor, with normal names of classes.
pub fn normal_desc(desc: &str) -> Cow<'_, str> {
    without(desc, &CLASS_MARKS)
}

/// What ends a part of a name.
fn ends_part(each: char) -> bool {
    matches!(each, '$' | '.' | '/' | ';' | '[' | '_')
}

fn without<'a>(name: &'a str, marks: &[(&str, CharRun, &str)]) -> Cow<'a, str> {
    let mut name = Cow::Borrowed(name);
    for &(mark, run, short) in marks {
        let mut from = 0;
        while let Some(at) = name[from..].find(mark).map(|at| from + at) {
            let behind = at + mark.len();
            let rest = &name[behind..];
            let end = rest.find(|each| !run.has(each)).unwrap_or(rest.len());
            let whole = end > 0 && rest[end..].chars().next().is_none_or(ends_part);
            from = behind;
            if whole {
                name = Cow::Owned(format!("{}{short}{}", &name[..at], &rest[end..]));
                from = at + short.len();
            }
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_behind_marks_are_left_out() {
        for (name, normal) in [
            ("a.B$$Lambda.0x00007f31d80033e8", "a.B$$Lambda"),
            ("a.B$$Lambda$14.0x0000000840064440", "a.B$$Lambda"),
            ("a.B$$Lambda$7/0x0000000840064440", "a.B$$Lambda"),
            ("a.B$$Lambda$1.537548559", "a.B$$Lambda"),
            ("java.lang.invoke.LambdaForm$DMH.537548559", "java.lang.invoke.LambdaForm$DMH"),
            ("java.lang.invoke.LambdaForm$MH.0x0000000800c03000", "java.lang.invoke.LambdaForm$MH"),
            ("com.sun.proxy.$Proxy12", "com.sun.proxy.$Proxy"),
            ("jdk.proxy2.$Proxy5", "jdk.proxy.$Proxy"),
            ("jdk.internal.reflect.GeneratedMethodAccessor31", "jdk.internal.reflect.GeneratedMethodAccessor"),
            ("a.B$$EnhancerBySpringCGLIB$$a1b2c3d4", "a.B$$EnhancerBySpringCGLIB"),
            ("a.B$$SpringCGLIB$$0", "a.B$$SpringCGLIB"),
            ("a.B$$SpringCGLIB$$FastClass$$1", "a.B$$SpringCGLIB$$FastClass"),
            ("a.B$$EnhancerByGuice$$1234567", "a.B$$EnhancerByGuice"),
            ("a.B$ByteBuddy$aBcDeF12", "a.B$ByteBuddy"),
            ("a.B$MockitoMock$1234567", "a.B$MockitoMock"),
            ("a.B$MockitoMock$x7Ab9Q0z$auxiliary$AbCd1234", "a.B$MockitoMock$auxiliary"),
            ("a.B_$$_javassist_12", "a.B_$$_javassist"),
        ] {
            assert_eq!(normal_class(name), normal);
        }
        assert_eq!(
            normal_desc("(La/B$$Lambda$14.0x00000008;[Ljdk/proxy2/$Proxy5;I)V"),
            "(La/B$$Lambda;[Ljdk/proxy/$Proxy;I)V"
        );
        for (name, normal) in [
            ("lambda$main$0", "lambda$main"),
            ("lambda$null$12", "lambda$null"),
            ("access$000", "access"),
            ("main$lambda$0", "main$lambda"),
            ("main$lambda-0", "main$lambda"),
            ("$anonfun$main$1", "$anonfun$main"),
            ("CGLIB$toString$1", "CGLIB$toString"),
            ("run$accessor$AbCd1234", "run$accessor"),
            ("run$original$AbCd1234$accessor$x9Yz", "run$original$accessor"),
        ] {
            assert_eq!(normal_method(name), normal);
        }
    }

    #[test]
    fn all_other_names_stay() {
        for name in [
            "a.B$1",
            "a.Proxy2",
            "a.$Proxy2x",
            "a.B$$Lambda",
            "a.0xyz",
            "a.B$$SpringCGLIB$$Factory",
            "java.util.concurrent.Executors$1",
            "Größe$ByteBuddy$日本",
        ] {
            assert!(matches!(normal_class(name), Cow::Borrowed(same) if same == name), "{name}");
        }
        for name in ["<init>", "run0", "lambda$", "get$1", "lambda$main$x", "access$", "access$0a"] {
            assert!(matches!(normal_method(name), Cow::Borrowed(same) if same == name), "{name}");
        }
    }
}
