package hazards;

import java.util.ArrayList;
import java.util.List;

/** Static initialisers triggered by every instruction that can: each calls on, and so does the code behind it. */
public final class StaticInit {
    static final List<String> ORDER = new ArrayList<>();

    private StaticInit() {}

    static int ran(String name) {
        ORDER.add(name);
        Check.here();
        return name.length();
    }

    static class ByNew {
        static final int VALUE = ran("new");

        ByNew() {
            Check.here();
        }
    }

    static class ByGet {
        static int value = ran("getstatic");
    }

    static class ByPut {
        static int value = ran("putstatic");
    }

    static class ByCall {
        static final int VALUE = ran("invokestatic");

        static int call() {
            Check.here();
            return VALUE;
        }
    }

    static class Parent {
        static final int VALUE = ran("parent");
    }

    interface WithDefault {
        int VALUE = ran("interface");

        default void unused() {}
    }

    static class Child extends Parent implements WithDefault {
        static final int OWN = ran("child");

        Child() {
            Check.here();
        }
    }

    static class ByReflection {
        static final int VALUE = ran("forName");
    }

    static class ByLambda {
        static final int VALUE = ran("method reference");

        static void target() {
            Check.here();
        }
    }

    static class Failing {
        static final int VALUE = explode();

        static int explode() {
            ran("failing");
            throw new IllegalStateException("initialiser");
        }
    }

    static class CycleA {
        static final int VALUE = ran("cycle a") + CycleB.VALUE;
    }

    static class CycleB {
        static final int VALUE = ran("cycle b") + CycleA.VALUE;
    }

    static class Chain1 {
        static final int VALUE = Chain2.next() + 1;
    }

    static class Chain2 {
        static final Chain3 THREE = new Chain3();

        static int next() {
            Check.here();
            return THREE.value;
        }
    }

    static class Chain3 {
        static final int DEEP = ran("chain");
        final int value = Chain4.VALUES.length;
    }

    enum Chain4 {
        ONE,
        TWO;

        static final Chain4[] VALUES = values();

        Chain4() {
            Check.here();
        }
    }

    static class Contended {
        static final int VALUE = slow();

        static int slow() {
            try {
                Thread.sleep(50);
            } catch (InterruptedException e) {
                Check.fail("interrupted");
            }
            return ran("contended");
        }
    }

    /** Called in an argument list: the site around it must survive the initialiser inside. */
    static int sum(int a, int b, int c) {
        Check.here();
        return a + b + c;
    }

    static int between(int round) {
        int x = sum(ByGet.value, ByCall.call(), new ByNew().hashCode() & 1);
        ByPut.value = round;
        Check.here();
        return x + Child.OWN + new Child().hashCode() * 0;
    }

    static int failing(int round) {
        try {
            return Failing.VALUE;
        } catch (ExceptionInInitializerError e) {
            Check.here();
            return 1;
        } catch (NoClassDefFoundError e) {
            Check.here();
            return 2;
        }
    }

    static Class<?> literal() {
        Class<?> c = ByReflection.class;
        Check.here();
        return c;
    }

    public static void main(String[] args) throws Exception {
        Thread[] threads = new Thread[3];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> Check.equal(9, Contended.VALUE));
            threads[i].start();
        }
        for (Thread t : threads) {
            t.join();
        }
        for (int round = 0; round < 20; round++) {
            between(round);
            Check.equal(round == 0 ? 1 : 2, failing(round));
            Check.equal(3, Chain1.VALUE);
            Check.equal(true, CycleA.VALUE > 0);
            literal();
            Class.forName(literal().getName());
            Runnable r = ByLambda::target;
            r.run();
            Check.here();
        }
        System.out.println(ORDER);
        Check.done("StaticInit");
    }
}
