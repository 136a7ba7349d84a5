//! Calls into the JDK under which no instrumented code can run, by name: nothing is published
//! before them.
//!
//! Invariant: a call named here enters, in every JDK from 11 on, one method of the boot loader's,
//! whatever the receiver, and that method calls nothing that an application can override, register
//! or supply: its class is final (or cannot be extended from outside), or the method is; its
//! arguments are values. What loading a class may call is guarded by itself
//! (`crate::rewrite::classes`), and so is what the message of an error may ask for
//! ([`CALLED_BACK`]).
//! Source: the sources of OpenJDK 11 to 25; docs/design/emitted-code.md ("JDK leaf calls").

use lucce_words::signature;

/// Final classes, and buffers, which only `java.nio` can extend: leaves where every parameter is a
/// value.
const VALUES: &[&str] = &[
    "java/lang/Boolean",
    "java/lang/Byte",
    "java/lang/Character",
    "java/lang/Double",
    "java/lang/Float",
    "java/lang/Integer",
    "java/lang/Long",
    "java/lang/Math",
    "java/lang/Short",
    "java/lang/StrictMath",
    "java/lang/String",
    "java/lang/StringBuffer",
    "java/lang/StringBuilder",
    "java/nio/ByteBuffer",
    "java/nio/DoubleBuffer",
    "java/nio/FloatBuffer",
    "java/nio/IntBuffer",
    "java/nio/LongBuffer",
    "java/nio/ShortBuffer",
    "java/util/Arrays",
];

/// What asks for system properties, charsets, resources or other threads, or makes streams, and
/// with them lambdas.
const OPEN: &[&str] = &[
    "allocateDirect",
    "chars",
    "codePointOf",
    "codePoints",
    "getBoolean",
    "getBytes",
    "getInteger",
    "getLong",
    "getName",
    "random",
    "stream",
];

/// What `String` does by way of locale data (a capital sigma is asked for with a break iterator,
/// whose provider may be the program's, as the system properties may that name it), and what makes
/// lambdas, whose factory asks for properties, too: regular expressions and streams.
const OPEN_OF_STRING: &[&str] = &[
    "indent",
    "lines",
    "matches",
    "replaceAll",
    "replaceFirst",
    "split",
    "splitWithDelimiters",
    "stripIndent",
    "toLowerCase",
    "toUpperCase",
    "translateEscapes",
];

/// What the JDK asks of the system properties, which can be of a class of the program's, and, to be
/// allowed to, of its security manager, even below a JDK leaf call: where an index is out of range
/// the message is formatted by the default locale, which properties name.
pub const CALLED_BACK: &[(&[u8], &[u8])] = &[
    (b"checkPermission", b"(Ljava/security/Permission;)V"),
    (b"checkPropertiesAccess", b"()V"),
    (b"checkPropertyAccess", b"(Ljava/lang/String;)V"),
    (b"getProperty", b"(Ljava/lang/String;)Ljava/lang/String;"),
    (b"getProperty", b"(Ljava/lang/String;Ljava/lang/String;)Ljava/lang/String;"),
];

/// Classes whose constructors do nothing but set fields, where every parameter is a primitive.
const FIELDS: &[&str] = &[
    "java/io/InputStream",
    "java/io/OutputStream",
    "java/lang/Number",
    "java/lang/Object",
    "java/lang/Record",
    "java/util/AbstractCollection",
    "java/util/AbstractList",
    "java/util/AbstractMap",
    "java/util/AbstractSet",
    "java/util/ArrayDeque",
    "java/util/ArrayList",
    "java/util/BitSet",
    "java/util/HashMap",
    "java/util/HashSet",
    "java/util/IdentityHashMap",
    "java/util/LinkedHashMap",
    "java/util/LinkedHashSet",
    "java/util/LinkedList",
    "java/util/TreeMap",
    "java/util/TreeSet",
    "java/util/concurrent/atomic/AtomicBoolean",
    "java/util/concurrent/atomic/AtomicInteger",
    "java/util/concurrent/atomic/AtomicLong",
    "java/util/concurrent/atomic/AtomicReference",
];

/// Static and final methods by name, whatever they take.
const METHODS: &[(&str, &[&str])] = &[
    (
        "java/lang/Class",
        &["cast", "getComponentType", "isArray", "isAssignableFrom", "isInstance", "isInterface", "isPrimitive"],
    ),
    ("java/lang/Enum", &["<init>", "compareTo", "equals", "hashCode", "name", "ordinal"]),
    ("java/lang/Object", &["getClass"]),
    ("java/lang/System", &["arraycopy", "currentTimeMillis", "identityHashCode", "nanoTime"]),
    ("java/lang/Thread", &["currentThread"]),
    (
        "java/nio/Buffer",
        &["capacity", "clear", "flip", "hasRemaining", "limit", "mark", "position", "remaining", "reset", "rewind"],
    ),
    ("java/util/Arrays", &["asList", "copyOf", "copyOfRange", "fill"]),
    ("java/util/Collections", &["emptyIterator", "emptyList", "emptyMap", "emptySet"]),
    ("java/util/concurrent/atomic/AtomicBoolean", ATOMIC),
    ("java/util/concurrent/atomic/AtomicInteger", ATOMIC),
    ("java/util/concurrent/atomic/AtomicIntegerArray", ATOMIC),
    ("java/util/concurrent/atomic/AtomicLong", ATOMIC),
    ("java/util/concurrent/atomic/AtomicLongArray", ATOMIC),
    ("java/util/concurrent/atomic/AtomicReference", ATOMIC),
    ("java/util/concurrent/atomic/AtomicReferenceArray", ATOMIC),
];

/// Final methods of the atomics.
const ATOMIC: &[&str] = &[
    "addAndGet",
    "compareAndSet",
    "decrementAndGet",
    "get",
    "getAndAdd",
    "getAndDecrement",
    "getAndIncrement",
    "getAndSet",
    "incrementAndGet",
    "lazySet",
    "length",
    "set",
];

/// Methods of `Object` that are leaves where `super.` calls them (what the receiver overrides is
/// not entered), and on arrays.
const OF_OBJECT: &[&str] = &["clone", "equals", "hashCode"];

/// Can `owner.name desc` enter no instrumented code? `special`: by `invokespecial`, so exactly this
/// method is entered.
pub fn is_jdk_leaf(owner: &[u8], name: &[u8], desc: &[u8], special: bool) -> bool {
    if owner.starts_with(b"[") {
        return name == b"clone";
    }
    // Only names below `java/` mean the boot class whatever loader resolves them.
    if !owner.starts_with(b"java/") {
        return false;
    }
    let (Ok(owner), Ok(name), Ok(desc)) = (str::from_utf8(owner), str::from_utf8(name), str::from_utf8(desc)) else {
        return false;
    };
    if special && owner == "java/lang/Object" && OF_OBJECT.contains(&name) {
        return true;
    }
    if METHODS.binary_search_by_key(&owner, |entry| entry.0).is_ok_and(|at| METHODS[at].1.contains(&name)) {
        return true;
    }
    if name == "<init>" && FIELDS.binary_search(&owner).is_ok() {
        return parameters(desc).all(|one| one.len() == 1);
    }
    if owner == "java/util/Objects" {
        return name == "requireNonNull" && desc.starts_with("(Ljava/lang/Object;)")
            || matches!(name, "checkIndex" | "isNull" | "nonNull") && !desc.contains("BiFunction");
    }
    if VALUES.binary_search(&owner).is_err() || OPEN.contains(&name) || name.starts_with("parallel") {
        return false;
    }
    if owner == "java/lang/String" && OPEN_OF_STRING.contains(&name) {
        return false;
    }
    // equals() of a value compares with values of its own class only.
    let equals = name == "equals" && desc == "(Ljava/lang/Object;)Z" && owner.starts_with("java/lang/");
    // Bytes become characters by a charset, which may be anybody's.
    let decodes = owner == "java/lang/String" && name == "<init>" && desc.contains("[B");
    equals || !decodes && parameters(desc).all(is_value)
}

/// May it be one of [`CALLED_BACK`], in a class with this superclass? Neither system properties nor
/// a security manager extend nothing.
pub fn may_be_called_back(super_class: &[u8], name: &[u8], desc: &[u8]) -> bool {
    CALLED_BACK.contains(&(name, desc)) && super_class != b"java/lang/Object"
}

/// A primitive, an array of primitives, or an object of a class in [`VALUES`].
fn is_value(parameter: &str) -> bool {
    let element = parameter.trim_start_matches('[');
    match signature::class(element) {
        Some(class) => {
            element.len() == parameter.len() && (class == "java/nio/ByteOrder" || VALUES.binary_search(&class).is_ok())
        }
        None => parameter.len() <= 2,
    }
}

/// The parameters' descriptors.
fn parameters(desc: &str) -> impl Iterator<Item = &str> {
    let mut rest = desc.strip_prefix('(').and_then(|rest| rest.split(')').next()).unwrap_or_default();
    std::iter::from_fn(move || {
        let dimensions = rest.bytes().take_while(|&byte| byte == b'[').count();
        let length = match rest.as_bytes().get(dimensions)? {
            b'L' => rest.find(';')? + 1,
            _ => dimensions + 1,
        };
        let (one, behind) = rest.split_at(length);
        rest = behind;
        Some(one)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(owner: &str, name: &str, desc: &str) -> bool {
        is_jdk_leaf(owner.as_bytes(), name.as_bytes(), desc.as_bytes(), false)
    }

    #[test]
    fn the_lists_are_sorted() {
        for list in [VALUES, FIELDS, ATOMIC] {
            assert!(list.is_sorted());
        }
        assert!(METHODS.is_sorted_by_key(|entry| entry.0));
    }

    #[test]
    fn what_takes_only_values_is_a_leaf() {
        assert!(leaf("java/lang/Math", "toIntExact", "(J)I"));
        assert!(leaf("java/lang/String", "indexOf", "(Ljava/lang/String;I)I"));
        assert!(leaf("java/lang/Character", "toLowerCase", "(C)C"));
        assert!(leaf("java/lang/String", "equals", "(Ljava/lang/Object;)Z"));
        assert!(leaf("java/lang/StringBuilder", "append", "([CII)Ljava/lang/StringBuilder;"));
        assert!(leaf("java/util/Arrays", "fill", "([Ljava/lang/Object;Ljava/lang/Object;)V"));
        assert!(leaf("java/util/ArrayList", "<init>", "(I)V"));
        assert!(leaf("[I", "clone", "()Ljava/lang/Object;"));
    }

    #[test]
    fn properties_that_extend_something_may_be_asked() {
        let desc = b"(Ljava/lang/String;)Ljava/lang/String;";
        assert!(may_be_called_back(b"java/util/Properties", b"getProperty", desc));
        assert!(may_be_called_back(b"org/example/Own", b"getProperty", desc));
        assert!(!may_be_called_back(b"java/lang/Object", b"getProperty", desc));
        assert!(!may_be_called_back(b"java/util/Properties", b"getProperty", b"()Ljava/lang/String;"));
    }

    #[test]
    fn what_may_call_back_is_not() {
        assert!(!leaf("java/lang/StringBuilder", "append", "(Ljava/lang/Object;)Ljava/lang/StringBuilder;"));
        assert!(!leaf("java/lang/String", "contentEquals", "(Ljava/lang/CharSequence;)Z"));
        assert!(!leaf("java/lang/String", "toLowerCase", "()Ljava/lang/String;"));
        assert!(!leaf("java/lang/String", "split", "(Ljava/lang/String;)[Ljava/lang/String;"));
        assert!(!leaf("java/lang/String", "format", "(Ljava/lang/String;[Ljava/lang/Object;)Ljava/lang/String;"));
        assert!(!leaf("java/lang/String", "<init>", "([B)V"));
        assert!(!leaf("java/lang/Integer", "getInteger", "(Ljava/lang/String;)Ljava/lang/Integer;"));
        assert!(!leaf("java/util/Arrays", "sort", "([Ljava/lang/Object;)V"));
        assert!(!leaf("java/util/Arrays", "setAll", "([ILjava/util/function/IntUnaryOperator;)V"));
        assert!(!leaf("java/util/ArrayList", "<init>", "(Ljava/util/Collection;)V"));
        assert!(!leaf("java/util/ArrayList", "add", "(Ljava/lang/Object;)Z"));
        assert!(!leaf(
            "java/util/concurrent/atomic/AtomicLong",
            "updateAndGet",
            "(Ljava/util/function/LongUnaryOperator;)J"
        ));
        assert!(!leaf(
            "java/util/Objects",
            "requireNonNull",
            "(Ljava/lang/Object;Ljava/util/function/Supplier;)Ljava/lang/Object;"
        ));
        assert!(!leaf("java/lang/Object", "hashCode", "()I"));
        assert!(is_jdk_leaf(b"java/lang/Object", b"hashCode", b"()I", true));
        assert!(!leaf("org/example/Math", "abs", "(I)I"));
    }
}
