package hazards;

import java.util.HashMap;

/** A recursion, to be changed by another agent behind Lucce. */
public final class Traced {
    static final HashMap<Integer, Integer> MAP = new HashMap<>();

    private Traced() {}

    static int work(int n) {
        MAP.merge(n, 1, Integer::sum);
        return n == 0 ? other() : work(n - 1) + n;
    }

    static int other() {
        return MAP.merge(77, 1, Integer::sum) & 1;
    }

    public static void main(String[] args) {
        long sum = 0;
        for (int i = 0; i < 20_000; i++) sum += work(i % 30) + other();
        System.out.println(sum);
    }
}
