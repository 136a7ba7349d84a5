import java.util.function.IntBinaryOperator;
import org.graalvm.polyglot.Context;
import org.graalvm.polyglot.HostAccess;
import org.graalvm.polyglot.PolyglotException;
import org.graalvm.polyglot.Value;

/** GraalJS: closures, generators, proxies and promises, objects that cross between the languages, errors that do so, too. */
public final class Scripts {
    private Scripts() {}

    /** Called by scripts. */
    public static final class Host {
        /** Throws for some. */
        public int divide(int a, int b) {
            return a / b;
        }
    }

    public static void main(String[] args) {
        try (Context context = Context.newBuilder("js").allowHostAccess(HostAccess.ALL).build()) {
            context.getBindings("js").putMember("host", new Host());
            System.out.println(context.eval("js", String.join("\n",
                    "function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) }",
                    "function* gen() { for (let i = 0; i < 30; i++) yield i * i }",
                    "class A { constructor(x) { this.x = x } get y() { return this.x * 2 } }",
                    "let caught = 0; for (let i = 0; i < 20; i++) { try { host.divide(5, i % 4) } catch (e) { caught++ } }",
                    "const p = new Proxy({}, { get: (t, k) => k + '!' });",
                    "let m = new Map(); for (let i = 0; i < 50; i++) m.set('k' + i % 7, [...(m.get('k' + i % 7) || []), i]);",
                    "[fib(12), [...gen()].reduce((a, b) => a + b), new A(4).y, caught, p.hello, m.get('k3').length, 'a-b-c'.replace(/-(\\w)/g, (_, c) => c.toUpperCase())].join('|')")));
            Value add = context.eval("js", "(a, b) => a + b");
            IntBinaryOperator operator = add.as(IntBinaryOperator.class);
            int sum = 0;
            for (int i = 0; i < 100; i++) sum = operator.applyAsInt(sum, i);
            System.out.println(sum);
            StringBuilder said = new StringBuilder();
            context.getBindings("js").putMember("say", (java.util.function.Consumer<Object>) said::append);
            context.eval("js", "(async () => { for (let i = 0; i < 5; i++) { await null; say(i) } })()");
            System.out.println(said);
            try {
                context.eval("js", "function deep(n) { if (n == 0) throw new RangeError('bottom'); deep(n - 1) } deep(40)");
            } catch (PolyglotException e) {
                System.out.println(e.getMessage() + " " + e.isGuestException());
            }
        }
    }
}
