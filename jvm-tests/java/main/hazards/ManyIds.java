package hazards;

import hazards.plain.Asm;

/** What {@link Retransform} does, behind so many methods and calls that no immediate of two bytes holds an id. */
public final class ManyIds {
    private static final int CLASSES = 33;
    private static final int METHODS = 1000;
    private static final int RETURN = 177;

    private ManyIds() {}

    public static void main(String[] args) throws Exception {
        Asm many = new Asm(52, "many/Made", "java/lang/Object");
        for (int method = 0; method < METHODS; method++) {
            many.code().call("many/Other", "one", "()V").call("many/Other", "two", "()V").op(RETURN)
                    .end(Asm.PUBLIC | Asm.STATIC, "run" + method, "()V", 0, 0);
        }
        byte[] bytes = many.finish();
        for (int copy = 0; copy < CLASSES; copy++) {
            new Bytes().define(many.dotted(), bytes);
        }
        Retransform.main(args);
    }
}
