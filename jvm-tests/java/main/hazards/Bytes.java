package hazards;

import hazards.plain.Asm;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.Map;

/** A class loader written in Java that overrides only {@code findClass}: generated classes, and copies of given ones. */
class Bytes extends ClassLoader {
    private final Map<String, byte[]> classes = new HashMap<>();
    int found;

    Bytes(ClassLoader parent) {
        super(parent);
    }

    Bytes() {
        this(Bytes.class.getClassLoader());
    }

    Bytes with(String name, byte[] bytes) {
        classes.put(name, bytes);
        return this;
    }

    /** Defines the class of that name anew in this loader, from the bytes of the class path. */
    Class<?> copy(String name) throws ClassNotFoundException {
        return define(name, read(name));
    }

    Class<?> define(String name, byte[] bytes) {
        return defineClass(name, bytes, 0, bytes.length);
    }

    /** Defines what was written, in a loader of its own. */
    static Class<?> load(Asm asm) {
        return new Bytes().define(asm.dotted(), asm.finish());
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        found++;
        Check.here();
        byte[] bytes = classes.get(name);
        if (bytes == null) {
            throw new ClassNotFoundException(name);
        }
        return define(name, bytes);
    }

    static byte[] read(String name) throws ClassNotFoundException {
        try (InputStream in = Bytes.class.getResourceAsStream("/" + name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            in.transferTo(out);
            return out.toByteArray();
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }
}
