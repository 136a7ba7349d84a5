package bench.rewriting;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.objectweb.asm.Label;

/** What is kept of a method, so that its numbers, and the JVM's stack walks, can be read later. */
final class Tables {
    final int method;
    final List<Site> sites = new ArrayList<>();
    /** Where what was inserted begins and ends, and the old index of the instruction that it belongs to. */
    private final List<Label> places = new ArrayList<>();
    private int[] originals = new int[16];
    /** Old index and line. */
    private int[] lines = new int[16];
    private int entries;
    /** New and old index, where one of them goes on otherwise than the other. */
    int[] map;

    /** A call that has a number. */
    static final class Site {
        final int id, bci, line, opcode;
        final String owner, name, desc;

        Site(int id, int bci, int line, int opcode, String owner, String name, String desc) {
            this.id = id;
            this.bci = bci;
            this.line = line;
            this.opcode = opcode;
            this.owner = owner;
            this.name = name;
            this.desc = desc;
        }
    }

    Tables(int method) {
        this.method = method;
    }

    void place(Label label, int original) {
        if (places.size() == originals.length) originals = Arrays.copyOf(originals, 2 * originals.length);
        originals[places.size()] = original;
        places.add(label);
    }

    void line(int original, int line) {
        if (entries == lines.length) lines = Arrays.copyOf(lines, 2 * lines.length);
        lines[entries++] = original << 16 | line;
    }

    /** Once the class is written: before, labels have no place. */
    void close() {
        map = new int[places.size()];
        for (int i = 0; i < map.length; i++) map[i] = places.get(i).getOffset() << 16 | originals[i];
        lines = Arrays.copyOf(lines, entries);
    }
}
