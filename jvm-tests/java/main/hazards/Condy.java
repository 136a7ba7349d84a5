package hazards;

import hazards.plain.Asm;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.util.Iterator;
import java.util.ServiceLoader;

/** Code that the JDK runs for an instruction: condy bootstraps, and service providers found and made by ServiceLoader. */
public final class Condy {
    static int made;

    private Condy() {}

    /** Runs inside the ldc. */
    public static Object bootstrap(MethodHandles.Lookup lookup, String name, Class<?> type) {
        Check.here();
        made++;
        return nested(name);
    }

    static String nested(String name) {
        Check.here();
        return "<" + name + ">";
    }

    public static Object failing(MethodHandles.Lookup lookup, String name, Class<?> type) {
        Check.here();
        throw new IllegalStateException(name);
    }

    public static Object leaf(Object o) {
        Check.here();
        return o;
    }

    public static Object two(Object a, Object b) {
        Check.here();
        return a + "" + b;
    }

    private static Class<?> user() {
        Asm asm = new Asm(55, "condy/User", "java/lang/Object");
        int first = asm.condy("hazards/Condy", "bootstrap", "first");
        int second = asm.condy("hazards/Condy", "bootstrap", "second");
        int bad = asm.condy("hazards/Condy", "failing", "bad");
        String object = "(Ljava/lang/Object;)Ljava/lang/Object;";
        asm.code()
                .op2(19, first).call("hazards/Condy", "leaf", object)
                .op2(19, second).call("hazards/Condy", "two", "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;")
                .op(176)
                .end(Asm.PUBLIC | Asm.STATIC, "good", "()Ljava/lang/Object;", 2, 0);
        asm.code()
                .op2(19, bad).call("hazards/Condy", "leaf", object).op(176)
                .end(Asm.PUBLIC | Asm.STATIC, "bad", "()Ljava/lang/Object;", 1, 0);
        return Bytes.load(asm);
    }

    /** What the providers offer. */
    public interface Service {
        String name();
    }

    /** Named in META-INF/services. */
    public static final class First implements Service {
        static {
            Check.here();
        }

        public First() {
            Check.here();
        }

        @Override
        public String name() {
            Check.here();
            return "first";
        }
    }

    /** Named in META-INF/services. */
    public static final class Second implements Service {
        private final Service inner = new First();

        @Override
        public String name() {
            Check.here();
            return "second, " + inner.name();
        }
    }

    static String services() {
        StringBuilder names = new StringBuilder();
        for (Service service : ServiceLoader.load(Service.class)) {
            names.append(service.name()).append(';');
            Check.here();
        }
        Iterator<Service> again = ServiceLoader.load(Service.class).iterator();
        while (again.hasNext()) {
            names.append(again.next().name()).append(';');
        }
        ServiceLoader.load(Service.class).stream().forEach(p -> names.append(p.get().name()));
        return names.toString();
    }

    public static void main(String[] args) throws Exception {
        for (int round = 0; round < 20; round++) {
            Class<?> user = user();
            Method good = user.getMethod("good");
            Method bad = user.getMethod("bad");
            for (int use = 0; use < 3; use++) {
                Check.equal("<first><second>", good.invoke(null));
                Check.here();
                try {
                    bad.invoke(null);
                    Check.fail("no exception");
                } catch (java.lang.reflect.InvocationTargetException e) {
                    Check.here();
                }
            }
            Check.equal("first;second, first;first;second, first;firstsecond, first", services());
        }
        System.out.println(made);
        Check.done("Condy");
    }
}
