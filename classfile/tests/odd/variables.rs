//! Tables of local variables: those that the method does not have, and entries that become one.

use super::STATIC;
use crate::common::{Body, Class, hooked, view, wrong};

/// The bytes of a table of variables.
pub fn table_of(entries: &[[u16; 5]]) -> Vec<u8> {
    let parts = entries.iter().flatten().copied();
    [entries.len() as u16].into_iter().chain(parts).flat_map(u16::to_be_bytes).collect()
}

/// 0 iconst_0; 1 istore_0; 2 invokestatic; 5 return, with two locals and these tables of variables,
/// of an int, a long and generic types: what is found to be wrong with the method.
fn with_variables(variables: &[(u16, u16, char, u16)], types: &[(u16, u16, u16)]) -> Option<&'static str> {
    let mut class = Class::new(52);
    let [high, low] = class.member(10, "Other", "run", "()V").to_be_bytes();
    let (x, int, long) = (class.utf8("x"), class.utf8("I"), class.utf8("J"));
    let desc = |kind| if kind == 'J' { long } else { int };
    let variables: Vec<_> = variables.iter().map(|&(start, len, kind, at)| [start, len, x, desc(kind), at]).collect();
    let types: Vec<_> = types.iter().map(|&(start, len, at)| [start, len, x, long, at]).collect();
    let attributes = vec![("LocalVariableTable", table_of(&variables)), ("LocalVariableTypeTable", table_of(&types))];
    let code = vec![3, 59, 184, high, low, 177];
    class.method(STATIC, "m", "()V", Body { max_stack: 1, max_locals: 2, code, attributes, ..Body::default() });
    wrong(&class.bytes())
}

/// The JVM takes no such tables, and more code and more locals would make them such as it takes.
#[test]
fn variables_that_the_method_does_not_have_leave_it_alone() {
    assert_eq!(with_variables(&[(0, 6, 'J', 0), (0, 6, 'I', 1), (5, 1, 'I', 0)], &[]), None);
    for one in [(0, 6, 'J', 1), (0, 6, 'I', 2), (6, 0, 'I', 0)] {
        assert_eq!(with_variables(&[one], &[]), Some("local variable"), "{one:?}");
    }
    assert_eq!(with_variables(&[(0, 6, 'I', 1)], &[(0, 6, 1)]), None);
    assert_eq!(with_variables(&[], &[(0, 6, 2)]), Some("local variable"));
    // Only where the return was are both one range.
    for (variable, generic) in [(3, 4), (4, 3)] {
        let found = with_variables(&[(2, variable, 'I', 1)], &[(2, generic, 1)]);
        assert_eq!(found, Some("local variable"), "{variable}");
    }
}

/// 0 iconst_0; 1 istore_0; 2 invokestatic; 5 return, which goes into the exit: what ended before it
/// ends now where the code does. Of two entries the JVM knows apart by their lengths alone the
/// longer is left; two that it does not know apart stay as they are.
#[test]
fn two_entries_of_one_variable_that_become_one_are_written_once() {
    for name in ["LocalVariableTable", "LocalVariableTypeTable"] {
        for (tables, left) in [
            (&[&[(2, 3), (2, 4)][..]][..], &[1][..]),
            (&[&[(2, 4), (2, 3)]], &[1]),
            (&[&[(2, 3)], &[(2, 4)]], &[0, 1]),
            (&[&[(2, 4)], &[(2, 3)]], &[1, 0]),
            (&[&[(2, 3), (0, 5), (0, 6), (2, 4), (3, 2)]], &[3]),
            (&[&[(2, 3), (2, 4), (2, 4)]], &[2]),
            (&[&[(2, 3), (2, 3)]], &[2]),
            (&[&[(2, 3), (0, 5)]], &[2]),
        ] {
            let mut class = Class::new(52);
            let [high, low] = class.member(10, "Other", "run", "()V").to_be_bytes();
            let (x, desc) = (class.utf8("x"), class.utf8("I"));
            let table = |entries: &&[(u16, u16)]| {
                let entries: Vec<_> = entries.iter().map(|&(start, len)| [start, len, x, desc, 0]).collect();
                table_of(&entries)
            };
            // Each entry of generic types must be one of the others as well.
            let others = tables.iter().filter(|_| name != "LocalVariableTable");
            let others = others.map(|entries| ("LocalVariableTable", table(entries)));
            let attributes = others.chain(tables.iter().map(|entries| (name, table(entries)))).collect();
            let code = vec![3, 59, 184, high, low, 177];
            class.method(STATIC, "m", "()V", Body { max_stack: 1, max_locals: 1, code, attributes, ..Body::default() });
            let view = view(&hooked(&class.bytes()).bytes);
            let written = view.code[0].attributes.iter().filter(|attribute| attribute.0 == name);
            let counts: Vec<_> = written
                .map(|(_, table)| {
                    assert_eq!(table.len(), 2 + 10 * usize::from(table[1]));
                    table[1]
                })
                .collect();
            assert_eq!(counts, left, "{name} {tables:?}");
        }
    }
}
