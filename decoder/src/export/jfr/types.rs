//! The types that a chunk declares: numbers of types, fields of constants and events.
//!
//! Invariant: a type stands in the table once, and all that its fields name stands there, too. The
//! JVM's events have the JVM's fields, in its order and no others: some readers take them for
//! granted. `jdk.JavaErrorThrow` is declared though nothing is written as one, for views that ask
//! for exceptions ask for it.
//! Source: JDK 25, `share/jfr/metadata/metadata.xml`; ours: docs/FORMAT.md, "What lucce-decode
//! prints".

/// A type.
pub(super) struct Type {
    pub(super) id: u64,
    pub(super) name: &'static str,
    pub(super) role: Role,
    pub(super) label: &'static str,
    pub(super) fields: &'static [Field],
}

/// What a type is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A number or string.
    Primitive,
    /// Something that readers show by its only field.
    Simple,
    /// Something with fields.
    Struct,
    /// An annotation.
    Annotation,
    /// An annotation that says what a number is.
    Content,
    /// An event, in this category.
    Event(&'static str),
}

/// A field.
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) of: u64,
    pub(super) label: &'static str,
    pub(super) shape: FieldShape,
    pub(super) content: Option<(u64, &'static str)>,
}

/// How a field is encoded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldShape {
    /// As it is.
    Plain,
    /// By its number in the constants.
    Constant,
    /// A list.
    Array,
}

const BOOLEAN: u64 = 4;
const INT: u64 = 10;
const LONG: u64 = 11;
pub(super) const CLASS: u64 = 20;
pub(super) const STRING: u64 = 21;
pub(super) const THREAD: u64 = 22;
pub(super) const SYMBOL: u64 = 23;
pub(super) const METHOD: u64 = 24;
pub(super) const FRAME_TYPE: u64 = 25;
pub(super) const STACK_FRAME: u64 = 26;
pub(super) const STACK_TRACE: u64 = 27;
pub(super) const THREAD_STATE: u64 = 28;
const CLASS_LOADER: u64 = 29;
const PACKAGE: u64 = 30;
pub(super) const LABEL: u64 = 40;
pub(super) const CATEGORY: u64 = 41;
const TIMESTAMP: u64 = 42;
const TIMESPAN: u64 = 43;
const DATA_AMOUNT: u64 = 44;
pub(super) const CONTENT_TYPE: u64 = 45;
pub(super) const ALLOCATION: u64 = 100;
pub(super) const EXCEPTION: u64 = 101;
const ERROR: u64 = 102;
pub(super) const MONITOR: u64 = 103;
pub(super) const PARK: u64 = 104;
pub(super) const EXECUTION: u64 = 105;
pub(super) const LUCCE_ALLOCATION: u64 = 200;
pub(super) const LUCCE_EXCEPTION: u64 = 201;
pub(super) const LUCCE_MONITOR: u64 = 202;
pub(super) const LUCCE_PARK: u64 = 203;
pub(super) const LUCCE_CPU: u64 = 204;
pub(super) const LUCCE_INVOCATION: u64 = 205;
pub(super) const LUCCE_EVENT: u64 = 206;

const TICKS: Option<(u64, &str)> = Some((TIMESTAMP, "TICKS"));
const DURATION: Option<(u64, &str)> = Some((TIMESPAN, "TICKS"));
const NANOSECONDS: Option<(u64, &str)> = Some((TIMESPAN, "NANOSECONDS"));
const BYTES: Option<(u64, &str)> = Some((DATA_AMOUNT, "BYTES"));

const fn plain(name: &'static str, of: u64, label: &'static str) -> Field {
    Field { name, of, label, shape: FieldShape::Plain, content: None }
}

const fn constant(name: &'static str, of: u64, label: &'static str) -> Field {
    Field { name, of, label, shape: FieldShape::Constant, content: None }
}

const fn array(name: &'static str, of: u64) -> Field {
    Field { name, of, label: "", shape: FieldShape::Array, content: None }
}

const fn number(name: &'static str, label: &'static str, content: Option<(u64, &'static str)>) -> Field {
    Field { name, of: LONG, label, shape: FieldShape::Plain, content }
}

const START: Field = number("startTime", "Start Time", TICKS);
const DURATION_FIELD: Field = number("duration", "Duration", DURATION);
const EVENT_THREAD: Field = constant("eventThread", THREAD, "Event Thread");
const TRACE: Field = constant("stackTrace", STACK_TRACE, "Stack Trace");

/// Fields of our events, with the unit of the value.
const fn ours(unit: Option<(u64, &'static str)>) -> [Field; 10] {
    [
        START,
        EVENT_THREAD,
        TRACE,
        plain("kind", STRING, "Kind"),
        constant("objectClass", CLASS, "Class"),
        number("value", "Sum of Values", unit),
        number("count", "Events", None),
        plain("context", STRING, "Context"),
        plain("origin", STRING, "Origin"),
        plain("fingerprint", STRING, "Fingerprint"),
    ]
}

const IN_BYTES: &[Field] = &ours(BYTES);
const IN_NANOSECONDS: &[Field] = &ours(NANOSECONDS);
const IN_ITSELF: &[Field] = &ours(None);
const THROWN: &[Field] = &[
    START,
    DURATION_FIELD,
    EVENT_THREAD,
    TRACE,
    plain("message", STRING, "Message"),
    constant("thrownClass", CLASS, "Class"),
];
const VALUE: &[Field] = &[plain("value", STRING, "")];
const JVM: &str = "Java Virtual Machine";
const APPLICATION: &str = "Java Application";
const LUCCE: &str = "Lucce";

const fn primitive(id: u64, name: &'static str) -> Type {
    Type { id, name, role: Role::Primitive, label: "", fields: &[] }
}

const fn class(id: u64, name: &'static str, role: Role, fields: &'static [Field]) -> Type {
    Type { id, name, role, label: "", fields }
}

const fn event(
    id: u64,
    name: &'static str,
    category: &'static str,
    label: &'static str,
    fields: &'static [Field],
) -> Type {
    Type { id, name, role: Role::Event(category), label, fields }
}

/// All types.
pub(super) const TYPES: &[Type] = &[
    primitive(BOOLEAN, "boolean"),
    primitive(5, "char"),
    primitive(6, "float"),
    primitive(7, "double"),
    primitive(8, "byte"),
    primitive(9, "short"),
    primitive(INT, "int"),
    primitive(LONG, "long"),
    primitive(STRING, "java.lang.String"),
    class(
        CLASS,
        "java.lang.Class",
        Role::Struct,
        &[
            constant("classLoader", CLASS_LOADER, "Class Loader"),
            constant("name", SYMBOL, "Name"),
            constant("package", PACKAGE, "Package"),
            plain("modifiers", INT, "Access Modifiers"),
            plain("hidden", BOOLEAN, "Hidden"),
        ],
    ),
    class(
        THREAD,
        "java.lang.Thread",
        Role::Struct,
        &[
            plain("osName", STRING, "OS Thread Name"),
            plain("osThreadId", LONG, "OS Thread Id"),
            plain("javaName", STRING, "Java Thread Name"),
            plain("javaThreadId", LONG, "Java Thread Id"),
        ],
    ),
    class(
        CLASS_LOADER,
        "jdk.types.ClassLoader",
        Role::Struct,
        &[constant("type", CLASS, "Type"), constant("name", SYMBOL, "Name")],
    ),
    class(PACKAGE, "jdk.types.Package", Role::Struct, &[constant("name", SYMBOL, "Name")]),
    class(SYMBOL, "jdk.types.Symbol", Role::Simple, &[plain("string", STRING, "String")]),
    class(
        METHOD,
        "jdk.types.Method",
        Role::Struct,
        &[
            constant("type", CLASS, "Type"),
            constant("name", SYMBOL, "Name"),
            constant("descriptor", SYMBOL, "Descriptor"),
            plain("modifiers", INT, "Access Modifiers"),
            plain("hidden", BOOLEAN, "Hidden"),
        ],
    ),
    class(FRAME_TYPE, "jdk.types.FrameType", Role::Simple, &[plain("description", STRING, "Description")]),
    class(THREAD_STATE, "jdk.types.ThreadState", Role::Simple, &[plain("name", STRING, "Name")]),
    class(
        STACK_FRAME,
        "jdk.types.StackFrame",
        Role::Struct,
        &[
            constant("method", METHOD, "Java Method"),
            plain("lineNumber", INT, "Line Number"),
            plain("bytecodeIndex", INT, "Bytecode Index"),
            constant("type", FRAME_TYPE, "Frame Type"),
        ],
    ),
    class(
        STACK_TRACE,
        "jdk.types.StackTrace",
        Role::Struct,
        &[plain("truncated", BOOLEAN, "Truncated"), array("frames", STACK_FRAME)],
    ),
    class(LABEL, "jdk.jfr.Label", Role::Annotation, VALUE),
    class(CATEGORY, "jdk.jfr.Category", Role::Annotation, &[array("value", STRING)]),
    class(TIMESTAMP, "jdk.jfr.Timestamp", Role::Content, VALUE),
    class(TIMESPAN, "jdk.jfr.Timespan", Role::Content, VALUE),
    class(DATA_AMOUNT, "jdk.jfr.DataAmount", Role::Content, VALUE),
    class(CONTENT_TYPE, "jdk.jfr.ContentType", Role::Annotation, &[]),
    event(
        ALLOCATION,
        "jdk.ObjectAllocationSample",
        APPLICATION,
        "Object Allocation Sample",
        &[
            START,
            EVENT_THREAD,
            TRACE,
            constant("objectClass", CLASS, "Object Class"),
            number("weight", "Sample Weight", BYTES),
        ],
    ),
    event(EXCEPTION, "jdk.JavaExceptionThrow", APPLICATION, "Java Exception", THROWN),
    event(ERROR, "jdk.JavaErrorThrow", APPLICATION, "Java Error", THROWN),
    event(
        MONITOR,
        "jdk.JavaMonitorEnter",
        APPLICATION,
        "Java Monitor Blocked",
        &[
            START,
            DURATION_FIELD,
            EVENT_THREAD,
            TRACE,
            constant("monitorClass", CLASS, "Monitor Class"),
            constant("previousOwner", THREAD, "Previous Monitor Owner"),
            plain("address", LONG, "Monitor Address"),
        ],
    ),
    event(
        PARK,
        "jdk.ThreadPark",
        APPLICATION,
        "Java Thread Park",
        &[
            START,
            DURATION_FIELD,
            EVENT_THREAD,
            TRACE,
            constant("parkedClass", CLASS, "Class Parked On"),
            number("timeout", "Park Timeout", NANOSECONDS),
            number("until", "Park Until", None),
            plain("address", LONG, "Address of Object Parked"),
        ],
    ),
    event(
        EXECUTION,
        "jdk.ExecutionSample",
        JVM,
        "Method Profiling Sample",
        &[START, constant("sampledThread", THREAD, "Thread"), TRACE, constant("state", THREAD_STATE, "Thread State")],
    ),
    event(LUCCE_ALLOCATION, "lucce.Allocation", LUCCE, "Allocations", IN_BYTES),
    event(LUCCE_EXCEPTION, "lucce.Exception", LUCCE, "Exceptions", IN_ITSELF),
    event(LUCCE_MONITOR, "lucce.Monitor", LUCCE, "Waits for Monitors", IN_NANOSECONDS),
    event(LUCCE_PARK, "lucce.Park", LUCCE, "Parks", IN_NANOSECONDS),
    event(LUCCE_CPU, "lucce.Cpu", LUCCE, "CPU Time", IN_NANOSECONDS),
    event(LUCCE_INVOCATION, "lucce.Invocation", LUCCE, "Invocations", IN_ITSELF),
    event(LUCCE_EVENT, "lucce.Event", LUCCE, "Other Events", IN_ITSELF),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_fields_name_is_declared_once() {
        for of in TYPES.iter().flat_map(|of| of.fields) {
            let named = |id: u64| TYPES.iter().filter(|of| of.id == id).count();
            assert_eq!(named(of.of), 1, "{}", of.name);
            assert!(of.content.is_none_or(|(id, _)| named(id) == 1), "{}", of.name);
        }
    }
}
