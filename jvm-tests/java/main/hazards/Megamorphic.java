package hazards;

/**
 * One call site with as many targets as the first argument says, each a class of its own, called in as many rounds as the second says, along two
 * paths. Nothing but the call itself tells the targets apart.
 */
public final class Megamorphic {
    private Megamorphic() {}

    public interface Target {
        int call(int n);
    }

    public interface Work {
        int run(int n);
    }

    /** Has no call, so no hooks. */
    static final class Leaf implements Work {
        @Override
        public int run(int n) {
            return n + 1;
        }
    }

    public static final Work LEAF = new Leaf();

    /** Copied into each loader. */
    public static final class Receiver implements Target {
        @Override
        public int call(int n) {
            return LEAF.run(n);
        }
    }

    static int site(Target target, int n) {
        return target.call(n);
    }

    static int one(Target target, int n) {
        return site(target, n);
    }

    static int other(Target target, int n) {
        return site(target, n) + 1;
    }

    public static void main(String[] args) throws Exception {
        Target[] targets = new Target[Integer.parseInt(args[0])];
        for (int i = 0; i < targets.length; i++) {
            targets[i] = (Target) new Bytes().copy("hazards.Megamorphic$Receiver").getDeclaredConstructor().newInstance();
        }
        long sum = 0;
        for (int round = Integer.parseInt(args[1]); round > 0; round--) {
            for (Target target : targets) sum += one(target, round) + other(target, round);
        }
        System.out.println(sum);
    }
}
