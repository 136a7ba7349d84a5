import java.util.ArrayList;
import java.util.List;

/** Counted by JaCoCo, changed by Byteman's rules. */
public final class Covered {
    private static int told;

    private Covered() {}

    /** Called by a rule. */
    public static void told(String what) {
        told += what.length();
    }

    static int work(int n) {
        return other(n) * 2;
    }

    static int other(int n) {
        ArrayList<Integer> list = new ArrayList<>(List.of(n, n + 1));
        list.trimToSize();
        return list.stream().mapToInt(Integer::intValue).sum();
    }

    public static void main(String[] args) {
        int sum = 0;
        for (int i = 0; i < 150; i++) {
            try {
                sum += work(i);
            } catch (IllegalStateException e) {
                sum += 1000;
            }
        }
        System.out.println(sum + " " + told + " " + System.getProperty("trimmed"));
    }
}
