package hazards;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Spliterators;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Callbacks out of JDK code: comparators, streams, forEach, and element methods with the name and descriptor of the call. */
public final class Callbacks {
    static int calls;

    private Callbacks() {}

    static int leaf(int n) {
        calls++;
        if (calls % 7 == 0) {
            Check.here();
        }
        return n;
    }

    /** Every method that collections call on elements. */
    static final class Element implements Comparable<Element> {
        final int id;

        Element(int id) {
            this.id = id;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Element && leaf(id) == leaf(((Element) other).id);
        }

        @Override
        public int hashCode() {
            return leaf(id % 5);
        }

        @Override
        public String toString() {
            return "e" + leaf(id);
        }

        @Override
        public int compareTo(Element other) {
            return Integer.compare(leaf(id), leaf(other.id));
        }
    }

    /** A comparator of the application under one of the JDK under one of the application. */
    static final class ById implements Comparator<Element> {
        @Override
        public int compare(Element a, Element b) {
            return leaf(a.id) - leaf(b.id);
        }

        @Override
        public Comparator<Element> reversed() {
            leaf(1);
            return Comparator.super.reversed();
        }
    }

    static List<Element> elements(int n) {
        List<Element> list = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            list.add(new Element(i * 7 % n));
        }
        return list;
    }

    static void comparators() {
        List<Element> list = elements(20);
        Comparator<Element> byId = new ById();
        list.sort(byId);
        list.sort(byId.reversed());
        list.sort(Collections.reverseOrder(byId));
        list.sort(Comparator.reverseOrder());
        list.sort(Comparator.<Element, Integer>comparing(e -> leaf(e.id % 3)).thenComparing(byId).thenComparing(Comparator.naturalOrder()));
        list.sort(Comparator.nullsFirst(byId.thenComparing(e -> leaf(e.id))));
        Collections.sort(list);
        Check.equal(3, Collections.binarySearch(list, new Element(3), byId));
        TreeMap<Element, Integer> map = new TreeMap<>(byId);
        PriorityQueue<Element> queue = new PriorityQueue<>();
        for (Element e : list) {
            map.merge(e, leaf(1), (a, b) -> leaf(a + b));
            queue.add(e);
        }
        Check.equal(0, queue.poll().id);
        Check.equal(20, map.headMap(new Element(99)).size());
        Check.here();
    }

    static void elementMethods() {
        List<Element> a = elements(6);
        List<Element> b = elements(6);
        for (int i = 0; i < 3; i++) {
            Check.equal(true, a.equals(b));
            Check.here();
            Check.equal(a.hashCode(), b.hashCode());
            Check.equal("[e0, e1, e2, e3, e4, e5]", a.toString());
            Check.here();
            Check.equal(4, a.indexOf(new Element(4)));
            Check.equal(true, a.containsAll(b));
            Check.equal(true, Arrays.asList(a, b).equals(Arrays.asList(b, a)));
            Check.equal(true, Arrays.deepEquals(new Object[] {a.toArray()}, new Object[] {b.toArray()}));
            Check.equal("{[e0, e1, e2, e3, e4, e5]=[e0, e1, e2, e3, e4, e5]}", Map.of(a, b).toString());
        }
        Map<Object, Integer> map = new HashMap<>();
        for (int i = 0; i < 10; i++) {
            map.computeIfAbsent(new Element(i), k -> leaf(k.hashCode()) + map.size() * 0);
            map.computeIfPresent(new Element(i / 2), (k, v) -> leaf(v + 1));
            map.merge(a, 1, (x, y) -> leaf(x + y));
        }
        map.replaceAll((k, v) -> leaf(v));
        map.forEach((k, v) -> leaf(v));
        map.keySet().removeIf(k -> k.equals(new Element(3)));
        Check.equal(10, map.size());
        Check.equal(10, new HashSet<>(map.keySet()).size());
        Check.equal(true, map.equals(new HashMap<>(map)));
        Check.equal("e1", String.valueOf(new Element(1)));
        Check.equal("e1e2", new StringBuilder().append(new Element(1)).append(new Element(2)).toString());
        Check.equal("e1, e2", String.join(", ", new Element(1).toString(), new Element(2).toString()));
        Check.equal("e1-e2", String.format("%s-%s", new Element(1), new Element(2)));
        Check.here();
    }

    static int streams() {
        int sum = Stream.of(5, 3, 8, 1).map(n -> leaf(n + 1)).filter(n -> leaf(n) > 2).sorted(Comparator.comparing(n -> leaf(-n))).mapToInt(n -> leaf(n)).sum();
        sum += IntStream.range(0, 10).flatMap(n -> IntStream.range(0, leaf(n)).map(Callbacks::leaf)).sum();
        Map<Integer, List<Element>> groups = elements(12).stream().collect(Collectors.groupingBy(e -> leaf(e.id % 3), TreeMap::new, Collectors.toList()));
        sum += groups.values().stream().mapToInt(l -> l.stream().mapToInt(e -> leaf(e.id)).sum()).sum();
        sum += Stream.iterate(1, n -> leaf(n * 2)).limit(8).reduce(0, (x, y) -> leaf(x + y));
        sum += elements(5).stream().distinct().map(Element::toString).collect(Collectors.joining()).length();
        Iterator<Integer> lazy = Stream.generate(() -> leaf(3)).peek(Callbacks::leaf).iterator();
        sum += lazy.next() + lazy.next();
        sum += (int) StreamSupport.stream(Spliterators.spliteratorUnknownSize(new Counting(9), 0), false).filter(n -> leaf(n) % 2 == 0).count();
        Check.here();
        return sum;
    }

    /** An iterator of the application that JDK code drives: forEachRemaining calls hasNext and next. */
    static final class Counting implements Iterator<Integer>, Iterable<Integer> {
        private final int end;
        private int at;

        Counting(int end) {
            this.end = end;
        }

        @Override
        public boolean hasNext() {
            return leaf(at) < end;
        }

        @Override
        public Integer next() {
            return leaf(at++);
        }

        @Override
        public Iterator<Integer> iterator() {
            return new Counting(end);
        }
    }

    static int forEach() {
        int[] sum = new int[1];
        elements(9).forEach(e -> sum[0] += leaf(e.id));
        List.of(1, 2, 3).forEach(n -> List.of(n, n).forEach(m -> sum[0] += leaf(m)));
        new Counting(5).forEach(n -> sum[0] += leaf(n));
        new Counting(5).forEachRemaining(n -> sum[0] += leaf(n));
        Map.of("a", 1).forEach((k, v) -> sum[0] += leaf(v));
        List<Element> list = elements(9);
        list.removeIf(e -> leaf(e.id) > 4);
        list.replaceAll(e -> new Element(leaf(e.id + 1)));
        list.iterator().forEachRemaining(e -> sum[0] += e.id);
        Check.here();
        return sum[0];
    }

    /** An exception out of a callback, through JDK frames, into instrumented code. */
    static int thrown() {
        int caught = 0;
        for (int i = 0; i < 4; i++) {
            int at = i;
            try {
                elements(6).forEach(e -> {
                    if (leaf(e.id) == at) {
                        throw new IllegalStateException();
                    }
                });
            } catch (IllegalStateException e) {
                caught += leaf(1);
            }
            leaf(2);
            Check.here();
        }
        return caught;
    }

    public static void main(String[] args) {
        int sum = 0;
        for (int round = 0; round < 10; round++) {
            comparators();
            elementMethods();
            sum += streams() + forEach() + thrown();
        }
        System.out.println(sum + " " + calls);
        Check.done("Callbacks");
    }
}
