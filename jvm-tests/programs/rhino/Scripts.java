import org.mozilla.javascript.Context;
import org.mozilla.javascript.Scriptable;

/** Rhino: a script with closures, generators, exceptions, regular expressions and calls of Java, compiled and interpreted. */
public final class Scripts {
    private static final String SOURCE = String.join("\n",
            "function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }",
            "function Point(x, y) { this.x = x; this.y = y; }",
            "Point.prototype.add = function(o) { return new Point(this.x + o.x, this.y + o.y); };",
            "var sum = new Point(0, 0);",
            "for (var i = 0; i < 300; i++) sum = sum.add(new Point(i, i * i));",
            "var list = new java.util.ArrayList();",
            "for (var j = 0; j < 200; j++) list.add('k' + (j * 37 % 101));",
            "java.util.Collections.sort(list, new java.util.Comparator({ compare: function(a, b) { return a < b ? -1 : a > b ? 1 : 0; } }));",
            "var caught = 0;",
            "for (var k = 0; k < 50; k++) { try { if (k % 3 == 0) throw new Error('e' + k); null.x; } catch (e) { caught += String(e).length; } }",
            "function counter() { for (var n = 0; n < 40; n++) yield n; }",
            "var total = 0; var g = counter(); try { while (true) total += g.next(); } catch (e) { }",
            "var text = ''; for (var m = 0; m < 60; m++) text += 'ab' + m; text = text.replace(/b(\\d)/g, function(s, d) { return d; });",
            "[fib(15), sum.x, sum.y, list.get(0), list.get(199), caught, total, text.length, JSON.stringify({ a: [1, { b: 2 }] })].join('|')");

    private Scripts() {}

    public static void main(String[] args) {
        for (int level : new int[] {-1, 0, 9}) {
            Context context = Context.enter();
            try {
                context.setLanguageVersion(Context.VERSION_1_8);
                context.setOptimizationLevel(level);
                Scriptable scope = context.initStandardObjects();
                System.out.println(Context.toString(context.evaluateString(scope, SOURCE, "script", 1, null)));
            } finally {
                Context.exit();
            }
        }
    }
}
