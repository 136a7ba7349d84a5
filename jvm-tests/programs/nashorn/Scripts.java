import javax.script.Invocable;
import javax.script.ScriptEngine;
import org.openjdk.nashorn.api.scripting.NashornScriptEngineFactory;

/** Nashorn: call sites that it links anew as types change, adapters of Java interfaces, exceptions through both worlds. */
public final class Scripts {
    private static final String SOURCE = String.join("\n",
            "function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }",
            "function poly(x) { return x + x; }",
            "var out = [fib(16), poly(2), poly('a'), poly(1.5), poly([1])];",
            "var list = new java.util.ArrayList(); for (var i = 0; i < 100; i++) list.add((i * 37) % 101);",
            "java.util.Collections.sort(list, function(a, b) { return b - a; }); out.push(list[0]);",
            "out.push(list.stream().filter(function(x) { return x % 2 == 0; }).mapToInt(function(x) { return x; }).sum());",
            "var caught = 0; for (var k = 0; k < 60; k++) { try { k % 2 ? null.x : java.lang.Integer.parseInt('x' + k); } catch (e) { caught++; } } out.push(caught);",
            "var R = Java.extend(java.lang.Runnable, { run: function() { out.push('ran'); } }); var t = new java.lang.Thread(new R()); t.start(); t.join();",
            "function apply(f, x) { return f(x); }",
            "out.join('|')");

    private Scripts() {}

    public static void main(String[] args) throws Exception {
        ScriptEngine engine = new NashornScriptEngineFactory().getScriptEngine("--optimistic-types=true");
        System.out.println(engine.eval(SOURCE));
        Comparable<Object> called = o -> o.hashCode();
        engine.put("called", called);
        System.out.println(engine.eval("var s = 0; for (var i = 0; i < 100; i++) s += called.compareTo('x' + i); s"));
        System.out.println(((Invocable) engine).invokeFunction("fib", 12));
    }
}
