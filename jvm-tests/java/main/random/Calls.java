package random;

/** Plain calls of all kinds: static, virtual, interface, special, synchronized, recursive, by switch and loop. */
class Calls implements Act {
    static int any(Tape t) {
        Act act = act(t);
        switch (t.next(14)) {
            case 0:
                return act.go(t);
            case 1:
                return act.again(t);
            case 2:
                return Act.twice(act, t);
            case 3:
                return loop(t, 1 + t.next(3));
            case 4:
                return down(t, t.next(9));
            case 5:
                return even(t, t.next(7));
            case 6:
                return shared(t) + ((Calls) new More()).own(t);
            case 7:
                return t.one(25) ? overflow() : Steps.step(t);
            case 8:
                return wide(t, 1, 2L, 3f, 4d, "five", new int[] {6}, 'c', (byte) 8);
            case 9:
                return (int) ratio(t) + (int) number(t);
            case 10:
                return rare(t);
            case 11:
                return outer(act, act(t), t);
            case 12:
                return back(t);
            default:
                return act(t).go(t) + act(t).go(t);
        }
    }

    static Act act(Tape t) {
        switch (t.next(5)) {
            case 0:
                return new Calls();
            case 1:
                return new More();
            case 2:
                return new Most();
            case 3:
                return Between.act(t);
            default:
                return Callbacks.act(t);
        }
    }

    @Override
    public int go(Tape t) {
        return Steps.step(t) + 1;
    }

    int own(Tape t) {
        return go(t) + hidden(t);
    }

    private int hidden(Tape t) {
        return Steps.step(t);
    }

    static int loop(Tape t, int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += i % 2 == 0 ? Steps.step(t) : leaf(i);
            synchronized (t) {
                sum ^= Steps.step(t);
            }
        }
        return sum;
    }

    /** Begins with a loop whose head is its first instruction. */
    static int back(Tape t) {
        do {
            Steps.step(t);
        } while (t.one(2));
        return leaf(3);
    }

    static int leaf(int n) {
        return n * 3;
    }

    static int down(Tape t, int n) {
        return n == 0 ? Steps.step(t) : t.one(5) ? down(t, n - 1) + down(t, n - 1) : down(t, n - 1);
    }

    static int even(Tape t, int n) {
        return n == 0 ? Steps.step(t) : odd(t, n - 1);
    }

    static int odd(Tape t, int n) {
        return n == 0 ? Steps.step(t) + 1 : t.one(4) ? odd(t, n - 1) : even(t, n - 1);
    }

    static synchronized int shared(Tape t) {
        return Steps.held(t);
    }

    static int wide(Tape t, int a, long b, float c, double d, String e, int[] f, char g, byte h) {
        return t.one(2) ? a + Steps.step(t) + (int) b : (int) (c + d) + e.length() + Steps.step(t) + f[0] + g + h;
    }

    static double ratio(Tape t) {
        return Steps.step(t) / 2.0;
    }

    static long number(Tape t) {
        return (long) ratio(t) + Steps.step(t);
    }

    static int rare(Tape t) {
        Plainly plainly = new Plainly.Direct();
        long sum = 0;
        for (int i = 0; i < 3; i++) {
            sum += plainly.rarely(t, i) + plainly.after(t);
            if (t.one(6)) {
                plainly = new random.plain.Late(plainly);
            }
        }
        return (int) sum;
    }

    static int outer(Act one, Act other, Tape t) {
        int sum = 0;
        for (Act act : t.one(2) ? new Act[] {one, other, one} : new Act[] {other, other}) {
            sum += act.go(t);
        }
        return sum;
    }

    /** On a small stack of its own, for the programs themselves must never overflow theirs. */
    static int overflow() {
        int[] result = {0};
        Thread thread = new Thread(null, () -> result[0] = deep(0), "overflow", 192 << 10);
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return result[0];
    }

    /** To the end of the stack and back, without the tape: how deep that is may differ. */
    static int deep(int n) {
        if (n > 0) {
            return 1 + (n % 3 == 0 ? through(n) : deep(n + 1));
        }
        try {
            return deep(1) * 0;
        } catch (StackOverflowError e) {
            return leaf(1) + Steps.initial(2) * 0;
        }
    }

    private static int through(int n) {
        int[] result = {0};
        java.util.Collections.singletonList(n).forEach(i -> result[0] = deep(i + 1));
        return result[0];
    }

    static class More extends Calls {
        @Override
        public int go(Tape t) {
            return super.go(t) + leaf(2);
        }

        @Override
        public synchronized int again(Tape t) {
            return super.again(t) + go(t);
        }
    }

    static final class Most extends More {
        @Override
        public int go(Tape t) {
            return t.one(2) ? super.go(t) : Steps.step(t);
        }

        @Override
        int own(Tape t) {
            return super.own(t) - Steps.step(t);
        }
    }
}
