package bench;

import java.io.OutputStream;

/** A 64-bit digest of what is written (FNV-1a), and how many bytes that was. */
public final class Digest extends OutputStream {
    private long hash = 0xcbf29ce484222325L;
    private long length;

    @Override
    public void write(int b) {
        hash = (hash ^ (b & 0xff)) * 0x100000001b3L;
        length++;
    }

    @Override
    public void write(byte[] bytes, int from, int count) {
        for (int i = from; i < from + count; i++) {
            write(bytes[i]);
        }
    }

    public Digest add(long value) {
        for (int shift = 0; shift < 64; shift += 8) {
            write((int) (value >>> shift));
        }
        return this;
    }

    public Digest add(CharSequence text) {
        for (int i = 0; i < text.length(); i++) {
            write(text.charAt(i));
            write(text.charAt(i) >>> 8);
        }
        return add(text.length());
    }

    /** The bytes written. */
    public long length() {
        return length;
    }

    public long value() {
        return hash;
    }
}
