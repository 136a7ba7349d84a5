package bench.programs;

import bench.Digest;
import bench.Place;
import bench.Program;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.python.core.Py;
import org.python.core.PyObject;
import org.python.util.PythonInterpreter;

/** jython: a Python program, compiled once: classes, generators, closures, exceptions, strings, dictionaries, sorting, recursion. */
public final class Jython implements Program {
    private PyObject main;
    private String result;

    @Override
    public void prepare(Place place) throws Exception {
        Properties properties = new Properties();
        properties.setProperty("python.cachedir", place.folder("jython-cache").toString());
        properties.setProperty("python.cachedir.skip", "true");
        properties.setProperty("python.import.site", "false");
        properties.setProperty("python.console.encoding", "UTF-8");
        PythonInterpreter.initialize(System.getProperties(), properties, new String[0]);
        Path script = place.folder("jython").resolve("work.py");
        Files.writeString(script, SOURCE);
        PythonInterpreter interpreter = new PythonInterpreter();
        interpreter.execfile(script.toString());
        main = interpreter.get("main");
    }

    @Override
    public void iterate() {
        result = main.__call__(Py.newInteger(1)).toString();
    }

    @Override
    public long validate() {
        if (!result.startsWith("queens 40 ")) throw new IllegalStateException(result);
        return new Digest().add(result).value();
    }

    private static final String SOURCE = String.join("\n",
            "class Node(object):",
            "    def __init__(self, key):",
            "        self.key, self.left, self.right = key, None, None",
            "    def insert(self, key):",
            "        side = 'left' if key < self.key else 'right'",
            "        child = getattr(self, side)",
            "        if child is None: setattr(self, side, Node(key))",
            "        else: child.insert(key)",
            "    def __iter__(self):",
            "        if self.left:",
            "            for key in self.left: yield key",
            "        yield self.key",
            "        if self.right:",
            "            for key in self.right: yield key",
            "",
            "class Shape(object):",
            "    def area(self): raise NotImplementedError(self.name())",
            "    def name(self): return self.__class__.__name__",
            "class Square(Shape):",
            "    def __init__(self, side): self.side = side",
            "    def area(self): return self.side * self.side",
            "class Circle(Shape):",
            "    def __init__(self, radius): self.radius = radius",
            "    def area(self): return 314 * self.radius * self.radius // 100",
            "class Point(Shape): pass",
            "",
            "def queens(n, row=0, columns=(), sums=(), differences=()):",
            "    if row == n: return 1",
            "    count = 0",
            "    for c in range(n):",
            "        if c not in columns and row + c not in sums and row - c not in differences:",
            "            count += queens(n, row + 1, columns + (c,), sums + (row + c,), differences + (row - c,))",
            "    return count",
            "",
            "def random(seed):",
            "    while True:",
            "        seed = (seed * 1103515245 + 12345) % 2147483648",
            "        yield seed >> 8",
            "",
            "def tree():",
            "    source = random(3)",
            "    root = Node(next(source))",
            "    for i in range(600): root.insert(next(source))",
            "    return sum(i * key % 1009 for i, key in enumerate(root))",
            "",
            "def shapes():",
            "    total, failed = 0, []",
            "    for i in range(3000):",
            "        shape = [Square, Circle, Point][i % 3](*([i] if i % 3 < 2 else []))",
            "        try: total += shape.area()",
            "        except NotImplementedError as e: failed.append(str(e))",
            "    return total, len(failed)",
            "",
            "def text():",
            "    source, counts = random(5), {}",
            "    words = ['%s%d' % ('abcdefgh'[next(source) % 8] * 2, next(source) % 50) for i in range(3000)]",
            "    for word in ' '.join(words).upper().replace('A', 'xx').split(): counts[word] = counts.get(word, 0) + 1",
            "    best = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:20]",
            "    return ','.join('%s=%d' % item for item in best)",
            "",
            "def sieve(n):",
            "    composite = [False] * n",
            "    for i in range(2, n):",
            "        if not composite[i]:",
            "            for j in range(i * i, n, i): composite[j] = True",
            "    return composite.count(False) - 2",
            "",
            "def fannkuch(n):",
            "    best, p, count = 0, list(range(n)), list(range(1, n + 1))",
            "    while True:",
            "        q, flips = p[:], 0",
            "        while q[0]:",
            "            k = q[0]",
            "            q[:k + 1] = q[k::-1]",
            "            flips += 1",
            "        best = max(best, flips)",
            "        for r in range(1, n):",
            "            p.insert(r, p.pop(0))",
            "            count[r] -= 1",
            "            if count[r] > 0: break",
            "            count[r] = r + 1",
            "        else: return best",
            "",
            "def compose(*functions):",
            "    return reduce(lambda f, g: lambda x: f(g(x)), functions)",
            "",
            "def main(rounds):",
            "    chain = compose(*[lambda x, k=k: (x * k + 1) % 10007 for k in range(2, 22)])",
            "    for i in range(rounds):",
            "        out = ['queens', queens(7), tree(), shapes(), text(), sieve(12000), fannkuch(6), sum(map(chain, range(1500)))]",
            "    return ' '.join(map(str, out))",
            "");
}
