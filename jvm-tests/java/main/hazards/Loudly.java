package hazards;

import agents.Retransformer;

/**
 * A method that calls nothing, until its class is redefined: an activation of the old code publishes nothing before one of its calls of it, and
 * has published for another just before. {@code java.lang.Math} becomes {@link Louder}.
 */
public final class Loudly {
    private Loudly() {}

    interface Calm {
        int calm(int n);
    }

    static final class Body implements Calm {
        private final int field = 3;

        @Override
        public int calm(int n) {
            if (n == 0) {
                return field;
            }
            return Math.abs(n);
        }

        /** Which method an interface's call enters is not known from this class; every other round it returns at once, and leaves what was published. */
        static int both(Calm open, Body bound, boolean change) throws Exception {
            int sum = open.calm(1) + bound.calm(2);
            if (change) {
                Retransformer.redefine(Body.class, Retransformer.changed(Body.class, "java/lang/Math", "hazards/Louder"));
            }
            for (int i = 1; i < 9; i++) {
                sum += open.calm(i & 1);
                sum += bound.calm(4);
            }
            return sum;
        }
    }

    public static void main(String[] args) throws Exception {
        Check.obsolete = true;
        Body body = new Body();
        int sum = 0;
        for (int i = 0; i < 6; i++) {
            sum += Body.both(body, body, i == 2);
        }
        System.out.println(sum);
        Check.done("Loudly");
    }
}
