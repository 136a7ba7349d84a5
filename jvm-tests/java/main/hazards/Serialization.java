package hazards;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Externalizable;
import java.io.IOException;
import java.io.ObjectInput;
import java.io.ObjectInputStream;
import java.io.ObjectOutput;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.io.Serializable;
import java.io.StringReader;
import java.util.Map;
import java.util.TreeMap;
import javax.xml.parsers.SAXParserFactory;
import org.xml.sax.Attributes;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;
import org.xml.sax.helpers.DefaultHandler;

/** The JDK drives the application: serialization's private methods, overridden streams, a SAX handler, a map's own order. */
public final class Serialization {
    private Serialization() {}

    static int leaf(int n) {
        Check.here();
        return n + 1;
    }

    static class Root {
        int made;

        Root() {
            made = leaf(1);
        }
    }

    static final class Item extends Root implements Serializable {
        private static final long serialVersionUID = 1L;
        final int n;
        final Item next;
        transient int restored;

        Item(int n) {
            this.n = n;
            next = n == 0 ? null : new Item(n - 1);
        }

        private void writeObject(ObjectOutputStream out) throws IOException {
            leaf(n);
            out.defaultWriteObject();
            leaf(n);
        }

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            leaf(1);
            in.defaultReadObject();
            restored = leaf(n);
        }

        private Object readResolve() {
            leaf(n);
            return this;
        }
    }

    /** Read by its own code, made by its own constructor. */
    public static final class Outside implements Externalizable, Comparable<Outside> {
        private int n;

        public Outside() {
            Check.here();
        }

        Outside(int n) {
            this.n = n;
        }

        @Override
        public void writeExternal(ObjectOutput out) throws IOException {
            out.writeInt(leaf(n));
        }

        @Override
        public void readExternal(ObjectInput in) throws IOException {
            n = leaf(in.readInt());
        }

        @Override
        public int compareTo(Outside other) {
            return Integer.compare(leaf(n), leaf(other.n));
        }
    }

    static final class Resolving extends ObjectInputStream {
        Resolving(byte[] bytes) throws IOException {
            super(new ByteArrayInputStream(bytes));
        }

        @Override
        protected Class<?> resolveClass(ObjectStreamClass description) throws IOException, ClassNotFoundException {
            leaf(0);
            return super.resolveClass(description);
        }
    }

    static int serialized(int n) throws Exception {
        Map<Outside, Item> map = new TreeMap<>();
        for (int i = 0; i < 4; i++) {
            map.put(new Outside(i), new Item(n));
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(map);
        }
        Check.here();
        try (ObjectInputStream in = new Resolving(bytes.toByteArray())) {
            Map<?, ?> copy = (Map<?, ?>) in.readObject();
            Check.here();
            return copy.values().stream().mapToInt(v -> ((Item) v).restored).sum();
        }
    }

    static int parsed() throws Exception {
        int[] sum = new int[1];
        DefaultHandler handler = new DefaultHandler() {
            @Override
            public void startElement(String uri, String local, String name, Attributes attributes) throws SAXException {
                sum[0] += leaf(attributes.getLength());
                if (name.equals("stop")) {
                    throw new SAXException("stop");
                }
            }

            @Override
            public void endElement(String uri, String local, String name) {
                sum[0] += leaf(name.length());
            }
        };
        for (String text : new String[] {"<a><b c='1'/><b/></a>", "<a><b/><stop/></a>"}) {
            try {
                SAXParserFactory.newInstance().newSAXParser().parse(new InputSource(new StringReader(text)), handler);
            } catch (SAXException e) {
                sum[0] += leaf(9);
            }
            Check.here();
        }
        return sum[0];
    }

    public static void main(String[] args) throws Exception {
        int sum = 0;
        for (int round = 0; round < 25; round++) {
            sum += serialized(round % 6) + parsed();
        }
        System.out.println(sum);
        Check.done("Serialization");
    }
}
