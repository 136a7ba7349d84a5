import com.sun.jna.Callback;
import com.sun.jna.Function;
import com.sun.jna.Library;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.util.Random;

/** JNA: the C library sorts by a comparator in Java, searches by another, and is called from within one. */
public final class Callbacks {
    private Callbacks() {}

    /** The C library. */
    public interface C extends Library {
        /** The library. */
        C INSTANCE = Native.load("c", C.class);

        /** Compares two places. */
        interface Comparator extends Callback {
            /** As of C. */
            int compare(Pointer a, Pointer b);
        }

        /** Sorts. */
        void qsort(Pointer base, long count, long size, Comparator comparator);

        /** Searches. */
        Pointer bsearch(Pointer key, Pointer base, long count, long size, Comparator comparator);

        /** An absolute value. */
        int abs(int n);
    }

    private static int depth;

    private static int byValue(Pointer a, Pointer b) {
        return Integer.compare(C.INSTANCE.abs(a.getInt(0)), C.INSTANCE.abs(b.getInt(0)));
    }

    private static int nested(Pointer a, Pointer b) {
        if (depth < 2) {
            depth++;
            Memory few = filled(4, 3);
            C.INSTANCE.qsort(few, 4, 4, Callbacks::nested);
            depth--;
        }
        return byValue(a, b);
    }

    private static Memory filled(int count, long seed) {
        Memory memory = new Memory(4L * count);
        Random random = new Random(seed);
        for (int i = 0; i < count; i++) memory.setInt(4L * i, random.nextInt(1000) - 500);
        return memory;
    }

    public static void main(String[] args) throws Exception {
        Memory memory = filled(500, 1);
        C.INSTANCE.qsort(memory, 500, 4, Callbacks::byValue);
        System.out.println(memory.getInt(0) + " " + memory.getInt(4 * 250) + " " + memory.getInt(4 * 499));
        Memory few = filled(12, 2);
        C.INSTANCE.qsort(few, 12, 4, Callbacks::nested);
        System.out.println(few.getInt(0) + " " + few.getInt(44));
        System.out.println(C.INSTANCE.bsearch(memory.share(4 * 77), memory, 500, 4, Callbacks::byValue) != null);
        int[] thrown = {0};
        Native.setCallbackExceptionHandler((callback, e) -> thrown[0]++);
        C.INSTANCE.qsort(filled(30, 3), 30, 4, (a, b) -> {
            throw new IllegalStateException("out of a callback");
        });
        System.out.println(thrown[0] > 0);
        Thread thread = new Thread(() -> C.INSTANCE.qsort(filled(60, 4), 60, 4, Callbacks::byValue));
        thread.start();
        thread.join();
        System.out.println(Function.getFunction("c", "abs").invokeInt(new Object[] {-3}));
    }
}
