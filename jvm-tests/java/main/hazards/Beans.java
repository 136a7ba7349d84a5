package hazards;

import java.util.stream.IntStream;

/** Objects made by the JDK for the program, deep in a stack, whose constructors allocate before {@code super(...)} has returned. */
public final class Beans {
    private Beans() {}

    static class Base {
        int[] numbers = new int[3];

        Base() {
            more();
        }

        final void more() {
            numbers = new int[4];
        }
    }

    public static final class Bean extends Base {
        final long[] own;

        public Bean() {
            own = new long[2];
        }

        Bean(int number) {
            this();
            own[0] = number;
        }
    }

    static long made(int depth) throws ReflectiveOperationException {
        if (depth > 0) {
            return made(depth - 1);
        }
        long length = IntStream.range(0, 200).mapToObj(Bean::new).mapToLong(bean -> bean.numbers.length).sum();
        for (int bean = 0; bean < 200; bean++) {
            length += Bean.class.getConstructor().newInstance().own.length;
        }
        return length;
    }

    public static void main(String[] args) throws ReflectiveOperationException {
        System.out.println(made(200));
    }
}
