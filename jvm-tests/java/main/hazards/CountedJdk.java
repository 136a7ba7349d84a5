package hazards;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Makes the JDK allocate, and calls its methods, a known number of times, interpreted and compiled; prints what {@link Counted} would print. */
public final class CountedJdk {
    private static final int COUNT = 50_000;
    /** Bytes of a HashMap.Node, header and padding included. */
    private static final int NODE = 32;

    static volatile Object sink;

    private CountedJdk() {}

    static void makeNodes(Integer[] keys) {
        Map<Integer, Integer> map = new HashMap<>();
        for (Integer key : keys) map.put(key, key);
        sink = map;
    }

    static void makeElements(Integer[] keys) {
        List<Integer> list = new ArrayList<>();
        for (Integer key : keys) list.add(key);
        sink = list;
    }

    /** Boxes are made where the JIT may put code of its own: they are not counted. */
    static void makeBoxes(Integer[] keys) {
        for (int i = 0; i < keys.length; i++) keys[i] = Integer.valueOf(i);
    }

    public static void main(String[] args) {
        Integer[] keys = new Integer[COUNT];
        makeBoxes(keys);
        makeNodes(keys);
        makeElements(keys);
        System.out.println("alloc java.util.HashMap$Node main>makeNodes>put>putVal>newNode " + COUNT + " " + (long) COUNT * NODE);
        System.out.println("entry - main>makeElements>add " + COUNT + " " + COUNT);
        System.out.println("entry - main>makeElements>add>add " + COUNT + " " + COUNT);
    }
}
