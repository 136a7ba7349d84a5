package programs;

import groovy.lang.GroovyShell;

/** Groovy: compiles and runs a script with closures, builders, metaprogramming and collections. */
public final class Script {
    private static final String SOURCE = String.join("\n",
            "class Animal { String name; int legs; def methodMissing(String n, args) { \"$name ${n}s ${args.join(' ')}\" } }",
            "trait Loud { String shout() { name.toUpperCase() + '!' } }",
            "class Dog extends Animal implements Loud, Comparable<Dog> { int compareTo(Dog o) { name <=> o.name } ; boolean equals(o) { name == o?.name } ; int hashCode() { name.hashCode() } }",
            "def fib; fib = { n -> n < 2 ? n : fib(n - 1) + fib(n - 2) }",
            "def out = []",
            "def dogs = ['rex', 'ace', 'bob'].collect { new Dog(name: it, legs: 4) }",
            "out << dogs.sort()*.shout().join(',') << dogs[0].chase('the', 'cat') << dogs.max { it.name.hashCode() }.name",
            "out << fib(13) << (1..50).findAll { it % 3 == 0 }.inject(0) { a, b -> a + b }",
            "out << [a: 1, b: [2, 3]].collectEntries { k, v -> [k * 2, v instanceof List ? v.sum() : v] }",
            "String.metaClass.twice = { -> delegate * 2 }",
            "out << 'ab'.twice() << ('x'..'z').withIndex().groupBy { c, i -> i % 2 }.toString()",
            "try { null.foo() } catch (NullPointerException e) { out << 'npe' }",
            "try { out << [1, 2].nothing() } catch (MissingMethodException e) { out << e.method }",
            "def memo = { n -> n * n }.memoize(); out << (1..20).collect { memo(it % 5) }.sum()",
            "def curried = { a, b -> a * b }.curry(6) >> { it + 1 }; out << curried(7)",
            "def text = new StringBuilder(); (1..3).each { i -> text.with { append i; append '-' } }; out << text",
            "@groovy.transform.CompileStatic static int fast(int n) { int s = 0; for (int i = 0; i < n; i++) { s += i % 7 }; s }",
            "out << fast(5000) << (0..<200).collect { i -> \"${i}:${i % 3}\" }.findAll { it.endsWith('1') }.size()",
            "out.join('|')");

    private Script() {}

    public static void main(String[] args) {
        for (int round = 0; round < Integer.parseInt(args[0]); round++) {
            System.out.println(new GroovyShell().evaluate(SOURCE));
        }
    }
}
