//! The metadata: a tree of elements with attributes, all of whose strings stand in one table before
//! it.
//!
//! Invariant: it declares [`TYPES`] and nothing else.
//! Source: JDK 25, `jdk.jfr.internal.consumer.MetadataReader`.

use std::collections::HashMap;

use super::METADATA_ID;
use super::bytes::Bytes;
use super::types::{CATEGORY, CONTENT_TYPE, Field, FieldShape, LABEL, Role, TYPES, Type};

struct Element {
    name: &'static str,
    attributes: Vec<(&'static str, String)>,
    children: Vec<Element>,
}

impl Element {
    fn new(name: &'static str) -> Self {
        Self { name, attributes: Vec::new(), children: Vec::new() }
    }

    fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.attributes.push((name, value.to_string()));
        self
    }

    fn annotation(id: u64) -> Self {
        Self::new("annotation").with("class", id)
    }
}

/// Writes them behind the head of their record.
pub(super) fn write(out: &mut Bytes) {
    // Their time and duration.
    out.number(0);
    out.number(0);
    out.number(METADATA_ID);
    let mut declared = Element::new("metadata");
    declared.children = TYPES.iter().map(class).collect();
    let mut root = Element::new("root");
    let region = Element::new("region").with("locale", "en_US").with("gmtOffset", 0);
    root.children = vec![declared, region];
    let mut strings = Strings::default();
    let mut tree = Bytes::default();
    element(&root, &mut strings, &mut tree);
    out.number(strings.ids.len() as u64);
    out.extend(&strings.written);
    out.extend(&tree);
}

fn class(of: &Type) -> Element {
    let mut element = Element::new("class").with("id", of.id).with("name", of.name);
    match of.role {
        Role::Primitive | Role::Struct => {}
        Role::Simple => element = element.with("simpleType", true),
        Role::Annotation | Role::Content => element = element.with("superType", "java.lang.annotation.Annotation"),
        Role::Event(_) => element = element.with("superType", "jdk.jfr.Event"),
    }
    element.children = of.fields.iter().map(field).collect();
    if !of.label.is_empty() {
        element.children.push(Element::annotation(LABEL).with("value", of.label));
    }
    match of.role {
        Role::Content => element.children.push(Element::annotation(CONTENT_TYPE)),
        Role::Event(category) => element.children.push(Element::annotation(CATEGORY).with("value-0", category)),
        _ => {}
    }
    element
}

fn field(of: &Field) -> Element {
    let mut element = Element::new("field").with("name", of.name).with("class", of.of);
    match of.shape {
        FieldShape::Plain => {}
        FieldShape::Constant => element = element.with("constantPool", true),
        FieldShape::Array => element = element.with("dimension", 1),
    }
    if !of.label.is_empty() {
        element.children.push(Element::annotation(LABEL).with("value", of.label));
    }
    if let Some((id, unit)) = of.content {
        element.children.push(Element::annotation(id).with("value", unit));
    }
    element
}

fn element(of: &Element, strings: &mut Strings, out: &mut Bytes) {
    out.number(strings.id(of.name));
    out.number(of.attributes.len() as u64);
    for (name, value) in &of.attributes {
        out.number(strings.id(name));
        out.number(strings.id(value));
    }
    out.number(of.children.len() as u64);
    of.children.iter().for_each(|child| element(child, strings, out));
}

#[derive(Default)]
struct Strings {
    ids: HashMap<String, u64>,
    written: Bytes,
}

impl Strings {
    fn id(&mut self, text: &str) -> u64 {
        if let Some(&known) = self.ids.get(text) {
            return known;
        }
        let id = self.ids.len() as u64;
        self.written.text(text);
        self.ids.insert(text.into(), id);
        id
    }
}
