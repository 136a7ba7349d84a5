package hazards;

import java.io.ObjectStreamClass;
import java.io.Serializable;
import java.lang.reflect.Field;
import java.util.Arrays;

/** Prints what reflection tells of the fields of threads: the agent's own must not be there. */
public final class ThreadFields {
    private ThreadFields() {}

    /** As applications have them: mappers and serializers look at all its fields. */
    public static class Worker extends Thread implements Serializable {
        private static final long serialVersionUID = 1;
        /** One of its own. */
        public int number;
    }

    private static void print(String what, Field[] fields) {
        Arrays.stream(fields).map(Field::toString).sorted().forEach(field -> System.out.println(what + " " + field));
    }

    private static String find(Class<?> type, String name) {
        try {
            type.getField(name);
            return "public";
        } catch (NoSuchFieldException e) {
            // Perhaps it is only hidden from getField.
        }
        try {
            type.getDeclaredField(name);
            return "declared";
        } catch (NoSuchFieldException e) {
            return "absent";
        }
    }

    public static void main(String[] args) {
        print("declared", Thread.class.getDeclaredFields());
        print("public", Thread.class.getFields());
        print("inherited", Worker.class.getFields());
        for (String name : new String[] {"ctx", "site", "top", "slot", "stack", "version"}) {
            System.out.println(name + " " + find(Thread.class, "$lucce$" + name) + " " + find(Worker.class, "$lucce$" + name));
        }
        System.out.println(Arrays.toString(ObjectStreamClass.lookup(Worker.class).getFields()));
    }
}
