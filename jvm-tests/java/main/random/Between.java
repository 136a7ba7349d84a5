package random;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.io.Serializable;
import java.util.function.Function;
import random.Troubles.Trouble;
import random.plain.Making;
import random.plain.Repeat;

/** Code without hooks between two pieces; other threads; serialization. */
final class Between {
    private static final boolean VIRTUAL = Runtime.version().feature() >= 21;

    private Between() {}

    static int any(Tape t) {
        switch (t.next(8)) {
            case 0:
                return act(t).go(t);
            case 1:
                return new Repeat(Calls.act(t), act(t)).again(t);
            case 2:
                return thread(t);
            case 3:
                return stored(t);
            case 4:
            case 5:
                return new Making(constructor(t), Calls.act(t)).go(t);
            default:
                return new Repeat(Callbacks.act(t), new Calls()).go(t) + Steps.step(t);
        }
    }

    private static Function<Tape, Object> constructor(Tape t) {
        switch (t.next(4)) {
            case 0:
                return Builds.Node::new;
            case 1:
                return Builds.Leaf::new;
            case 2:
                return Builds.Failing::new;
            default:
                return Trouble::new;
        }
    }

    static Act act(Tape t) {
        Act first = t.one(3) ? Callbacks.act(t) : new Calls.Most();
        return t.one(3) ? first : new Repeat(first, t.one(2) ? new Calls.More() : first);
    }

    static int thread(Tape t) {
        if (!t.one(6)) {
            return Steps.step(t);
        }
        Tape other = t.split(40);
        if (other == null) {
            return Steps.step(t);
        }
        Runnable body = () -> {
            try {
                Steps.step(other);
            } catch (RuntimeException | LinkageError e) {
                other.seen(e.getClass().getName());
            }
        };
        try {
            Thread thread = VIRTUAL && t.one(2) ? start(body) : new Thread(null, body, "random", 4 << 20);
            if (thread.getState() == Thread.State.NEW) {
                thread.start();
            }
            thread.join();
        } catch (InterruptedException | ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
        return t.seen(other.digest());
    }

    private static Thread start(Runnable body) throws ReflectiveOperationException {
        return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body);
    }

    static int stored(Tape t) {
        Tape before = Steps.CURRENT.get();
        Steps.CURRENT.set(t);
        int depth = t.depth();
        try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                out.writeObject(new Stored());
            }
            try (ObjectInputStream in = new Reading(new ByteArrayInputStream(bytes.toByteArray()))) {
                return ((Stored) in.readObject()).value;
            }
        } catch (IOException | ClassNotFoundException e) {
            t.back(depth);
            return t.seen(e.getClass().getName());
        } finally {
            Steps.CURRENT.set(before);
        }
    }

    static final class Reading extends ObjectInputStream {
        Reading(InputStream in) throws IOException {
            super(in);
        }

        @Override
        protected Class<?> resolveClass(ObjectStreamClass type) throws ClassNotFoundException {
            Steps.initial(1);
            return Class.forName(type.getName(), false, Reading.class.getClassLoader());
        }
    }

    /** Its superclass is made by the no-argument constructor when it is read. */
    static class Bare {
        int bare;

        Bare() {
            bare = Steps.initial(1);
        }
    }

    static final class Stored extends Bare implements Serializable {
        private static final long serialVersionUID = 1;
        int value = 5;

        private void writeObject(ObjectOutputStream out) throws IOException {
            Steps.initial(2);
            out.defaultWriteObject();
        }

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            Steps.initial(3);
            in.defaultReadObject();
        }

        private Object readResolve() {
            return Steps.initial(4) < 0 ? null : this;
        }
    }
}
