package bench.programs;

import bench.Digest;
import bench.Place;
import bench.Program;
import java.util.SplittableRandom;

/** A recursive-descent parser and evaluator of arithmetic, five levels of precedence, on a generated text of 2 000 000 characters. */
public final class Parser implements Program {
    private String text;
    private int at;
    private Digest digest;

    @Override
    public void prepare(Place place) {
        StringBuilder made = new StringBuilder();
        SplittableRandom random = new SplittableRandom(23);
        while (made.length() < 2_000_000) {
            expression(made, random, 9);
            made.append(";\n");
        }
        text = made.toString();
    }

    private static void expression(StringBuilder out, SplittableRandom random, int depth) {
        int kind = depth == 0 ? 0 : random.nextInt(8);
        switch (kind) {
            case 0:
                out.append(random.nextInt(1000));
                break;
            case 1:
                out.append('-');
                expression(out, random, depth - 1);
                break;
            case 2: case 3:
                out.append('(');
                expression(out, random, depth - 1);
                out.append(')');
                break;
            default:
                expression(out, random, depth - 1);
                out.append(' ').append("+-*/%<=&".charAt(random.nextInt(8))).append(' ');
                expression(out, random, depth - 1);
        }
    }

    @Override
    public void iterate() {
        digest = new Digest();
        at = 0;
        while (peek() != 0) {
            digest.add(conjunction());
            expect(';');
        }
    }

    private long conjunction() {
        long value = comparison();
        while (accept('&')) value &= comparison();
        return value;
    }

    private long comparison() {
        long value = sum();
        while (true) {
            if (accept('<')) value = value < sum() ? 1 : 0;
            else if (accept('=')) value = value == sum() ? 1 : 0;
            else return value;
        }
    }

    private long sum() {
        long value = product();
        while (true) {
            if (accept('+')) value += product();
            else if (accept('-')) value -= product();
            else return value;
        }
    }

    private long product() {
        long value = factor();
        while (true) {
            if (accept('*')) value *= factor();
            else if (accept('/')) value /= nonZero(factor());
            else if (accept('%')) value %= nonZero(factor());
            else return value;
        }
    }

    private static long nonZero(long value) {
        return value == 0 ? 1 : value;
    }

    private long factor() {
        if (accept('-')) return -factor();
        if (accept('(')) {
            long value = conjunction();
            expect(')');
            return value;
        }
        return number();
    }

    private long number() {
        long value = 0;
        if (!digit(peek())) throw new IllegalStateException("no number at " + at);
        while (digit(text.charAt(at))) value = value * 10 + (text.charAt(at++) - '0');
        return value;
    }

    private static boolean digit(char c) {
        return c >= '0' && c <= '9';
    }

    private boolean accept(char c) {
        if (peek() != c) return false;
        at++;
        return true;
    }

    private void expect(char c) {
        if (!accept(c)) throw new IllegalStateException("no " + c + " at " + at);
    }

    /** The next character that is no space; 0 at the end. */
    private char peek() {
        while (at < text.length() && space(text.charAt(at))) at++;
        return at < text.length() ? text.charAt(at) : 0;
    }

    private static boolean space(char c) {
        return c == ' ' || c == '\n';
    }

    @Override
    public long validate() {
        if (at != text.length()) throw new IllegalStateException("ended at " + at);
        return digest.value();
    }
}
