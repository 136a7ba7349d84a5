package hazards;

import agents.Retransformer;
import hazards.plain.Plain;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * Constructors that call nothing, and those of subclasses: loaded before and behind them, by other loaders that have a class of the same name,
 * and when they begin to call something. {@code java.lang.Math} becomes {@link Louder} there.
 */
public final class Supers {
    private Supers() {}

    public static class Base {
        protected final int field;

        public Base() {
            this(-1);
        }

        protected Base(int n) {
            field = Math.abs(n);
        }

        protected Base(int[] numbers) {
            this(numbers.length);
        }
    }

    /** The first subclass, which is being loaded before its superclass. */
    public static class First extends Base {}

    public static class Second extends Base {
        static int made;

        public Second() {
            made++;
        }

        protected Second(int n) {
            super(n);
        }
    }

    public static class Third extends Second {
        private final int more = leaf(field);

        public Third() {
            super(3);
            Check.here();
        }

        public Third(int n) {
            super(leaf(n));
        }
    }

    public static final class Fourth extends Third {
        static final int INITIAL = leaf(7);

        @Override
        public String toString() {
            Check.here();
            return "" + new Base(INITIAL).field + new Second().field;
        }
    }

    /** Throws before, in and behind the constructor of its superclass. */
    public static final class Failing extends Base {
        public Failing(int[] numbers) {
            super(numbers);
            leaf(numbers[1]);
        }

        public Failing(Object number) {
            super((Integer) number);
            throw new IllegalStateException(leaf(field) + "");
        }
    }

    /** Its superclass's constructor fails behind a call in the argument. */
    public static final class Empty extends Base {
        public Empty() {
            super(nothing());
        }
    }

    /** The same of one of the JDK's. */
    public static final class Negative extends ArrayList<Object> {
        public Negative() {
            super(below());
        }
    }

    /** And of one of its own. */
    public static final class Own extends Base {
        private Own(int[] numbers) {
            super(numbers);
        }

        public Own() {
            this(nothing());
        }
    }

    /** Not loaded until the constructors call something. */
    public static final class Late extends Second {}

    public static int leaf(int n) {
        Check.here();
        return n + 1;
    }

    /** Do these go on behind their early return? */
    private static final AtomicBoolean ON = new AtomicBoolean();

    static int[] nothing() {
        if (!ON.get()) {
            return null;
        }
        Check.here();
        return null;
    }

    static int below() {
        if (!ON.get()) {
            return -1;
        }
        Check.here();
        return -1;
    }

    /** What fails behind an argument's call leaves that call's site to nobody: not to what code without hooks calls next. */
    static void behind() {
        behind(Empty::new, Supers::nothing);
        behind(Negative::new, Supers::below);
        behind(Own::new, Supers::nothing);
    }

    static void behind(Runnable failing, Runnable next) {
        for (boolean on : new boolean[] {true, false}) {
            ON.set(on);
            Plain.bothRun(failing, ON, next);
        }
    }

    static int failing(Supplier<Object> made) {
        leaf(0);
        try {
            return made.get().hashCode();
        } catch (RuntimeException e) {
            Check.here();
            return leaf(e.getClass().getName().length());
        }
    }

    static int round() {
        int sum = leaf(1) + new First().field;
        behind();
        sum += new Second().field + leaf(2) + new Third().more + new Third(sum).field;
        sum += new Fourth().toString().length() + leaf(3);
        Supplier<Base> supplier = Second::new;
        sum += supplier.get().field + leaf(4);
        sum += failing(() -> new Failing((int[]) null)) + failing(() -> new Failing(new int[0])) + failing(() -> new Failing("1")) + failing(() -> new Failing((Object) 2));
        return sum + new Base(5).field + leaf(5);
    }

    /** The class with constructors that call something. */
    static byte[] loud() throws IOException {
        return Retransformer.changed(Base.class, "java/lang/Math", "hazards/Louder");
    }

    /** Subclasses in loaders of their own: with the same superclass, and with another of its name. */
    static int elsewhere() throws Exception {
        int sum = 0;
        for (boolean own : new boolean[] {false, true}) {
            Bytes loader = new Bytes();
            if (own) {
                loader.define("hazards.Supers$Base", loud());
            }
            Class<?> second = loader.copy("hazards.Supers$Second");
            Class<?> third = loader.copy("hazards.Supers$Third");
            for (int i = 0; i < 3; i++) {
                sum += second.getConstructor().newInstance().getClass().getName().length() + leaf(6);
                sum += third.getConstructor(int.class).newInstance(i).getClass().getName().length() + leaf(7);
            }
        }
        return sum;
    }

    public static void main(String[] args) throws Exception {
        int sum = 0;
        for (int i = 0; i < 50; i++) {
            sum += round();
        }
        sum += elsewhere();
        Retransformer.redefine(Base.class, loud());
        // What called nothing when it was loaded has no hooks, and is told as code without any.
        Set<String> quiet = Set.of("hazards.Supers$Second");
        Check.changed = (type, method) -> method.equals("<init>") && quiet.contains(type);
        for (int i = 0; i < 50; i++) {
            sum += round() + new Late().field;
        }
        System.out.println(sum + " " + Second.made);
        Check.done("Supers");
    }
}
