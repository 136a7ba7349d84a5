package hazards.plain;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A class-file writer just large enough for code that javac does not emit: old versions, jsr, condy, huge methods (JVMS 4).
 *
 * <p>It has no hooks: else writing huge methods would make a million checks, and running them a few thousand.
 */
public final class Asm {
    public static final int PUBLIC = 1;
    public static final int STATIC = 8;
    public static final int SUPER = 0x20;

    private final Map<String, Integer> pool = new LinkedHashMap<>();
    private final ByteArrayOutputStream constants = new ByteArrayOutputStream();
    private final List<byte[]> methods = new ArrayList<>();
    private final List<byte[]> bootstraps = new ArrayList<>();
    private final int version;
    private final String name;
    private final int thisClass;
    private final int superClass;
    private int next = 1;

    public Asm(int version, String name, String superName) {
        this.version = version;
        this.name = name;
        thisClass = type(name);
        superClass = type(superName);
    }

    public interface Writer {
        void write(DataOutputStream out) throws IOException;
    }

    public static byte[] bytes(Writer writer) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            writer.write(new DataOutputStream(out));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    private int constant(String key, int slots, Writer writer) {
        Integer known = pool.get(key);
        if (known != null) {
            return known;
        }
        int index = next;
        next += slots;
        pool.put(key, index);
        constants.writeBytes(bytes(writer));
        return index;
    }

    private int utf8(String text) {
        return constant("u" + text, 1, out -> {
            out.writeByte(1);
            out.writeUTF(text);
        });
    }

    private int pair(int tag, int left, int right) {
        return constant(tag + ":" + left + ":" + right, 1, out -> {
            out.writeByte(tag);
            out.writeShort(left);
            out.writeShort(right);
        });
    }

    private int single(int tag, int index) {
        return constant(tag + ":" + index, 1, out -> {
            out.writeByte(tag);
            out.writeShort(index);
        });
    }

    public int type(String internal) {
        return single(7, utf8(internal));
    }

    public int string(String text) {
        return single(8, utf8(text));
    }

    public int integer(int value) {
        return constant("i" + value, 1, out -> {
            out.writeByte(3);
            out.writeInt(value);
        });
    }

    public int method(String owner, String name, String desc) {
        int left = type(owner);
        return pair(10, left, pair(12, utf8(name), utf8(desc)));
    }

    /** A dynamic constant of type Object, made by a static method (Lookup, String, Class)Object. */
    public int condy(String owner, String bootstrap, String name) {
        int target = method(owner, bootstrap, "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/Class;)Ljava/lang/Object;");
        int handle = constant("h" + target, 1, out -> {
            out.writeByte(15);
            out.writeByte(6);
            out.writeShort(target);
        });
        int number = bootstraps.size();
        bootstraps.add(bytes(out -> {
            out.writeShort(handle);
            out.writeShort(0);
        }));
        return pair(17, number, pair(12, utf8(name), utf8("Ljava/lang/Object;")));
    }

    /** Code of one method, written in order; jumps name labels. */
    public final class Code {
        private final ByteArrayOutputStream code = new ByteArrayOutputStream();
        private final Map<String, Integer> labels = new LinkedHashMap<>();
        private final List<Object[]> jumps = new ArrayList<>();
        private final List<String[]> handlers = new ArrayList<>();
        private final List<int[]> lines = new ArrayList<>();

        public Code op(int... bytes) {
            for (int b : bytes) {
                code.write(b);
            }
            return this;
        }

        public Code op2(int opcode, int operand) {
            return op(opcode, operand >> 8, operand);
        }

        public Code call(String owner, String method, String desc) {
            return op2(184, method(owner, method, desc));
        }

        public Code push(int value) {
            return value == (short) value ? op2(17, value) : op2(19, integer(value));
        }

        /** iload, istore, aload, astore, ret: with wide where the local needs it. */
        public Code local(int opcode, int local) {
            return local > 255 ? op(196).op2(opcode, local) : op(opcode, local);
        }

        public Code jump(int opcode, String label) {
            boolean wide = opcode == 200 || opcode == 201;
            jumps.add(new Object[] {code.size(), code.size() + 1, label, wide});
            return wide ? op(opcode, 0, 0, 0, 0) : op(opcode, 0, 0);
        }

        /** Low to high from 0; the last label is the default. */
        public Code tableswitch(String... targets) {
            int at = code.size();
            op(170);
            while (code.size() % 4 != 0) {
                op(0);
            }
            jumps.add(new Object[] {at, code.size(), targets[targets.length - 1], true});
            op(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, targets.length - 2);
            for (int i = 0; i < targets.length - 1; i++) {
                jumps.add(new Object[] {at, code.size(), targets[i], true});
                op(0, 0, 0, 0);
            }
            return this;
        }

        public Code label(String label) {
            labels.put(label, code.size());
            return this;
        }

        public Code handler(String from, String to, String target) {
            handlers.add(new String[] {from, to, target});
            return this;
        }

        /** A LineNumberTable of these pairs of index and line, as they come; each call makes one more attribute. */
        public Code lines(int... pairs) {
            lines.add(pairs);
            return this;
        }

        public int size() {
            return code.size();
        }

        private byte[] patched() {
            byte[] bytes = code.toByteArray();
            for (Object[] jump : jumps) {
                int at = (int) jump[1];
                int offset = labels.get(jump[2]) - (int) jump[0];
                if ((boolean) jump[3]) {
                    bytes[at++] = (byte) (offset >> 24);
                    bytes[at++] = (byte) (offset >> 16);
                } else if (offset != (short) offset) {
                    throw new IllegalStateException("jump too far: " + jump[2]);
                }
                bytes[at++] = (byte) (offset >> 8);
                bytes[at] = (byte) offset;
            }
            return bytes;
        }

        public Asm end(int access, String name, String desc, int stack, int locals) {
            byte[] body = patched();
            int attribute = utf8("Code");
            int table = lines.isEmpty() ? 0 : utf8("LineNumberTable");
            int tables = lines.stream().mapToInt(pairs -> 8 + 2 * pairs.length).sum();
            int nameIndex = utf8(name);
            int descIndex = utf8(desc);
            methods.add(bytes(out -> {
                out.writeShort(access);
                out.writeShort(nameIndex);
                out.writeShort(descIndex);
                out.writeShort(1);
                out.writeShort(attribute);
                out.writeInt(12 + body.length + 8 * handlers.size() + tables);
                out.writeShort(stack);
                out.writeShort(locals);
                out.writeInt(body.length);
                out.write(body);
                out.writeShort(handlers.size());
                for (String[] handler : handlers) {
                    for (String label : handler) {
                        out.writeShort(labels.get(label));
                    }
                    out.writeShort(0);
                }
                out.writeShort(lines.size());
                for (int[] pairs : lines) {
                    out.writeShort(table);
                    out.writeInt(2 + 2 * pairs.length);
                    out.writeShort(pairs.length / 2);
                    for (int number : pairs) {
                        out.writeShort(number);
                    }
                }
            }));
            return Asm.this;
        }
    }

    public Code code() {
        return new Code();
    }

    public byte[] finish() {
        int attribute = bootstraps.isEmpty() ? 0 : utf8("BootstrapMethods");
        return bytes(out -> {
            out.writeInt(0xCAFEBABE);
            out.writeShort(version == 45 ? 3 : 0);
            out.writeShort(version);
            out.writeShort(next);
            constants.writeTo(out);
            out.writeShort(PUBLIC | SUPER);
            out.writeShort(thisClass);
            out.writeShort(superClass);
            out.writeShort(0);
            out.writeShort(0);
            out.writeShort(methods.size());
            for (byte[] method : methods) {
                out.write(method);
            }
            out.writeShort(attribute == 0 ? 0 : 1);
            if (attribute != 0) {
                out.writeShort(attribute);
                out.writeInt(2 + 4 * bootstraps.size());
                out.writeShort(bootstraps.size());
                for (byte[] bootstrap : bootstraps) {
                    out.write(bootstrap);
                }
            }
        });
    }

    public String dotted() {
        return name.replace('/', '.');
    }
}
