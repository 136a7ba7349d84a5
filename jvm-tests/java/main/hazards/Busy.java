package hazards;

import org.lucce.Lucce;

/** Makes new classes, edges and events for as long as it is let: what `kill -9` interrupts. */
public final class Busy {
    private Busy() {}

    /** Called by each generated class. */
    public static int step(int n) {
        Lucce.event("step", n);
        return n + 1;
    }

    static int recurse(int n, int value) {
        return n == 0 ? step(value) : recurse(n - 1, value + 1);
    }

    public static void main(String[] args) throws Exception {
        System.out.println("started");
        System.out.flush();
        for (int i = 0; i < 1_000_000; i++) {
            Asm asm = new Asm(49, "busy/Class" + i, "java/lang/Object");
            asm.code().op(26).call("hazards/Busy", "step", "(I)I").op(172).end(Asm.PUBLIC | Asm.STATIC, "go", "(I)I", 1, 1);
            asm.load().getMethod("go", int.class).invoke(null, i);
            recurse(i % 30, i);
        }
    }
}
